"""What an unknown table is: its encoding, its separator, which column is what, and the language of its texts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from attention_audit.corpus.counts import NUMERIC
from attention_audit.corpus.delimited import (
    DELIMITERS,
    LABELS,
    LOOKED_AT,
    MOST_WORDS,
    TEXTS,
    Layout,
    find_layout,
    is_no_header,
)
from attention_audit.corpus.encodings import find_encoding
from attention_audit.corpus.labels import FEWEST
from attention_audit.corpus.rationales import FORMS, Evidence, Written, annotations_of
from attention_audit.corpus.raw import lines, opened
from attention_audit.corpus.sources.table import ALIASES
from attention_audit.corpus.tabular import format_of
from attention_audit.corpus.text import SPLITS, is_missing, label_text
from attention_audit.errors import AuditError

IDS = re.compile(r"(.*[^a-z])?(id|idx|uid|guid)", re.IGNORECASE)
GROUPS = re.compile(
    r"(group|source|document|doc|article|premise|story|film|movie|user|author|patient|speaker)([ _-]?(id|name))?",
    re.IGNORECASE,
)
MARKED = re.compile(r"rationale|evidence|highlight|marks|annot", re.IGNORECASE)
FAVOUR = 3
"""A column with the name of a text counts as so many times as long."""
MOSTLY = 0.9
"""Share of the cells of a column that are of one kind; the reader names the others."""
MARKS = 500
"""Rows in which the marks of a column are tried."""


@dataclass(frozen=True)
class Column:
    """A column, with its cells that are not empty, and how many are."""

    name: str
    cells: list[Any]
    empty: int

    @cached_property
    def values(self) -> Counter[Any]:
        """How often each value occurs, as labels are read; nothing where many cells are lists or objects."""
        return Counter(label_text(stripped(cell)) for cell in self.select_cells(str | int | float))

    @cached_property
    def length(self) -> float:
        """Characters of a cell on average; 0 where cells are no texts."""
        return sum(map(len, texts)) / len(texts) if (texts := self.select_cells(str)) else 0.0

    def select_cells(self, kind: Any) -> list[Any]:
        """Return the cells that are of a kind; none where fewer than MOSTLY are."""
        there = [cell for cell in self.cells if isinstance(cell, kind)]
        return there if len(there) >= MOSTLY * len(self.cells) else []

    @property
    def repeated(self) -> bool:
        """Whether there are so few values that they may be labels."""
        return len(self.values) <= len(self.cells) / FEWEST

    @property
    def is_split(self) -> bool:
        """Whether its cells name splits."""
        values = {str(value).lower() for value in self.values}
        return "train" in values and len(values) > 1 and values <= {*SPLITS, *ALIASES}

    @property
    def is_id(self) -> bool:
        """Whether it has the name of ids."""
        return bool(IDS.fullmatch(self.name))

    @property
    def is_group(self) -> bool:
        """Whether it has the name of what texts share, and some of them do."""
        return bool(GROUPS.fullmatch(self.name)) and 1 < len(self.values) < len(self.cells)

    @property
    def is_marked(self) -> bool:
        """Whether it has a name of marked words."""
        return bool(MARKED.search(self.name))


def stripped(cell: Any) -> Any:
    """A cell, without white space around it if it is a text."""
    return cell.strip() if isinstance(cell, str) else cell


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """The columns that any row has."""
    names = dict.fromkeys(name for row in rows for name in row)
    cells = {name: [row[name] for row in rows if not is_missing(stripped(row.get(name)))] for name in names}
    return [Column(name, there, len(rows) - len(there)) for name, there in cells.items()]


def layout_of(path: Path) -> Layout:
    """Guess how a file is laid out; what has its default is None.

    Raises AuditError where it is in no encoding that can be told.
    """
    kind = str(format_of(path.name))
    if kind in ("parquet", "xlsx"):
        return Layout()
    layout = Layout(find_encoding(path))
    if kind not in DELIMITERS:
        return layout
    layout = find_layout(path, {}, kind, layout) or layout
    with opened(path) as stream, suppress(AuditError):
        rows = (row for _, row in layout.read_lines(lines(stream, str(path), layout.encoding), str(path), kind))
        first, *others = [*islice(rows, LOOKED_AT)] or [[]]
        if is_no_header(first, others):
            return layout._replace(columns=[f"column{number}" for number in range(1, len(first) + 1)])
    return layout


def texts_in(columns: Sequence[Column]) -> list[Column]:
    """Columns that may hold the texts, the likeliest first: the longest, or those with a name of texts."""

    def length(column: Column) -> float:
        return column.length * (FAVOUR if TEXTS.fullmatch(column.name) else 1)

    def likely(column: Column) -> bool:
        """Whether its cells are texts, and neither labels nor addresses nor numbers, though a name tells more."""
        if not column.length or column.is_id or column.is_split or column.is_marked:
            return False
        texts = column.select_cells(str)
        other = all(cell.startswith("http") or NUMERIC.fullmatch(cell.strip()) for cell in texts)
        return bool(TEXTS.fullmatch(column.name)) or not (other or column.repeated)

    return sorted(filter(likely, columns), key=length, reverse=True)


def labels_in(columns: Sequence[Column]) -> list[Column]:
    """Columns that may hold the labels, the likeliest first: by their names, then those of the fewest classes."""

    def rank(column: Column) -> tuple[int, int]:
        name = column.name.lower()
        named = LABELS.index(name) if name in LABELS else len(LABELS)
        return named + (not any(label in name for label in LABELS)), len(column.values)

    def likely(column: Column) -> bool:
        """Whether its cells are short, and each of them comes again and again, though a name tells more."""
        if column.is_id or column.is_split or column.is_marked or not column.values:
            return False
        short = all(len(str(value).split()) <= MOST_WORDS for value in column.values)
        return short and (column.name.lower() in LABELS or (column.repeated and len(column.values) > 1))

    return sorted(filter(likely, columns), key=rank)


def evidence_in(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column], text: str) -> Evidence | None:
    """The column of marked words and how it is written, so that the marks of all rows fit; None where none do."""
    forms: list[Written] = sorted(FORMS, key=["flags", "scores", "words", "characters"].index)
    for column in columns:
        for form in forms if column.is_marked else ():
            evidence = Evidence(columns=column.name, written=form)
            with suppress(AuditError):
                said = [annotations_of("", str(row[text] or ""), row, evidence) for row in rows[:MARKS]]
                if any(said) and not any(one and (one.outside or one.miscounted) for one in said):
                    return evidence
    return None
