"""The tables and figures, as exhibits.yaml lists them."""

import re
from collections.abc import Iterator, Mapping
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
from attention_audit.plugins import Entries, Live

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


def _build_read(parameter: str, /, read: str, columns: str = "", **further: Any) -> Read:
    """Build what is read under the name of a parameter."""
    return replace(READS[read], **{"name": parameter, "columns": tuple(columns.split()), **further})


def _build_reads(exhibit: Mapping[str, Any]) -> dict[str, Any]:
    """Build all that an exhibit reads, by parameter."""
    return {**exhibit, "reads": {name: _build_read(name, **read) for name, read in exhibit["reads"].items()}}


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_FIGURES = TypeAdapter(tuple[Figure, ...]).validate_python(tuple(map(_build_reads, _LISTED["figures"])))
_TABLES = TypeAdapter(tuple[Table, ...]).validate_python(tuple(map(_build_reads, _LISTED["tables"])))


def _faults(exhibit: Exhibit) -> Iterator[str]:
    """What is wrong with the names of a table or figure of a plugin, which Exhibiting asks for what it reads."""
    for one in each([exhibit]):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", one.name) or not one.name.startswith(one.suite):
            yield f"{one.name}: is to be small letters, digits and _, and to begin with {one.suite or 'a letter'}"
        elif not Path(one.caption).is_file():
            yield f"its caption {one.caption} is missing; write what it shows, and how to read it"


FIGURES = Entries("FIGURES", Figure, _FIGURES, each, _faults)
TABLES = Entries("TABLES", Table, _TABLES, each, _faults)
EXHIBITS = Live[Exhibit](lambda: (*FIGURES, *TABLES))
