"""Tables of any format, row by row: csv, tsv, json, jsonl, Parquet and xlsx. A fault is one line that names the key.

Python's csv module reads csv and tsv, strictly: of the readers that were tried, it alone loses no row and knows where
each begins. Where a layout does not fit such a file, one that reads every row of it is looked for.
"""

import codecs
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, islice, pairwise, product, zip_longest
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from attention_audit.errors import AuditError, suggest

from .languages import name_encoding, read_beginning
from .raw import (
    BLOCK_BYTES,
    LONGEST_LINE,
    PUBLISHED_LAYOUT,
    EncodingError,
    Layout,
    LayoutError,
    Quotes,
    check_unpacked,
    find_remedy,
    open_raw,
    read_array,
    read_csv,
    read_lines,
    report_damage,
)
from .text import list_few

TableRow = tuple[str, Mapping[str, Any]]
"""The place of a row for messages, and its cells by column."""

WantedColumns = Mapping[str, str]
"""The columns that are wanted, by the keys that name them."""

DELIMITERS = {"csv": ",", "tsv": "\t"}
OTHER_DELIMITERS = (";", "\t", "|", ",")
"""What may separate fields where the delimiter does not."""
QUOTE_STYLES: Sequence[tuple[Quotes | None, str | None]] = (
    (None, None),
    (None, "\\"),
    ("none", None),
    ("single", None),
    ("none", "\\"),
)
"""Settings of `quotes` and `escape` that are tried, in this order."""
PREAMBLE = 20
"""Lines that may stand before a header."""
MAX_COLUMNS_SHOWN = 20
"""How many columns a message names."""
LONGEST_CELL = 40
"""Characters of a cell that a message shows; hardly any column has a longer name."""
MAX_NAME_WORDS = 6
"""A name of a column has fewer words, and a text has more."""
HEADER_ROWS = 50
"""Rows in which a cell of the first row is looked for, where it may be no header."""
FOOTER_ROWS = 3
"""Rows of fewer fields at the end of a file, up to which they may be no part of the table."""
CELLS_REMEMBERED = 100_000
"""Short cells that are remembered of each column, since labels are among them."""
TEXT_NAMES = re.compile(r"(text|review|sentence|document|comment|tweet|message)s?|body|content|abstract", re.IGNORECASE)
LABEL_NAMES = ("label", "labels", "class", "category", "sentiment", "target", "stars", "rating", "score", "polarity")
"""Names that columns often have; the earlier of LABEL_NAMES go before the later ones."""


def quote_cell(cell: str) -> str:
    """Put a cell in quotes for a message, and no more of it than a line can hold."""
    return repr(cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}...")


def list_first_cells(cells: Sequence[str]) -> str:
    """List the first cells of a row for a message."""
    return list_few([*map(quote_cell, cells)], MAX_COLUMNS_SHOWN)


def is_no_header(first_row: Sequence[str], later_rows: Iterable[Sequence[str]]) -> bool:
    """Tell whether a first row seems to be a text with its label: it has a long cell or a number, or a cell of it comes
    again in a later row.
    """
    numeric = re.compile(r"\s*[-+]?[0-9.]+\s*")
    for cell in first_row:
        if len(cell) > LONGEST_CELL or len(cell.split()) > MAX_NAME_WORDS or numeric.fullmatch(cell):
            return True
    # a header that stands again is named by who reads the rows
    pairs = (pair for row in later_rows if not is_header(row, first_row) for pair in zip(first_row, row, strict=False))
    return any(cell and cell == other for cell, other in pairs)


def is_header(cells: Collection[Any], names: Iterable[str]) -> bool:
    """Tell whether the cells of a row are the names of the columns in any order, but for case, spaces and a byte order
    mark.
    """
    short = all(isinstance(cell, str) and len(cell) <= LONGEST_CELL for cell in cells)
    return short and sorted(fold_name(cell) for cell in cells) == sorted(map(fold_name, names))


def fold_name(name: str) -> str:
    """Reduce the name of a column to what its spellings share."""
    return name.strip(" \ufeff").lower()


def refuse_headers(rows: Iterator[TableRow]) -> Iterator[TableRow]:
    """Yield the rows. Raises AuditError at one that is the names of the columns, as files that were joined have it."""
    for location, row in rows:
        if is_header(row.values(), row):
            more = sum(is_header(other.values(), other) for _, other in rows)
            also = f", as in {more} more" if more else ""
            raise AuditError(location, f"the header stands again in this row{also}", "take out such rows")
        yield location, row


def describe_columns(key: str, column: str, columns: Sequence[str]) -> tuple[str, str]:
    """Say that there is no such column, and which ones there are; and, as the remedy, which key to set."""
    fault = f"no column {column!r}, only {list_first_cells(columns)}{suggest(column, columns)}"
    return fault, f"set `{key}` to one of these" + ", or to null where nobody knows them" * (key == "label")


def check_columns(
    location: str, wanted: WantedColumns, header: Sequence[str], rows: Iterable[tuple[str, list[str]]] = ()
) -> None:
    """Raise AuditError at a wanted column (by the key that names it) that does not exist, or that exists twice.

    rows: those below the header, of which the first tell whether it is one.
    """
    for key, column in wanted.items():
        if column not in header:
            fault, remedy = describe_columns(key, column, header)
            with suppress(AuditError):
                if is_no_header(header, (row for _, row in islice(rows, HEADER_ROWS))):
                    fault = f"there seems to be no header, since the first row is {list_first_cells(header)}"
                    remedy = (
                        f"name all {len(header)} columns, in their order, with `columns`, such as "
                        "`columns: [text, label]`"
                    )
            raise LayoutError(location, fault, remedy)
    check_single(location, wanted, header)


def check_single(location: str | Path, wanted: WantedColumns, header: Sequence[str]) -> None:
    """Raise AuditError at a wanted column that stands twice."""
    if repeated := [column for column in wanted.values() if header.count(column) > 1]:
        raise AuditError(location, f"more than one column {repeated[0]!r}", "rename the others")


def fit_row(fields: Sequence[str], header: Sequence[str]) -> list[str]:
    """Return as many fields as the header has where only empty ones are more, as delimiters end lines with."""
    further = [*header[len(fields) :], *fields[len(header) :]]
    return [*fields] if any(further) else [*fields, *further][: len(header)]


def read_delimited(path: Path, wanted: WantedColumns, layout: Layout = PUBLISHED_LAYOUT) -> Iterator[TableRow]:
    """Read the rows below the header, or all where the layout names the columns.

    Raises AuditError, naming the line, at a row with fewer or more fields than the header; and, behind the last row, at
    a quoted field whose lines are rows: they have as many fields, and a cell of each is that of other rows.
    """
    rows, mark = read_csv(read_lines(path, layout.encoding), path, layout), layout.delimiter or ","
    header = layout.columns
    if header is None:
        location, header = next(rows, ("", []))
        if header:
            check_columns(location, wanted, header, rows)
    column_cells: list[set[str]] = [set() for _ in header]
    doubtful: list[tuple[str, list[list[str]]]] = []
    for number, (location, fields) in enumerate(rows):
        row = fields if len(fields) == len(header) else fit_row(fields, header)
        if len(row) != len(header):
            whose = "the header" if layout.columns is None else "`columns`"
            fault, remedy = f"{len(row)} fields where {whose} has {len(header)}", "mend the row"
            with suppress(AuditError):
                rest = [row, *(further for _, further in islice(rows, FOOTER_ROWS))]
                if number and len(rest) <= FOOTER_ROWS and max(map(len, rest)) < len(header):
                    remedy += f", or take out what is below the table: {list_first_cells(row)}"
            raise LayoutError(location, fault, remedy)
        if layout.quotes is None:
            row_text = mark.join(row)
            if "\n" not in row_text:
                for cells, cell in zip(column_cells, row, strict=True):
                    if 0 < len(cell) <= LONGEST_CELL and len(cells) < CELLS_REMEMBERED:
                        cells.add(cell)
            elif {*map(len, lines := [line.split(mark) for line in row_text.splitlines()])} == {len(header)}:
                doubtful.append((location, lines))
        yield location, dict(zip(header, row, strict=True))
    for location, lines in doubtful:
        if any(cells.issuperset(column) for cells, column in zip(column_cells, zip(*lines, strict=True), strict=True)):
            raise AuditError(
                location,
                f"a quoted field holds {len(lines)} lines that look like rows",
                "set `quotes: none` if quotation marks are characters, else `quotes: double`",
            )


def has_rows(path: Path, wanted: WantedColumns, layout: Layout, limit: int | None = None) -> bool:
    """Tell whether the rows of a file, or the first of them, are two columns or more under a layout."""
    with suppress(AuditError):
        widths = (len(row) for _, row in islice(read_delimited(path, wanted, layout), limit))
        return next(widths, 1) > 1 and 1 not in widths
    return False


def find_layout(path: Path, wanted: WantedColumns, layout: Layout) -> Layout | None:
    """Return the first layout near to one that reads every row of a file, None where there is none.

    Lines are skipped only where the first rows cannot be read, and down to a header that has the wanted columns or,
    where none are named, the usual name of a column.
    """
    head = [*islice(read_lines(path, layout.encoding), layout.skip, layout.skip + PREAMBLE)]
    for skip, line in enumerate(head, start=layout.skip):
        if line.startswith("sep="):
            continue  # Excel's, in the place of a header
        usual = any(TEXT_NAMES.fullmatch(name) or name in LABEL_NAMES for name in re.split(r"\W+", line.lower()))
        marks = [layout.delimiter, *OTHER_DELIMITERS] if usual or wanted or skip == layout.skip else []
        for delimiter, (quotes, escape) in product(dict.fromkeys(marks), QUOTE_STYLES):
            tried = layout._replace(delimiter=delimiter, quotes=quotes, escape=escape, skip=skip)
            if has_rows(path, wanted, tried):
                return tried
        if has_rows(path, {}, layout, HEADER_ROWS):
            break
    return None


FORMAT = re.compile(r"\.(?:(csv|tsv|jsonl?)(?:\.gz|\.bz2)?|(parquet|xlsx))$", re.IGNORECASE)
TABLE_ENDINGS = ".csv, .tsv, .json, .jsonl (.gz or .bz2 may follow), .parquet or .xlsx"
PARQUET_BATCH = 512
"""Rows of a Parquet file that are in memory at a time."""

PARQUET, WORKBOOK, JSON = "Parquet (.parquet)", "a workbook (.xlsx) or another zip archive", "JSON (.json)"
WORKBOOK_PART = "xl/workbook.xml"
CONTENTS = {
    PARQUET: rb"PAR1",
    WORKBOOK: rb"PK\x03\x04",
    JSON: rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*["}]',
    "an old workbook (.xls), or one with a password": rb"\xd0\xcf\x11\xe0",
    "packed by xz": rb"\xfd7zXZ",
    "packed by zstd": rb"\x28\xb5\x2f\xfd",
    "a PDF": rb"%PDF-",
    "a web page or XML": rb"(?i)\s*<(!doctype|html|\?xml)",
    "a tar archive": rb"(?s).{257}ustar",
    "an SQLite database": rb"SQLite format 3",
    "a 7z or RAR archive": rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07",
    "an Arrow or Feather file": rb"ARROW1|FEA1",
    "pickled by Python": rb"\x80[\x02-\x05]",
}
"""What a file may be that is named otherwise, with how it begins."""


def find_format(path: str) -> str:
    """Find csv, tsv, json, jsonl, parquet or xlsx by the file's ending in any case; "" for any other ending."""
    match = FORMAT.search(path)
    return (match[1] or match[2]).lower() if match else ""


def name_fields(cells: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Name the fields of an object, and those of objects in it with dots: `data.text` is the `text` of `data`."""
    fields: dict[str, Any] = {}
    for name, value in cells.items():
        fields[f"{before}{name}"] = value
        if isinstance(value, Mapping):
            fields |= name_fields(value, f"{before}{name}.") | fields
    return fields


def list_leaves(fields: Mapping[str, Any]) -> list[str]:
    """List the fields that hold no others."""
    return [name for name, value in fields.items() if not isinstance(value, Mapping)]


Values = Iterator[tuple[str, Any]]
"""What stands in the place of each row, with that place."""


def read_objects(reader: Callable[[], Values], wanted: WantedColumns) -> Iterator[TableRow]:
    """Read the wanted fields of objects, all that hold no others where none is named; None where an object lacks a
    field that another has. reader: reads the file anew.

    Raises AuditError at anything that is no object, and where no object has a wanted field.
    """
    sought = wanted
    for location, row in reader():
        if not isinstance(row, dict):
            raise AuditError(location, "not a JSON object", "give one a line, and the whole of it, or an array of them")
        # most fields are not inside of others, and need no look there
        fields = row if wanted and row.keys() >= {*wanted.values()} else name_fields(row)
        for key, column in sought.items():
            # the file is opened again only where this row lacks the field
            if column not in fields and not any(
                column in name_fields(each) for _, each in reader() if isinstance(each, dict)
            ):
                raise AuditError(location, *describe_columns(key, column, list_leaves(fields)))
        sought = {}
        yield location, {column: fields.get(column) for column in wanted.values() or list_leaves(fields)}


def list_document_rows(document: Any) -> list[Any] | None:
    """Return the rows of one object: its one list of objects, or columns by rows, or rows by columns, as pandas has."""
    match document:
        case {"columns": [*names], "data": [*rows]} if all(isinstance(row, list) for row in rows):
            return [dict(zip(names, row, strict=False)) for row in rows]
        case dict() if document:
            values = [dict(enumerate(value)) if isinstance(value, list) else value for value in document.values()]
        case _:
            return None
    same_keys = all(isinstance(each, dict) and each.keys() == values[0].keys() for each in values)
    lists = [each for each in document.values() if isinstance(each, list) and not {*map(type, each)} - {dict}]
    if not same_keys or [*document.values()] == lists:
        return lists[0] if len(lists) == 1 else None
    if len(values) > len(values[0]):
        return values
    return [{name: each[at] for name, each in zip(document, values, strict=True)} for at in values[0]]


def read_json(path: Path, encoding: str) -> Values:
    """Read what a JSON file has: the elements of an array, the rows of one object, or what each line is; with its
    place.

    Empty lines are skipped; None where a line has no JSON.
    """
    with open_raw(path) as stream:
        if read_beginning(stream, path).removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
            yield from read_array(stream, path, "element", encoding)
            return
        with suppress(ValueError, RecursionError):
            rows = list_document_rows(json.loads(stream.read(LONGEST_LINE).decode(encoding).removeprefix("\ufeff")))
            if rows is not None:
                yield from ((f"{path}, row {number}", row) for number, row in enumerate(rows, start=1))
                return
    for number, line in enumerate(read_lines(path, encoding), start=1):
        if line.strip():
            row = None
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
            yield f"{path}, line {number}", row


def read_parquet_rows(path: Path, wanted: WantedColumns) -> Values:
    """Read the cells of each row, by column, a batch of rows at a time. Raises AuditError as `report_damage` does, at a
    wanted column that stands twice, and at text not in utf-8.
    """
    with report_damage(path), pq.ParquetFile(path, buffer_size=BLOCK_BYTES, pre_buffer=False) as file:
        columns, names = file.schema_arrow.names, [*wanted.values()]
        check_single(path, wanted, columns)
        numbers = count(1)
        # a field inside of others, or a column that is not there, is looked for in all of them
        for batch in file.iter_batches(PARQUET_BATCH, columns=names if names and {*names} <= {*columns} else None):
            for cells in zip(*batch.columns, strict=True):
                location = f"{path}, row {next(numbers)}"
                try:
                    row = {name: cell.as_py() for name, cell in zip(batch.schema.names, cells, strict=True)}
                except UnicodeDecodeError as error:
                    raise AuditError(location, f"not utf-8 ({error.reason})", "convert the file") from error
                yield location, row


UNLABELLED = "-1"
"""What Hugging Face's `datasets` writes in the place of the number of a class where there is none."""


def read_class_names(path: Path, column: str) -> dict[str, str]:
    """Read the names of the classes, by their numbers, that Hugging Face's `datasets` writes beside a column of a
    Parquet file; none where there are none.
    """
    with suppress(OSError, TypeError, KeyError, ValueError):
        described = json.loads(pq.read_schema(path).metadata[b"huggingface"])["info"]["features"][column]
        return {str(number): str(name) for number, name in enumerate(described["names"])}
    return {}


def read_cells(path: Path, layout: Layout) -> Iterator[tuple[int, Sequence[Any]]]:
    """Read the cells of each row of a sheet that is not empty, with its number from 1.

    Raises AuditError where openpyxl is not installed, the file is damaged or the sheet is missing, and where it has
    hardly any rows and there are others.
    """
    try:
        from openpyxl import load_workbook  # imported here, since only this format needs it
    except ImportError as error:
        raise AuditError(
            path,
            ".xlsx needs openpyxl",
            "install it with `python -m pip install openpyxl`, or save the sheet as csv",
        ) from error
    with report_damage(path):
        with zipfile.ZipFile(path) as archive:
            check_unpacked(path, sum(entry.file_size for entry in archive.infolist()))
        try:
            book = load_workbook(path, read_only=True, data_only=True)
        except (KeyError, ValueError) as error:
            raise AuditError(path, f"no workbook can be read from it ({error})", find_remedy(path)) from error
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        title = layout.sheet or next((name for name, each in sheets.items() if each.sheet_state == "visible"), "")
        titles = ", ".join(map(repr, sheets))
        if title not in sheets:
            raise AuditError(path, f"no sheet {title!r}, only {titles}", "set `sheet`")
        # what the file says of its size may be wrong, and cells beyond it would be lost
        sheets[title].reset_dimensions()
        rows = 0
        for number, cells in enumerate(sheets[title].iter_rows(), start=1):
            if number > layout.skip and not all(cell.value is None for cell in cells):
                rows += 1
                yield number, cells
        if rows <= (layout.columns is None) and len(sheets) > 1:
            raise AuditError(path, f"no rows in sheet {title!r}", f"set `sheet` to another one of {titles}")
        book.close()


def read_sheet(path: Path, wanted: WantedColumns, layout: Layout) -> Iterator[TableRow]:
    """Read the rows of a sheet below its header, or all where the layout names the columns; empty rows are skipped.

    Raises AuditError as `read_cells` does, where a column is missing, or a wanted cell has no value but an error.
    """
    header = layout.columns
    for number, cells in read_cells(path, layout):
        location = f"{path}, row {number}"
        if header is None:
            header = ["" if cell.value is None else str(cell.value) for cell in cells]
            check_columns(location, wanted, header)
            continue
        for column, cell in zip(header, cells, strict=False):
            if column in wanted.values() and cell.data_type == "e":
                raise AuditError(location, f"column {column!r} holds Excel's error {cell.value}", "mend the cell")
        yield location, {column: cell and cell.value for column, cell in zip_longest(header, cells[: len(header)])}


def find_sheet_layout(path: Path, wanted: WantedColumns, layout: Layout) -> Layout | None:
    """Return the layout that skips the rows above the header of a sheet; None where none is found.

    It has the wanted columns or, where none are named, more than half as many names as any of the first rows has cells.
    """
    rows = [
        (number, [str(cell.value) for cell in cells if cell.value is not None])
        for number, cells in islice(read_cells(path, layout), PREAMBLE)
    ]
    widest = max((len(names) for _, names in rows), default=0)
    for (above, _), (number, names) in pairwise([(layout.skip, []), *rows]):
        if {*wanted.values()} <= {*names} if wanted else 2 * len(names) > widest:
            return layout._replace(skip=number - 1 if above > layout.skip else layout.skip)
    return None


def check_content(path: Path) -> None:
    """Raise AuditError where a file is of another format than its name says."""
    kind = find_format(path.name)
    with open_raw(path) as stream:
        begins = read_beginning(stream, path)
    expected = {"parquet": PARQUET, "xlsx": WORKBOOK, "json": JSON, "jsonl": JSON}.get(kind)
    content = next((what for what, pattern in CONTENTS.items() if re.match(pattern, begins)), None)
    if not begins.strip() or (content is None and expected == JSON and begins.lstrip().startswith((b"[", b"{"))):
        content = expected  # no content, or JSON of another shape, which the reader names
    if content == WORKBOOK and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if WORKBOOK_PART not in (names := archive.namelist()):
                raise AuditError(path, f"is a zip archive of {list_first_cells(names)}", "unpack it")
    if content != expected:
        readable = content in (None, PARQUET, WORKBOOK, JSON)
        content = content or f"not {expected}, as its name says"
        remedy = "give it the ending of what it is, or save it as csv" if readable else "save it as csv"
        raise AuditError(path, f"is {content}", remedy)


def read_table_rows(path: Path, wanted: WantedColumns, layout: Layout) -> Iterator[TableRow]:
    """Read the rows of a file of any format, in order. wanted: columns by the keys that name them; none: all columns.

    Raises AuditError as the readers of the formats do, with the settings under which every row is read where there are
    such; and where the file is of another format than its name says.
    """
    check_content(path)
    kind = find_format(path.name)
    layout = layout._replace(delimiter=layout.delimiter or DELIMITERS.get(kind))
    try:
        if kind in DELIMITERS:
            rows = read_delimited(path, wanted, layout)
        elif kind == "xlsx":
            rows = read_sheet(path, wanted, layout)
        else:
            parquet, text = partial(read_parquet_rows, path, wanted), partial(read_json, path, layout.encoding)
            rows = read_objects(parquet if kind == "parquet" else text, wanted)
        yield from refuse_headers(rows)
    except EncodingError as error:
        raise AuditError(error.place, error.fault, name_encoding(path, layout.encoding)) from error
    except LayoutError as error:
        find = find_sheet_layout if kind == "xlsx" else find_layout
        tried = (find(path, each, layout) for each in (wanted, {}) if kind in (*DELIMITERS, "xlsx"))
        keys = zip(layout._fields, layout, next(filter(None, tried), layout), strict=True)
        changed = [f"`{key}: {new if key == 'quotes' else json.dumps(new)}`" for key, old, new in keys if old != new]
        more = f", or set {' and '.join(changed)}, which reads every row" if changed else ""
        raise AuditError(error.place, error.fault, f"{error.remedy}{more}") from error
