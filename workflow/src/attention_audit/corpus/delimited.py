"""Rows of csv and tsv files as a layout says they are written, and the layout that reads every row of a file.

Python's csv module reads them, strictly: of the readers that were tried, it alone loses no row and knows where each
begins.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from attention_audit.corpus.raw import LayoutError, Quotes, csv_rows, lines, opened
from attention_audit.errors import AuditError, did_you_mean

Row = tuple[str, Mapping[str, Any]]
"""The place of a row for messages, and its cells by column."""

DELIMITERS = {"csv": ",", "tsv": "\t"}
OTHERS = (";", "\t", "|", ",")
"""What may separate fields where the delimiter does not."""
STYLES: Sequence[tuple[Quotes | None, str | None]] = (
    (None, None),
    (None, "\\"),
    ("none", None),
    ("single", None),
    ("none", "\\"),
)
"""Settings of `quotes` and `escape` that are tried, in this order."""
PREAMBLE = 20
"""Lines that may stand before a header."""
SHOWN = 20
"""How many columns a message names."""
LONGEST_CELL = 40
"""Characters of a cell that a message shows; hardly any column has a longer name."""
MOST_WORDS = 6
"""A name of a column has fewer words, and a text has more."""
LOOKED_AT = 50
"""Rows in which a cell of the first row is looked for, where it may be no header."""
KNOWN = 100_000
"""Short cells that are remembered, since labels are among them."""
TEXTS = re.compile(r"(text|review|sentence|document|comment|tweet|message)s?|body|content|abstract", re.IGNORECASE)
LABELS = ("label", "labels", "class", "category", "sentiment", "target", "stars", "rating", "score", "polarity")
"""Names that columns often have; the earlier of LABELS go before the later ones."""


class Layout(NamedTuple):
    """How a file is laid out. delimiter: of csv or tsv, None for that of its kind. columns: their names, in order,
    where no header says them. sheet: of an xlsx file, None for the first. quotes: see `raw.csv_rows`; None: double,
    unless a field swallowed rows. escape, skip: see there.
    """

    encoding: str = "utf-8"
    delimiter: str | None = None
    columns: Sequence[str] | None = None
    sheet: str | None = None
    quotes: Quotes | None = None
    escape: str | None = None
    skip: int = 0

    def read_lines(self, text: Iterable[str], where: str, kind: str) -> Iterator[tuple[str, list[str]]]:
        """Return the rows of a file as `csv_rows` does."""
        return csv_rows(text, where, self.delimiter or DELIMITERS[kind], self.quotes, self.escape, self.skip)


def shown(cell: str) -> str:
    """A cell in quotes for a message, and no more of it than a line can hold."""
    return repr(cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}...")


def is_no_header(first: Sequence[str], others: Iterable[Sequence[str]]) -> bool:
    """Whether a first row seems to be a text with its label: it has a long cell or a number, or a cell of it comes
    again in a later row.
    """
    numeric = re.compile(r"\s*[-+]?[0-9.]+\s*")
    if any(len(cell) > LONGEST_CELL or len(cell.split()) > MOST_WORDS or numeric.fullmatch(cell) for cell in first):
        return True
    return any(cell and cell == other for row in others for cell, other in zip(first, row, strict=False))


def check_columns(where: str, wanted: Mapping[str, str], there: Sequence[str]) -> None:
    """Raises AuditError at a wanted column (by the key that names it) that does not exist, or that exists twice."""
    for key, column in wanted.items():
        if column not in there:
            raise LayoutError(f"{where}: {no_column(key, column, there)}")
        if list(there).count(column) > 1:
            raise AuditError(f"{where}: more than one column {column!r}; rename the others")


def no_column(key: str, column: str, there: Sequence[str]) -> str:
    """That there is no such column, which ones there are, and which key to set."""
    known = ", ".join(map(shown, there[:SHOWN])) + (", ..." if len(there) > SHOWN else "")
    return f"no column {column!r}, only {known}{did_you_mean(column, there)}; set `{key}` to one of these"


def check_header(
    place: str, header: Sequence[str], rows: Iterator[tuple[str, list[str]]], wanted: Mapping[str, str]
) -> None:
    """Raise AuditError as `check_columns` does, with a reason where there seems to be no header."""
    if not {*wanted.values()} <= {*header}:
        following: list[list[str]] = []
        with suppress(AuditError):
            following += (row for _, row in islice(rows, LOOKED_AT))
        if is_no_header(header, following):
            begins = ", ".join(map(shown, header[:SHOWN]))
            raise LayoutError(
                f"{place}: there seems to be no header, since the first row is {begins}; name all {len(header)} "
                "columns, in their order, with `columns`, such as `columns: [text, label]`"
            )
    check_columns(place, wanted, header)


def delimited_rows(
    text: Iterable[str], where: str, wanted: Mapping[str, str], kind: str, layout: Layout
) -> Iterator[Row]:
    """The rows below the header, or all where the layout names the columns.

    Raises AuditError, naming the line, at a row with fewer or more fields than the header; and, behind the last row, at
    a quoted field whose lines are rows: they have as many fields, and a cell of each is that of other rows.
    """
    rows, mark = layout.read_lines(text, where, kind), layout.delimiter or DELIMITERS[kind]
    header, whose = layout.columns, "`columns`"
    if header is None:
        place, header = next(rows, (where, []))
        whose = "the header"
        if header:
            check_header(place, header, rows, wanted)
    known: set[tuple[int, str]] = set()
    doubtful: list[tuple[str, list[tuple[tuple[int, str], ...]]]] = []
    for place, row in rows:
        if len(row) != len(header):
            raise LayoutError(f"{place}: {len(row)} fields where {whose} has {len(header)}; mend the row")
        if layout.quotes is None:
            whole = mark.join(row)
            if "\n" not in whole and len(known) < KNOWN:
                known.update((at, cell) for at, cell in enumerate(row) if 0 < len(cell) <= LONGEST_CELL)
            parts = [line.split(mark) for line in whole.splitlines()] if "\n" in whole else []
            if parts and {*map(len, parts)} == {len(header)}:
                doubtful.append((place, [*zip(*map(enumerate, parts), strict=True)]))
        yield place, dict(zip(header, row, strict=True))
    for place, columns in doubtful:
        if any(known.issuperset(column) for column in columns):
            raise AuditError(
                f"{place}: a quoted field holds {len(columns[0])} lines that look like rows; set `quotes: none` if "
                "quotation marks are characters, else `quotes: double`"
            )


def reads_rows(path: Path, wanted: Mapping[str, str], kind: str, layout: Layout, most: int | None = None) -> bool:
    """Return whether the rows of a file, or the first of them, are two columns or more under a layout."""
    with suppress(AuditError), opened(path) as stream:
        text = lines(stream, str(path), layout.encoding)
        widths = {len(row) for _, row in islice(delimited_rows(text, str(path), wanted, kind, layout), most)}
        return bool(widths) and 1 not in widths
    return False


def find_layout(path: Path, wanted: Mapping[str, str], kind: str, layout: Layout) -> Layout | None:
    """Return the first layout near to one that reads every row of a file, None where there is none.

    Lines are skipped only where the first rows cannot be read, and down to a header that has the wanted columns or,
    where none are named, the usual name of a column.
    """
    own = layout.delimiter or DELIMITERS[kind]
    with opened(path) as stream:
        head = [*islice(lines(stream, str(path), layout.encoding), layout.skip + PREAMBLE)][layout.skip :]
    for skip, line in enumerate(head, start=layout.skip):
        if line.startswith("sep="):
            continue  # Excel's, in the place of a header
        for delimiter, (quotes, escape) in product(dict.fromkeys([own, *OTHERS]), STYLES):
            other = None if delimiter == DELIMITERS[kind] else delimiter
            tried = layout._replace(delimiter=other, quotes=quotes, escape=escape, skip=skip)
            if skip > layout.skip and not wanted:
                names = re.split(r"\W+", line.lower())
                if not any(TEXTS.fullmatch(name) or name in LABELS for name in names):
                    continue
            if reads_rows(path, wanted, kind, tried, LOOKED_AT) and reads_rows(path, wanted, kind, tried):
                return tried
        if reads_rows(path, {}, kind, layout, LOOKED_AT):
            break
    return None


def suggest_layout(path: Path, wanted: Mapping[str, str], kind: str, layout: Layout) -> str:
    """Return the settings under which every row of a file is read, as what else to do; "" where none are found."""
    better = find_layout(path, wanted, kind, layout) or find_layout(path, {}, kind, layout) or layout
    keys = zip(layout._fields, layout, better, strict=True)
    changed = [f"`{key}: {new if key == 'quotes' else json.dumps(new)}`" for key, old, new in keys if old != new]
    return f", or set {' and '.join(changed)}, which reads every row" if changed else ""
