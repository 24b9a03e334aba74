"""The user's own texts: a csv, tsv, jsonl or Parquet file, or one such file for each split."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import pyarrow.parquet as pq
from pydantic import Field, field_validator, model_validator

from attention_audit.corpus.raw import BLOCK, csv_rows, lines, opened, reading
from attention_audit.corpus.source import RawSource
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError
from attention_audit.section import refuse_duplicates

Row = tuple[str, Mapping[str, Any]]
"""The place of a row for messages, and its cells by column."""

FORMAT = re.compile(r"\.(?:(csv|tsv|jsonl)(?:\.gz)?|(parquet))$")
DELIMITERS = {"csv": ",", "tsv": "\t"}
ALIASES = {"validation": "dev", "valid": "dev", "val": "dev"}
BATCH = 512
"""Rows of a Parquet file that are in memory at a time."""
SHOWN = 20
"""How many columns a message names."""


def format_of(path: str) -> str | None:
    """csv, tsv, jsonl or parquet, by the file's ending; None for any other ending."""
    match = FORMAT.search(path)
    return match and (match[1] or match[2])


def check_columns(where: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    """Raises AuditError at a wanted column that does not exist, or that exists twice."""
    for column in wanted:
        if column not in there:
            more = ", ..." if len(there) > SHOWN else ""
            known = ", ".join(map(repr, there[:SHOWN])) + more
            raise AuditError(f"{where}: no column {column!r}, only {known}; name one of these in the config, or add it")
        if there.count(column) > 1:
            raise AuditError(f"{where}: more than one column {column!r}; rename the others")


def delimited_rows(text: Iterable[str], where: str, wanted: Sequence[str], delimiter: str) -> Iterator[Row]:
    """The rows below the header. Raises AuditError, naming the line, at a row with fewer or more fields than it."""
    rows = csv_rows(text, where, delimiter)
    place, header = next(rows, (where, []))
    if header:
        check_columns(place, wanted, header)
    for place, row in rows:
        if len(row) != len(header):
            raise AuditError(f"{place}: {len(row)} fields where the header has {len(header)}; mend the row")
        yield place, dict(zip(header, row, strict=True))


def json_rows(text: Iterable[str], where: str, wanted: Sequence[str]) -> Iterator[Row]:
    """One JSON object on each line; empty lines are skipped. Raises AuditError, naming the line, at anything else."""
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        place = f"{where}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise AuditError(f"{place}: not a JSON object; give one a line, and the whole of it")
        check_columns(place, wanted, list(row))
        yield place, row


def parquet_rows(path: Path, wanted: Sequence[str]) -> Iterator[Row]:
    """The wanted columns, a batch of rows at a time. Raises AuditError as `reading` does, and at text not in utf-8."""
    number = 0
    with reading(path), pq.ParquetFile(path, buffer_size=BLOCK, pre_buffer=False) as file:
        check_columns(str(path), wanted, file.schema_arrow.names)
        for batch in file.iter_batches(BATCH, columns=list(wanted)):
            for cells in zip(*(batch[column] for column in wanted), strict=True):
                number += 1
                place = f"{path}, row {number}"
                try:
                    row = {column: cell.as_py() for column, cell in zip(wanted, cells, strict=True)}
                except UnicodeDecodeError as error:
                    raise AuditError(f"{place}: not utf-8 ({error.reason}); convert the file") from error
                yield place, row


def table_rows(path: Path, encoding: str, wanted: Sequence[str]) -> Iterator[Row]:
    """The rows of a file of any format, in order. Raises AuditError as the readers of the formats do."""
    kind = format_of(path.name)
    if kind == "parquet":
        yield from parquet_rows(path, wanted)
        return
    with opened(path) as stream:
        text = lines(stream, str(path), encoding)
        if kind == "jsonl":
            yield from json_rows(text, str(path), wanted)
        else:
            yield from delimited_rows(text, str(path), wanted, DELIMITERS[str(kind)])


def running_text(place: str, row: Mapping[str, Any], column: str) -> str:
    """The text in a cell; "" where the cell is empty. Raises AuditError where the cell has a number or the like."""
    cell = row[column]
    if cell is None:
        return ""
    if not isinstance(cell, str):
        raise AuditError(
            f"{place}: column {column!r} holds {cell!r:.50}, which is no text; name another column, or mend it"
        )
    try:
        cell.encode()
    except UnicodeEncodeError as error:
        raise AuditError(f"{place}: column {column!r} holds half a character ({error.reason}); mend the row") from error
    return cell


def short_text(place: str, row: Mapping[str, Any], column: str) -> str | None:
    """A label, split or id, which may be a number, as stripped text; None where it is missing.

    Raises AuditError at a list, an object and the like.
    """
    cell = row[column]
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return str(int(cell) if cell == cell // 1 else cell)
    return running_text(place, row, column).strip() or None


class TableCorpus(RawSource):
    """The user's own texts, or pairs of texts, in the columns of a table."""

    kind: Literal["table"] = Field(description="table: your own csv, tsv or jsonl (or .gz of them) or Parquet file.")
    path: str | dict[str, str] = Field(
        description="The file; or one for each of train, dev and test, of which the last two can be left out."
    )
    text: str = Field("text", description="Column of the texts.")
    label: str = Field("label", description="Column of the labels: texts, whole numbers or true and false.")
    query: str | None = Field(None, description="Column of second texts, which makes pairs; null: single texts.")
    split: str | None = Field(
        None, description="Column that says train, dev (or validation, valid, val) or test; empty cells: to be drawn."
    )
    id: str | None = Field(None, description="Column of ids; null: <data set>-<row>.")
    classes: list[str] | None = Field(None, min_length=2, description="Labels, by class; null: sorted, as found.")
    encoding: str = Field("utf-8", description="Encoding of a csv, tsv or jsonl file, as Python names it.")

    @field_validator("classes")
    @classmethod
    def _distinct(cls, classes: list[str] | None) -> list[str] | None:
        refuse_duplicates("class", classes or [])
        return classes

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str) -> str:
        try:
            plain = b"a\n".decode(encoding, "replace") == "a\n"
        except LookupError as error:
            raise ValueError(f"unknown encoding {encoding!r}; common ones: utf-8, cp1252, latin-1, gb18030") from error
        if not plain:
            raise ValueError(f"{encoding} has line ends of its own; convert the file to utf-8")
        return encoding

    @model_validator(mode="after")
    def _files(self) -> Self:
        if not isinstance(self.path, str):
            if unknown := [split for split in self.path if split not in SPLITS]:
                raise ValueError(f"path: unknown split {unknown[0]!r}; known: {', '.join(SPLITS)}")
            if "train" not in self.path:
                raise ValueError("path: no file for train; give one")
            if self.split is not None:
                raise ValueError("give either one file for each split, or a column `split`")
        for path in self.local_files().values():
            if not format_of(path):
                raise ValueError(
                    f"path: {path!r} does not end in .csv, .tsv, .jsonl (or .gz after them) or .parquet; rename it"
                )
        return self

    @property
    def pair(self) -> bool:
        """Whether there is a column of second texts."""
        return self.query is not None

    @property
    def class_order(self) -> list[str] | None:
        """The classes that the configuration names."""
        return self.classes

    def local_files(self) -> dict[str, str]:
        """The file as `path`; or the files by split."""
        return {"path": self.path} if isinstance(self.path, str) else dict(self.path)

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All rows. Ids are those of the column `id`, else <name>-<row>, or <name>-<split>-<row> with several files.

        Raises AuditError, naming file and row, where a column or a cell is missing or not what it must be.
        """
        columns = [self.text, self.label, self.query, self.split, self.id]
        wanted = list(dict.fromkeys(column for column in columns if column is not None))
        for field in self.local_files():
            number = 0
            for number, (place, row) in enumerate(table_rows(raw[field], self.encoding, wanted), start=1):
                yield self._text(name, field, number, place, row)
            if not number:
                raise AuditError(f"{raw[field]}: no rows in it; give it texts, below a header if it is csv or tsv")

    def _text(self, name: str, field: str, number: int, place: str, row: Mapping[str, Any]) -> Text:
        label = short_text(place, row, self.label)
        if label is None:
            raise AuditError(f"{place}: no label in column {self.label!r}; give it one, or leave the row out")
        id_ = f"{name}-{number:07d}" if field == "path" else f"{name}-{field}-{number:07d}"
        if self.id is not None:
            own_id = short_text(place, row, self.id)
            if own_id is None:
                raise AuditError(f"{place}: no id in column {self.id!r}; give it one")
            id_ = own_id
        split = field if field != "path" else None
        if self.split is not None:
            name_of_split = (short_text(place, row, self.split) or "").lower()
            split = ALIASES.get(name_of_split, name_of_split) or None
        query = None if self.query is None else running_text(place, row, self.query)
        return Text(id_, split, label, running_text(place, row, self.text), place, query=query)
