"""The tables and figures, as exhibits.yaml lists them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from .exhibit import ITS_OWN, Exhibit, Figure, Read, Table, each

READS = {
    "audit": Read("audit"),
    "rows": Read("audit", categories=True),
    "if_asked": Read("audit", suites=(ITS_OWN,)),
    "of_every_suite": Read("audit", suites=("*",)),
    "corpus": Read("corpus"),
    "table": Read("table"),
    "tables": Read("tables"),
    "records": Read("records"),
}
"""How something may be read: an audit of the exhibit's own suite; one with many rows; one that its suite may not be
asked; one of all suites that are asked it; a file of each corpus; tables that are made; what is known of fetched files.
"""


def _build_read(parameter: str, said: str | Mapping[str, Any]) -> Read:
    """Build what is read under the name of a parameter: how, and perhaps which columns."""
    further: dict[str, Any] = {"read": said} if isinstance(said, str) else dict(said)
    how, *columns = f"{further.pop('read')} {further.pop('columns', '')}".split()
    read = READS[how]
    categories = read.categories or bool(columns and read.suites)
    return replace(read, **{"name": parameter, "columns": tuple(columns), "categories": categories, **further})


def _build_reads(exhibit: Mapping[str, Any]) -> dict[str, Any]:
    """Build all that an exhibit reads, by parameter."""
    return {**exhibit, "reads": {name: _build_read(name, said) for name, said in exhibit["reads"].items()}}


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_FIGURES = TypeAdapter(tuple[Figure, ...]).validate_python(tuple(map(_build_reads, _LISTED["figures"])))
_TABLES = TypeAdapter(tuple[Table, ...]).validate_python(tuple(map(_build_reads, _LISTED["tables"])))


FIGURES = {one.name: one for one in each(_FIGURES)}
TABLES = {one.name: one for one in each(_TABLES)}
EXHIBITS: tuple[Exhibit, ...] = (*FIGURES.values(), *TABLES.values())
