"""The user's own texts: a csv, tsv, json, jsonl, Parquet or xlsx file, or one such file for each split; and those of a
readout from elsewhere, on which nothing is trained.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from attention_audit.errors import AuditError
from attention_audit.given import GivenReadout, list_class_names
from attention_audit.given.files import read_given_readout
from attention_audit.section import Distinct, Name, OwnPath
from attention_audit.transformer.outputs import SAID

from ..rationales import Evidence, mark_words, read_annotations
from ..raw import Layout, Quotes, add_masks, read_mask
from ..source import FILE_NAME, RawFiles, RawSource, RemoteFile
from ..tabular import DELIMITERS, TABLE_ENDINGS, find_format, read_table_rows
from ..text import SPLITS, Label, Text, Texts, is_missing, label_text

ADDRESS = re.compile(r"https?://[^\s\[\]]+")
CHECKSUM = re.compile("[0-9a-f]{64}")
ALIASES = {"validation": "dev", "valid": "dev", "val": "dev"}


def index_fields(files: str | Mapping[str, str] | None) -> dict[str, str]:
    """Index what a key says of one file by `path`, or of several by their splits; nothing where it is not set."""
    return {"path": files} if isinstance(files, str) else dict(files or {})


def name_file(url: str) -> str:
    """Name the file at an address by the last part of its path; "" where that is no name of a file."""
    name = urlsplit(url).path.rpartition("/")[2]
    return name if re.fullmatch(FILE_NAME, name) else ""


def read_text(location: str, row: Mapping[str, Any], column: str) -> str:
    """Read the text in a cell; "" where it is empty. Raises AuditError where the cell has a number or the like."""
    cell = row[column]
    if is_missing(cell):
        return ""
    if not isinstance(cell, str):
        raise AuditError(
            location, f"column {column!r} holds {cell!r:.50}, which is no text", "name another column, or mend it"
        )
    try:
        cell.encode()
    except UnicodeEncodeError as error:
        fault = f"column {column!r} holds half a character ({error.reason})"
        raise AuditError(location, fault, "mend the row") from error
    return cell


def read_short(location: str, row: Mapping[str, Any], column: str | None) -> str | None:
    """Read a label, split, id or group, perhaps a number, as stripped text; None where it, or its column, is missing.

    Raises AuditError at a list, an object and the like.
    """
    if column is None:
        return None
    cell = row[column]
    if isinstance(cell, Decimal):
        cell = float(cell)
    if isinstance(cell, bool | int | float) and not is_missing(cell):
        return str(label_text(cell))
    if isinstance(cell, list):
        fault = f"column {column!r} holds {cell!r:.50}, which is no text"
        raise AuditError(location, fault, "give each row one, not a list, or name another column")
    return read_text(location, row, column).strip() or None


def read_labels(cell: Any) -> list[str]:
    """Read all labels of a text from a cell: a list of them, or their names parted by |; an empty one has none."""
    entries = [] if is_missing(cell) else cell if isinstance(cell, list) else str(label_text(cell)).split("|")
    return [name for name in (str(label_text(entry)).strip() for entry in entries) if name]


class TableCorpus(RawSource):
    """The user's own texts, or pairs of texts, in the columns of a table."""

    maskable: ClassVar[bool] = True

    kind: Literal["table"]
    """table: your own csv, tsv, json or jsonl (or .gz or .bz2 of them), Parquet or xlsx file."""
    path: OwnPath | dict[str, OwnPath] | None = None
    """The file; or one for each of train, dev and test, of which dev and test can be left out. For classifiers that are
    given (`hf`), test alone will do. null: `url` says where it is.
    """
    url: str | dict[str, str] | None = None
    """The address of the file, or one for each split, in place of `path`: it is fetched, or taken from a mirror, which
    has it as `<data set>/<name of the file>`.
    """
    sha256: str | dict[str, str] | None = None
    """The checksum of the file at `url`, or one for each split; null: that of the fetched file is only recorded."""
    text: str = "text"
    """Column of the texts; in JSON and Parquet `data.text` is `text` of `data`."""
    label: str | None = "label"
    """Column of the labels: texts, numbers or true and false. 1 and 1.0 are the same label. null: nobody knows them, so
    that nothing is trained on these texts; classifiers that are given (`hf`) read them, and name the classes.
    """
    labels: str | None = None
    """In the place of `label`, the column of all labels of a text, of which `targets` of `hf` ask: a list, or names
    parted by |, as in `joy|love`; in an empty cell there are none. null: not known.
    """
    query: str | None = None
    """Column of second texts, which makes pairs; null: single texts."""
    split: str | None = None
    """Column that says train, dev (or validation, valid, val) or test; empty cells: to be drawn."""
    id: str | None = None
    """Column of ids; null: `<data set>-<row>`."""
    group: str | None = None
    """Column that says which texts belong together, such as those of one author; empty cells, and null: texts that
    stand for themselves.
    """
    evidence: Evidence | None = None
    """Columns of the words that people marked; null: none."""
    classes: Distinct[Label] | None = Field(None, min_length=2)
    """Labels, by class; null: by numbers in them, then by letters."""
    aliases: dict[Label, Label] = {}
    """The label as which another one is read, as in `{Positive: positive, "01": 1}`."""
    missing: list[Label] | None = None
    """Labels that stand for none, as in `[nan, n/a]`: rows with them, or without a label, are left out and counted.
    null: none, with a warning where a label looks like one; []: none.
    """
    drop_unlabelled: bool = False
    """Leave out rows without a label; false: such a row ends the run."""
    delimiter: str | None = None
    """What separates the fields of a csv or tsv file; null: a comma in csv, a tab in tsv."""
    columns: Distinct[str] | None = None
    """Names of all columns of a file without a header; null: its first row names them."""
    quotes: Quotes | None = None
    """Marks around fields; none: quotation marks are characters; null: double, but a field whose lines look like rows
    ends the run.
    """
    escape: str | None = None
    """What makes a character of the quotation mark behind it; null: another mark."""
    skip: int = Field(0, ge=0)
    """Lines, or rows of a sheet, before the header, or the first row."""
    encoding: str = "utf-8"
    """Encoding, as Python names it."""
    sheet: str | None = None
    """Sheet of an xlsx file; null: the first."""

    @field_validator("path", "url", mode="before")
    @classmethod
    def _refuse_several(cls, files: Any) -> Any:
        """Return the files. Raises ValueError at several that are to be one split, and at an address as `path`."""
        for path in files.values() if isinstance(files, Mapping) else [files]:
            is_pattern = isinstance(path, str) and {*path} & {*"*?"} and not ADDRESS.match(path)
            if isinstance(path, list) or (is_pattern and not os.path.exists(path)):
                fault = "is several files; join them to one, since one file is read for each split"
                raise ValueError(f"{path!r:.80} {fault}")
        return files

    @field_validator("path")
    @classmethod
    def _refuse_address(cls, path: Any) -> Any:
        if addresses := [each for each in index_fields(path).values() if ADDRESS.fullmatch(each)]:
            raise ValueError(f"{addresses[0]!r} is an address; name it as `url`")
        return path

    @field_validator("delimiter", "escape")
    @classmethod
    def _check_mark(cls, mark: str | None) -> str | None:
        if mark is not None and (len(mark) != 1 or mark in '"\r\n '):
            raise ValueError(f'{mark!r} separates no fields; give one character, such as ";"')
        return mark

    @field_validator("encoding")
    @classmethod
    def _check_encoding(cls, encoding: str) -> str:
        try:
            plain = b"a\n".decode(encoding, "replace") == "a\n"
        except LookupError as error:
            raise ValueError(f"unknown encoding {encoding!r}; common ones: utf-8, cp1252, latin-1, gb18030") from error
        if not plain:
            raise ValueError(f"{encoding} has line ends of its own; convert the file to utf-8")
        return encoding

    @model_validator(mode="after")
    def _check_addresses(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise ValueError("give either `path`, for a file of your own, or `url`, for one that is fetched")
        if self.sha256 is not None and self.url is None:
            raise ValueError("sha256: only for a file that is fetched from a `url`; leave it out")
        if not index_fields(self.sha256).keys() <= self._tables.keys():
            raise ValueError("sha256: give one checksum for one `url`, or one for each split that `url` names")
        for key, form, fault in (
            ("url", ADDRESS, "no address; write it as https://<host>/<path>"),
            ("sha256", CHECKSUM, "no checksum; write its 64 digits, 0 to 9 and a to f"),
        ):
            if wrong := [text for text in index_fields(getattr(self, key)).values() if not form.fullmatch(text)]:
                raise ValueError(f"{key}: {wrong[0]!r} is {fault}")
        # all are fetched to one folder
        names = Counter(map(name_file, index_fields(self.url).values()))
        if twice := [name for name, count in names.items() if name and count > 1]:
            raise ValueError(f"url: two files are called {twice[0]!r}; download them, and name them as `path`")
        return self

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        if not self.labelled and (self.trained or self.trained_on) and not self.label_names:
            fault = "nobody knows them, so that nothing is trained on these texts"
            remedy = "name all `labels` in `classes`, or " * (self.labels is not None)
            raise ValueError(f"label: {fault}; {remedy}give the file for test alone, as `path: {{test: <file>}}`")
        return self

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        if gone := [label for label in self.classes or [] if self.name_class(label) != label]:
            raise ValueError(f"classes: {gone[0]!r} is named in `aliases` or `missing` too; leave it out of one")
        key = "path" if self.url is None else "url"
        if "path" not in self._tables:
            if unknown := [split for split in self._tables if split not in SPLITS]:
                raise ValueError(f"{key}: unknown split {unknown[0]!r}; known: {', '.join(SPLITS)}")
            if "train" not in self._tables and [*self._tables] != ["test"]:
                raise ValueError(f"{key}: no file for train; give one, or a file for test alone")
            if self.split is not None:
                raise ValueError("give either one file for each split, or a column `split`")
        if self.block is not None and self.block.files and {*self.block.files} != {*self._tables}:
            raise ValueError(f"block: give a mask file for each file of texts: {', '.join(self._tables)}")
        kinds = {path: find_format(path if self.url is None else name_file(path)) for path in self._tables.values()}
        if unreadable := [path for path, kind in kinds.items() if not kind]:
            raise ValueError(
                f"{key}: {unreadable[0]!r} does not end in {TABLE_ENDINGS}; name the file itself, or save it in one "
                "of these formats"
            )
        flat = {key: {*DELIMITERS} for key in ("delimiter", "quotes", "escape")}
        rows = {key: {*DELIMITERS, "xlsx"} for key in ("columns", "skip")}
        for key, formats in (flat | rows | {"sheet": {"xlsx"}}).items():
            if getattr(self, key) and not formats & {*kinds.values()}:
                raise ValueError(
                    f"{key}: only for {', '.join(sorted(formats))}, and {next(iter(kinds))} is none; remove it"
                )
        if self.label == self.text:
            raise ValueError(f"text and label are the same column, {self.text!r}; name another for one of them")
        for key, column in self.wanted.items():
            if self.columns is not None and column not in self.columns:
                raise ValueError(f"columns: {column!r}, which `{key}` names, is not among them; name it there")
        return self

    @property
    def wanted(self) -> dict[str, str]:
        """Return the columns that are read, by the keys that name them."""
        columns = {key: getattr(self, key) for key in ("text", "labels", "query", "split", "id", "group")}
        columns["label"] = self.label if self.labelled else None
        columns["block"] = self.block.column if self.block else None
        names = self.evidence.names if self.evidence else []
        for number, name in enumerate(names):
            columns[f"evidence.columns[{number}]" if len(names) > 1 else "evidence.columns"] = name
        return {key: column for key, column in columns.items() if column is not None}

    @property
    def trained(self) -> bool:
        """Return whether there are more than test texts."""
        return [*self._tables] != ["test"]

    @property
    def labelled(self) -> bool:
        """Return whether its texts have labels; else nobody knows them."""
        return self.label is not None and self.labels is None

    @property
    def label_names(self) -> list[str]:
        """List the labels of the column `labels`, where they are named."""
        return (self.classes or []) if self.labels is not None else []

    @property
    def class_order(self) -> list[str] | None:
        """Return the classes, which of several labels are whether a text has one."""
        return [*SAID] if self.labels is not None else super().class_order

    def name_class(self, label: str | None) -> str | None:
        """Name the class of a label of the file; None where it is missing."""
        name = self.aliases.get(label or "", label)
        return None if {label, name} & {*(self.missing or ())} else name

    @property
    def _tables(self) -> dict[str, str]:
        """Return path or address of the file as `path`; or those of the files by split."""
        return index_fields(self.path if self.url is None else self.url)

    def remote_files(self) -> dict[str, RemoteFile]:
        """List the file at `url` as `path`, or the files by split."""
        checksums = index_fields(self.sha256)
        return {
            field: RemoteFile(file=name_file(address), url=address, sha256=checksums.get(field))
            for field, address in index_fields(self.url).items()
        }

    def local_files(self) -> dict[str, str]:
        """List the file as `path`, or the files by split; and those of masks, which begin with `block-`."""
        masks = self.block.files if self.block else {}
        return index_fields(self.path) | {f"block-{field}": path for field, path in masks.items()}

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all rows; where unlabelled ones may be left out, their label is None. Ids are those of the column `id`,
        else <name>-<row>, or <name>-<split>-<row> with several files.

        Raises AuditError, naming file and row, where a column or a cell is missing or not what it must be.
        """
        for field in self._tables:
            yield from add_masks(self._read_texts(name, field, raw[field]), raw.get(f"block-{field}"))

    def _read_texts(self, name: str, field: str, path: Path) -> Texts:
        """Read the texts of one file."""
        wanted, number = self.wanted, 0
        layout = Layout(*(getattr(self, key) for key in Layout._fields))
        own_field = "" if field == "path" else field
        for number, (location, row) in enumerate(read_table_rows(path, wanted, layout), start=1):
            label = self.name_class(label_text(read_short(location, row, wanted.get("label"))))
            if self.labelled and label is None and not (self.drop_unlabelled or self.missing):
                remedy = "give it one, or leave such rows out with `drop_unlabelled: true`"
                raise AuditError(location, f"no label in column {self.label!r}", remedy)
            id_ = read_short(location, row, self.id)
            if self.id is not None and id_ is None:
                raise AuditError(location, f"no id in column {self.id!r}", "give it one")
            split = (read_short(location, row, self.split) or "").lower()
            query = None if self.query is None else read_text(location, row, self.query)
            text = read_text(location, row, self.text)
            block = wanted.get("block")
            yield Text(
                id_ or "-".join(filter(None, [name, own_field, f"{number:07d}"])),
                ALIASES.get(split, split) or own_field or None,
                label,
                text,
                location,
                query=query,
                annotations=read_annotations(location, text, row, self.evidence) if self.evidence else None,
                mask=read_mask(row[block], f"{location}: column {block!r}") if block else None,
                group=read_short(location, row, self.group),
                labels=None if self.labels is None else read_labels(row[self.labels]),
            )
        if not number:
            raise AuditError(str(path), "no rows in it", "give it texts, below a header if it is csv or tsv")


READOUT_ANNOTATOR = "evidence"
"""Who marked the words: the file of the readout, in its column of that name."""


def list_given_texts(readout: GivenReadout, classes: Sequence[str]) -> Texts:
    """List the texts of a readout, in order, with the names of their classes."""
    columns = (readout.ids, readout.labels, readout.words, readout.items, readout.evidence)
    for id_, label, words, (places, _), evidence in zip(*columns, strict=True):
        marked = None if evidence is None else [places.index(at) for at in evidence]
        annotations = None if marked is None else mark_words(READOUT_ANNOTATOR, marked)
        yield Text(id_, "test", classes[label], words, f"{readout.place}: text {id_!r}", annotations=annotations)


class ReadoutCorpus(RawSource):
    """The words, labels and evidence of a readout, as a test split. The section `own` makes such an entry."""

    kind: Literal["readout"]
    """readout: the texts of a readout of your own; `own` makes this entry."""
    path: OwnPath
    """The .parquet or .npz file of the readout."""
    classes: list[str] | None = Field(None, min_length=2)
    """Names of the classes; null: their numbers."""
    vectors: Name | None = "random"
    """Nothing is trained on these texts, so they need no vectors."""
    annotated = True

    @property
    def trained(self) -> bool:
        """Return that there are readouts alone."""
        return False

    def local_files(self) -> dict[str, str]:
        """List the file of the user."""
        return {"path": self.path}

    def name_classes(self, name: str, readout: GivenReadout) -> list[str]:
        """Name the classes. Raises AuditError where there are others than are named."""
        return list_class_names(self.classes, readout.classes, f"own.{name}.classes")

    def list_classes(self, name: str, raw: RawFiles) -> list[str]:
        """List the classes of the readout, some of which may be no text's."""
        return self.name_classes(name, read_given_readout(raw["path"]))

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the texts in order. Raises AuditError where the readout is wrong, or has other classes than named."""
        readout = read_given_readout(raw["path"])
        yield from list_given_texts(readout, self.name_classes(name, readout))
