"""The tables and figures, as exhibits.yaml lists them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from attention_audit.plan.exhibit import (
    RECORDS,
    Exhibit,
    Figure,
    Read,
    Table,
    audit,
    corpus,
    each,
    if_asked,
    of_every_suite,
    rows,
)

READS = {
    "audit": audit(""),
    "rows": rows(""),
    "if_asked": if_asked(""),
    "of_every_suite": of_every_suite(""),
    "corpus": corpus(""),
    "table": Read("table"),
    "tables": Read("tables"),
    "records": RECORDS,
}
"""How something may be read."""


def _build_read(parameter: str, said: str | Mapping[str, Any]) -> Read:
    """Build what is read under the name of a parameter: how, and perhaps which columns."""
    further = dict(said) if isinstance(said, Mapping) else {}
    how, *columns = f"{further.pop('read')} {further.pop('columns', '')}".split() if further else str(said).split()
    read = READS[how]
    kept = {"name": parameter, "columns": tuple(columns), "categories": read.categories or bool(columns and read.suites)}
    return replace(read, **kept | further)


def _build_reads(exhibit: Mapping[str, Any]) -> dict[str, Any]:
    """Build all that an exhibit reads, by parameter."""
    return {**exhibit, "reads": {name: _build_read(name, said) for name, said in exhibit["reads"].items()}}


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_FIGURES = TypeAdapter(tuple[Figure, ...]).validate_python(tuple(map(_build_reads, _LISTED["figures"])))
_TABLES = TypeAdapter(tuple[Table, ...]).validate_python(tuple(map(_build_reads, _LISTED["tables"])))


FIGURES = {one.name: one for one in each(_FIGURES)}
TABLES = {one.name: one for one in each(_TABLES)}
EXHIBITS: tuple[Exhibit, ...] = (*FIGURES.values(), *TABLES.values())
