"""Tables of any format, row by row: csv, tsv, json, jsonl, Parquet and xlsx. A fault is one line that names the key."""

import codecs
import csv
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow.parquet as pq

from attention_audit.corpus.raw import (
    ALWAYS,
    BLOCK,
    MOST,
    Quotes,
    array,
    csv_rows,
    is_utf8,
    lines,
    opened,
    reading,
    remedy,
)
from attention_audit.errors import AuditError, did_you_mean

Row = tuple[str, Mapping[str, Any]]
"""The place of a row for messages, and its cells by column."""

FORMAT = re.compile(r"\.(?:(csv|tsv|jsonl?)(?:\.gz)?|(parquet|xlsx))$", re.IGNORECASE)
ENDINGS = ".csv, .tsv, .json, .jsonl (or .gz after them), .parquet or .xlsx"
DELIMITERS = {"csv": ",", "tsv": "\t"}
OTHERS = (";", "\t", "|", ",")
"""What may separate fields where the delimiter does not."""
BATCH = 512
"""Rows of a Parquet file that are in memory at a time."""
SHOWN = 20
"""How many columns a message names."""
LONGEST_CELL = 40
"""Characters of a cell that a message shows; hardly any column has a longer name."""
MOST_WORDS = 6
"""A name of a column has fewer words, and a text has more."""
LOOKED_AT = 50
"""Rows in which a cell of the first row is looked for, where it may be no header."""


class Layout(NamedTuple):
    """How a file is laid out. delimiter: of csv or tsv, None for that of its kind. names: of the columns, in order,
    where no header says them. sheet: of an xlsx file, None for the first. quotes: see `raw.csv_rows`.
    """

    encoding: str = "utf-8"
    delimiter: str | None = None
    names: Sequence[str] | None = None
    sheet: str | None = None
    quotes: Quotes | None = None


def format_of(path: str) -> str | None:
    """csv, tsv, json, jsonl, parquet or xlsx, by the file's ending in any case; None for any other ending."""
    match = FORMAT.search(path)
    return match and (match[1] or match[2]).lower()


def shown(cell: str) -> str:
    """A cell in quotes for a message, and no more of it than a line can hold."""
    return repr(cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}...")


def partings(row: Sequence[str], delimiter: str) -> Iterator[tuple[str, list[str]]]:
    """What else may separate the fields of a row than the delimiter, and the fields that the row would then have."""
    line = delimiter.join(row)
    for other in OTHERS:
        if other != delimiter:
            yield other, [field.strip().strip('"') for field in line.split(other)]


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
            raise AuditError(f"{where}: {no_column(key, column, there)}")
        if list(there).count(column) > 1:
            raise AuditError(f"{where}: more than one column {column!r}; rename the others")


def no_column(key: str, column: str, there: Sequence[str]) -> str:
    """That there is no such column, which ones there are, and which key to set."""
    known = ", ".join(map(shown, there[:SHOWN])) + (", ..." if len(there) > SHOWN else "")
    return f"no column {column!r}, only {known}{did_you_mean(column, there)}; set `{key}` to one of these"


def delimited_rows(
    text: Iterable[str], where: str, wanted: Mapping[str, str], kind: str, layout: Layout
) -> Iterator[Row]:
    """The rows below the header, or all where the layout names the columns.

    Raises AuditError, naming the line, at a row with fewer or more fields than the header.
    """
    delimiter = layout.delimiter or DELIMITERS[kind]
    rows = csv_rows(text, where, delimiter, layout.quotes)
    header, whose = layout.names, "`columns`"
    if header is None:
        place, header = next(rows, (where, []))
        whose = "the header"
        if header:
            check_header(place, header, rows, wanted, delimiter)
    for place, row in rows:
        if len(row) != len(header):
            parted = partings(row, delimiter)
            others = (other for other, fields in parted if len(row) == 1 < len(header) == len(fields))
            more = "".join(f", or set `delimiter: {json.dumps(other)}`" for other in islice(others, 1))
            raise AuditError(f"{place}: {len(row)} fields where {whose} has {len(header)}; mend the row{more}")
        yield place, dict(zip(header, row, strict=True))


def check_header(
    place: str, header: Sequence[str], rows: Iterator[tuple[str, list[str]]], wanted: Mapping[str, str], delimiter: str
) -> None:
    """Raise AuditError as `check_columns` does, with a reason where the separator is another, or there is no header."""
    columns = {*wanted.values()}
    lacking = not columns <= {*header}
    parted = (
        other for other, fields in partings(header, delimiter) if {*fields} >= columns or len(header) == 1 < len(fields)
    )
    if lacking and (other := next(parted, None)):
        raise AuditError(
            f"{place}: no columns {', '.join(map(repr, wanted.values()))}: the separator looks like {other!r}, not "
            f"{delimiter!r}; set `delimiter: {json.dumps(other)}`"
        )
    following: list[list[str]] = []
    with suppress(AuditError):
        following += (row for _, row in islice(rows, LOOKED_AT if lacking else 0))
    if lacking and is_no_header(header, following):
        begins = ", ".join(map(shown, header[:SHOWN]))
        raise AuditError(
            f"{place}: there seems to be no header, since the first row is {begins}; name all {len(header)} columns, "
            "in their order, with `columns`, such as `columns: [text, label]`"
        )
    check_columns(place, wanted, header)


def json_lines(text: Iterable[str], where: str) -> Iterator[tuple[str, Any]]:
    """What JSON each line has, with its place; None where it has none. Empty lines are skipped."""
    for number, line in enumerate(text, start=1):
        if line.strip():
            row = None
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
            yield f"{where}, line {number}", row


def object_rows(found: Iterable[tuple[str, Any]], wanted: Mapping[str, str], mend: str) -> Iterator[Row]:
    """The wanted fields of JSON objects. Raises AuditError, with what to do, at anything that is none."""
    for place, row in found:
        if not isinstance(row, dict):
            raise AuditError(f"{place}: not a JSON object; {mend}")
        yield place, nested(place, row, wanted)


def inside(cells: Mapping[str, Any], column: str) -> tuple[bool, Any]:
    """Whether an object has a field, and the field. `data.text` is the `text` of `data` if none is called so."""
    if column in cells:
        return True, cells[column]
    name, dot, rest = column.partition(".")
    below = cells.get(name)
    return inside(below, rest) if dot and isinstance(below, Mapping) else (False, None)


def nested(place: str, cells: Mapping[str, Any], wanted: Mapping[str, str]) -> Mapping[str, Any]:
    """The wanted fields of an object, by dotted names those of objects in it; all of them where none is named.

    Raises AuditError at a missing one.
    """
    if not wanted:
        return {field: inside(cells, field)[1] for field in fields_of(cells)}
    row: dict[str, Any] = {}
    for key, column in wanted.items():
        found, row[column] = inside(cells, column)
        if not found:
            raise AuditError(f"{place}: {no_column(key, column, fields_of(cells))}")
    return row


def fields_of(cells: Mapping[str, Any]) -> list[str]:
    """The fields of an object as a configuration names them."""
    return [
        f"{name}{below}"
        for name, value in cells.items()
        for below in ([f".{field}" for field in fields_of(value)] if isinstance(value, Mapping) else [""])
    ]


def parquet_rows(path: Path, wanted: Mapping[str, str]) -> Iterator[Row]:
    """The wanted columns, a batch of rows at a time. Raises AuditError as `reading` does, and at text not in utf-8."""
    number = 0
    with reading(path), pq.ParquetFile(path, buffer_size=BLOCK, pre_buffer=False) as file:
        there = file.schema_arrow.names
        roots = {column: column if column in there else column.partition(".")[0] for column in wanted.values()}
        for key, column in wanted.items():
            if roots[column] not in there:
                raise AuditError(f"{path}: {no_column(key, column, there)}")
        check_columns(str(path), {key: roots[column] for key, column in wanted.items()}, there)
        read = list(dict.fromkeys(roots.values())) or there
        for batch in file.iter_batches(BATCH, columns=read):
            for cells in zip(*(batch[column] for column in read), strict=True):
                number += 1
                place = f"{path}, row {number}"
                try:
                    row = {column: cell.as_py() for column, cell in zip(read, cells, strict=True)}
                except UnicodeDecodeError as error:
                    raise AuditError(f"{place}: not utf-8 ({error.reason}); convert the file") from error
                yield place, nested(place, row, wanted)


def sheet_rows(path: Path, wanted: Mapping[str, str], layout: Layout) -> Iterator[Row]:
    """The rows of a sheet below its header, or all where the layout names the columns; empty rows are skipped.

    Raises AuditError where openpyxl is not installed, the file is damaged, or a sheet or column is missing.
    """
    try:
        from openpyxl import load_workbook  # imported here, since only this format needs it
    except ImportError as error:
        raise AuditError(
            f"{path}: .xlsx needs openpyxl; install it with `python -m pip install openpyxl`, or save the sheet as csv"
        ) from error
    with reading(path):
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > max(ALWAYS, MOST * path.stat().st_size):
                raise AuditError(f"{path}: unpacks to more than {MOST} times its size; {remedy(path)}")
        try:
            book = load_workbook(path, read_only=True, data_only=True)
        except (KeyError, ValueError) as error:
            raise AuditError(f"{path}: no workbook can be read from it ({error}); {remedy(path)}") from error
        if layout.sheet is not None and layout.sheet not in book.sheetnames:
            raise AuditError(
                f"{path}: no sheet {layout.sheet!r}, only {', '.join(map(repr, book.sheetnames))}; set `sheet`"
            )
        sheet = book[layout.sheet or book.sheetnames[0]]
        header = layout.names
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            if all(cell is None for cell in cells):
                continue
            place = f"{path}, row {number}"
            if header is None:
                header = ["" if cell is None else str(cell) for cell in cells]
                check_header(place, header, iter(()), wanted, ",")
            else:
                yield place, dict(zip(header, [*cells, *[None] * len(header)], strict=False))
        book.close()


def mend_encoding(line: bytes, encoding: str) -> str:
    """Which encoding a line may have that is not in `encoding`, as what to do about it."""
    if not is_utf8(encoding):
        return "set another `encoding`"
    runs = re.findall(rb"[\x80-\xff]+", line)
    with suppress(UnicodeDecodeError):
        line.decode("cp1252")
        if max(map(len, runs), default=0) <= 2:
            return "if it comes from Windows, set `encoding: cp1252`; or save it as utf-8"
    return "set `encoding`, such as cp1251, gb18030, shift_jis or euc-kr; or save it as utf-8"


def published_rows(path: Path, wanted: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a published csv file. Raises AuditError as `delimited_rows` does."""
    with opened(path) as stream:
        yield from delimited_rows(lines(stream, str(path)), str(path), wanted, "csv", Layout(quotes="double"))


def table_rows(path: Path, wanted: Mapping[str, str], layout: Layout) -> Iterator[Row]:
    """The rows of a file of any format, in order. wanted: columns by the keys that name them; none: all columns.

    Raises AuditError as the readers of the formats do.
    """
    kind = format_of(path.name)
    if kind == "parquet":
        yield from parquet_rows(path, wanted)
        return
    if kind == "xlsx":
        yield from sheet_rows(path, wanted, layout)
        return
    with opened(path) as stream:
        begins = beginning(stream, path)
        if kind == "json" and is_array(begins):
            found = array(stream, path, "element", "set `encoding`", layout.encoding)
            yield from object_rows(found, wanted, "give an array of objects")
            return
        text = lines(stream, str(path), layout.encoding, mend_encoding)
        if kind in DELIMITERS:
            yield from delimited_rows(text, str(path), wanted, str(kind), layout)
        else:
            yield from object_rows(json_lines(text, str(path)), wanted, "give one a line, and the whole of it")


def beginning(stream: IO[bytes], path: Path) -> bytes:
    """How a stream begins; nothing is taken from it. Raises AuditError where it is utf-16, which is read by nobody."""
    begins: bytes = stream.peek(BLOCK)  # type: ignore[attr-defined]
    if begins.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or begins.count(0) > len(begins) / 4:
        raise AuditError(f"{path}: seems to be utf-16; save the file as utf-8")
    return begins


def is_array(begins: bytes) -> bool:
    """Whether this is how a JSON array begins."""
    return begins.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def is_delimiter(text: str) -> bool:
    """Whether fields may be separated by it."""
    try:
        csv.reader([], delimiter=text)
    except (TypeError, ValueError):
        return False
    return text not in '"\r\n '
