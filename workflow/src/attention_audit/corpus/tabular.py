"""Tables of any format, row by row: csv, tsv, json, jsonl, Parquet and xlsx. A fault is one line that names the key."""

import codecs
import csv
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from attention_audit.corpus.delimited import (
    DELIMITERS,
    Layout,
    Row,
    check_columns,
    check_header,
    delimited_rows,
    no_column,
    suggest_layout,
)
from attention_audit.corpus.encodings import beginning, mend_encoding
from attention_audit.corpus.raw import (
    ALWAYS,
    BLOCK,
    LONGEST_LINE,
    MOST,
    LayoutError,
    array,
    lines,
    opened,
    reading,
    remedy,
)
from attention_audit.errors import AuditError

FORMAT = re.compile(r"\.(?:(csv|tsv|jsonl?)(?:\.gz)?|(parquet|xlsx))$", re.IGNORECASE)
ENDINGS = ".csv, .tsv, .json, .jsonl (or .gz after them), .parquet or .xlsx"
BATCH = 512
"""Rows of a Parquet file that are in memory at a time."""

PARQUET, WORKBOOK, JSON = "Parquet (.parquet)", "a workbook (.xlsx) or another zip archive", "JSON (.json)"
CONTENTS = {
    PARQUET: rb"PAR1",
    WORKBOOK: rb"PK\x03\x04",
    JSON: rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*["}]',
    "an old workbook (.xls), or one with a password": rb"\xd0\xcf\x11\xe0",
    "packed by xz": rb"\xfd7zXZ",
    "packed by zstd": rb"\x28\xb5\x2f\xfd",
    "a PDF": rb"%PDF-",
    "a web page or XML": rb"(?i)\s*<(!doctype|html|\?xml)",
    "an SQLite database": rb"SQLite format 3",
}
"""What a file may be that is named otherwise, with how it begins."""


def format_of(path: str) -> str | None:
    """csv, tsv, json, jsonl, parquet or xlsx, by the file's ending in any case; None for any other ending."""
    match = FORMAT.search(path)
    return match and (match[1] or match[2]).lower()


def json_lines(text: Iterable[str], where: str) -> Iterator[tuple[str, Any]]:
    """What JSON each line has, with its place; None where it has none. Empty lines are skipped."""
    for number, line in enumerate(text, start=1):
        if line.strip():
            row = None
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
            yield f"{where}, line {number}", row


def inside(cells: Mapping[str, Any], column: str) -> tuple[bool, Any]:
    """Whether an object has a field, and the field. `data.text` is the `text` of `data` if none is called so."""
    if column in cells:
        return True, cells[column]
    name, dot, rest = column.partition(".")
    below = cells.get(name)
    return inside(below, rest) if dot and isinstance(below, Mapping) else (False, None)


def object_rows(read: Callable[[], Iterable[tuple[str, Any]]], wanted: Mapping[str, str], mend: str) -> Iterator[Row]:
    """The wanted fields of JSON objects; None where an object lacks one that another has.

    read: begins to read the objects. Raises AuditError, with what to do, at anything that is none, and where no object
    has a wanted field.
    """
    sought = dict(wanted)
    for place, row in read():
        if not isinstance(row, dict):
            raise AuditError(f"{place}: not a JSON object; {mend}")
        for key, column in sought.items():
            if not any(isinstance(each, dict) and inside(each, column)[0] for _, each in chain([(place, row)], read())):
                raise AuditError(f"{place}: {no_column(key, column, fields_of(row))}")
        sought = {}
        yield place, nested(row, wanted)


def unfold(document: Any) -> list[Any] | None:
    """Return the rows of one object: its one list of objects, or columns by rows, or rows by columns, as pandas has."""
    if not isinstance(document, dict) or not document:
        return None
    values = [dict(enumerate(value)) if isinstance(value, list) else value for value in document.values()]
    names, data = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(names, row, strict=False)) for row in data]
    below = [
        each for each in document.values() if isinstance(each, list) and all(isinstance(row, dict) for row in each)
    ]
    if below:
        return below[0] if len(below) == 1 else None
    if not all(isinstance(each, dict) and each.keys() == values[0].keys() for each in values):
        return None
    columns = ({name: each[at] for name, each in zip(document, values, strict=True)} for at in values[0])
    return values if len(values) > len(values[0]) else [*columns]


def json_values(path: Path, encoding: str) -> Iterator[tuple[str, Any]]:
    """What a JSON file has: the elements of an array, the rows of one object, or what each line is; with its place."""
    mend = partial(mend_encoding, path)
    with opened(path) as stream:
        if beginning(stream, path).removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
            yield from array(stream, path, "element", mend, encoding)
            return
    rows = None
    with opened(path) as stream, suppress(ValueError, RecursionError):
        rows = unfold(json.loads(stream.read(LONGEST_LINE).decode(encoding).removeprefix("\ufeff")))
    if rows is not None:
        yield from ((f"{path}, row {number}", row) for number, row in enumerate(rows, start=1))
        return
    with opened(path) as stream:
        yield from json_lines(lines(stream, str(path), encoding, mend), str(path))


def nested(cells: Mapping[str, Any], wanted: Mapping[str, str]) -> Mapping[str, Any]:
    """The wanted fields of an object, by dotted names those of objects in it; all of them where none is named."""
    return {column: inside(cells, column)[1] for column in wanted.values() or fields_of(cells)}


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
        leaves = [file.schema.column(at).path for at in range(len(file.schema))]
        for key, column in wanted.items():
            if not any(f"{leaf}.".startswith(f"{column}.") for leaf in leaves):
                raise AuditError(f"{path}: {no_column(key, column, leaves)}")
        check_columns(str(path), {key: column for key, column in wanted.items() if column in there}, there)
        for batch in file.iter_batches(BATCH, columns=[*wanted.values()] or None):
            for cells in zip(*batch.columns, strict=True):
                number += 1
                place = f"{path}, row {number}"
                try:
                    row = {column: cell.as_py() for column, cell in zip(batch.schema.names, cells, strict=True)}
                except UnicodeDecodeError as error:
                    raise AuditError(f"{place}: not utf-8 ({error.reason}); convert the file") from error
                yield place, nested(row, wanted)


def sheet_rows(path: Path, wanted: Mapping[str, str], layout: Layout) -> Iterator[Row]:
    """The rows of a sheet below its header, or all where the layout names the columns; empty rows are skipped.

    Raises AuditError where openpyxl is not installed, the file is damaged, a sheet or column is missing, or a wanted
    cell has no value but an error or a formula.
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
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        there = ", ".join(map(repr, sheets))
        title = layout.sheet or next((name for name, each in sheets.items() if each.sheet_state == "visible"), "")
        if title not in sheets:
            raise AuditError(f"{path}: no sheet {title!r}, only {there}; set `sheet`")
        # what the file says of its size may be wrong, and cells beyond it would be lost
        sheets[title].reset_dimensions()
        header = layout.columns
        rows = 0
        for number, cells in enumerate(sheets[title].iter_rows(), start=1):
            values = [cell.value for cell in cells]
            if all(value is None for value in values):
                continue
            place = f"{path}, row {number}"
            if header is None:
                header = ["" if value is None else str(value) for value in values]
                check_header(place, header, iter(()), wanted)
                continue
            rows += 1
            for column, cell in zip(header, cells, strict=False):
                if column in wanted.values() and cell.data_type == "e":
                    raise AuditError(f"{place}: column {column!r} holds Excel's error {cell.value}; mend the cell")
            yield place, dict(zip(header, [*values, *[None] * len(header)], strict=False))
        if not rows and len(sheets) > 1:
            raise AuditError(f"{path}: no rows in sheet {title!r}; set `sheet` to another one of {there}")
        book.close()


def published_rows(path: Path, wanted: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a published csv file. Raises AuditError as `delimited_rows` does."""
    with opened(path) as stream:
        yield from delimited_rows(lines(stream, str(path)), str(path), wanted, "csv", Layout(quotes="double"))


def table_rows(path: Path, wanted: Mapping[str, str], layout: Layout) -> Iterator[Row]:
    """The rows of a file of any format, in order. wanted: columns by the keys that name them; none: all columns.

    Raises AuditError as the readers of the formats do, and where the file is of another format than its name says.
    """
    kind = format_of(path.name) or ""
    with opened(path) as stream:
        begins = beginning(stream, path)
    named = {"parquet": PARQUET, "xlsx": WORKBOOK, "json": JSON, "jsonl": JSON}.get(kind)
    found = next((what for what, pattern in CONTENTS.items() if re.match(pattern, begins)), None)
    if found is None and (not begins.strip() or (named == JSON and begins.lstrip()[:1] in b"[{")):
        found = named  # no content, or JSON of another shape, which the reader names
    if found != named:
        what = found or f"not {named}, as its name says"
        raise AuditError(f"{path}: is {what}; give it the ending of what it is, or save it as csv")
    if kind == "parquet":
        yield from parquet_rows(path, wanted)
    elif kind == "xlsx":
        yield from sheet_rows(path, wanted, layout)
    elif kind not in DELIMITERS:
        values = partial(json_values, path, layout.encoding)
        yield from object_rows(values, wanted, "give one a line, and the whole of it, or an array of them")
    else:
        try:
            with opened(path) as stream:
                text = lines(stream, str(path), layout.encoding, partial(mend_encoding, path))
                yield from delimited_rows(text, str(path), wanted, kind, layout)
        except LayoutError as error:
            raise AuditError(f"{error}{suggest_layout(path, wanted, kind, layout)}") from error


def is_single(text: str) -> bool:
    """Return whether a text is one character that may separate or quote fields."""
    try:
        csv.reader([], delimiter=text)
    except (TypeError, ValueError):
        return False
    return text not in '"\r\n '
