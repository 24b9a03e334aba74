"""The files of readouts from elsewhere, .parquet or .npz, which docs/readouts.md describes for users; and the section
of the configuration that names them.
"""

import zipfile
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field, field_validator, model_validator

from attention_audit.artefacts.files import whole
from attention_audit.contrasts import ADVERSARIES, UNIFORM
from attention_audit.errors import AuditError
from attention_audit.given.arrays import entries, integers, numbers, readout
from attention_audit.given.readouts import GivenReadout, at, check
from attention_audit.section import Name, OwnPath, Section, refuse_duplicates

ENDINGS = (".parquet", ".npz")
NEEDED = ("id", "tokens", "label", "attention", "probabilities")
ADDED = ("contribution", "bias")
FURTHER = ("map_names", "maps")
"""The columns of a Parquet file, those that a map has from which predictions follow, and those of further maps; an .npz
file has the same arrays, and `lengths`.
"""
EVIDENCE, LENGTHS, CONTRIBUTION = "evidence", "lengths", "contribution"
WORD_AXES = {"tokens": -1, "attention": -1, CONTRIBUTION: 0, "maps": -1, EVIDENCE: -1}
"""The axis of the words in each array of an .npz file that has one; behind it contributions have one of outputs."""


def _refuse_missing(place: str, named: Sequence[str], *further: str) -> None:
    """Raise AuditError where a file lacks a column that it must have: of `ADDED` and of `FURTHER` both or none."""
    added = chain.from_iterable(both for both in (ADDED, FURTHER) if {*both} & {*named})
    if missing := [name for name in (*NEEDED, *added, *further) if name not in named]:
        raise AuditError(f"{place}: column {missing[0]} is missing (it has {', '.join(named)}); add it")


def _take_readout(place: str, columns: Mapping[str, Any]) -> GivenReadout:
    """Make a readout of the columns of a file, each with an entry a text, but for the names of its maps."""
    named, maps = [*map(str, columns.get("map_names", ()))], columns.get("maps", ())
    scores = [numbers(each, at(place, str(id_), "maps")) for id_, each in zip(columns["id"], maps, strict=False)]
    if len({*named}) < len(named) or any(len(each) != len(named) for each in scores):
        raise AuditError(f"{place}: columns {' and '.join(FURTHER)} do not fit; give each map one name of its own")
    given: list[Any] = [columns.get(name) for name in ("tokens", "attention", *ADDED, "label", "probabilities")]
    maps = dict(zip(named, map(list, zip(*scores, strict=True)), strict=True))
    return readout(*given, ids=columns["id"], evidence=columns.get(EVIDENCE), maps=maps, name=place)


def _list_nested(cell: Any) -> Any:
    """List arrays within an array, and words; numbers along one axis stay an array."""
    return cell.tolist() if isinstance(cell, np.ndarray) and (cell.ndim > 1 or cell.dtype == object) else cell


def _from_parquet(path: Path, place: str) -> GivenReadout:
    try:
        with pq.ParquetFile(path) as file:
            named = file.schema_arrow.names
            _refuse_missing(place, named)
            table = file.read([name for name in (*NEEDED, *ADDED, *FURTHER, EVIDENCE) if name in named])
        columns = {name: [*map(_list_nested, table[name].to_numpy())] for name in table.column_names}
    except (OSError, pa.ArrowException) as error:
        raise AuditError(f"{place}: cannot be read as Parquet ({error}); write it anew") from error
    if not len(table):
        raise AuditError(f"{place}: has no text; give some")
    if "map_names" in columns:
        first, *others = (entries(names, f"{place}: column map_names") for names in columns["map_names"])
        if any(names != first for names in others):
            raise AuditError(f"{place}: column map_names differs between texts; give the same names for each text")
        columns["map_names"] = first
    return _take_readout(place, columns)


def _from_npz(path: Path, place: str) -> GivenReadout:
    arrays: dict[str, Any] = {}
    try:
        opened = np.load(path, allow_pickle=False)
        if isinstance(opened, np.ndarray):
            raise AuditError(f"{place}: holds one array and not several; write it with numpy.savez")
        with opened as file:
            _refuse_missing(place, file.files, LENGTHS)
            for name in {LENGTHS, *NEEDED, *ADDED, *FURTHER, EVIDENCE} & {*file.files}:
                try:
                    arrays[name] = np.atleast_1d(file[name])
                except ValueError as error:
                    raise AuditError(
                        f"{place}: column {name} holds objects of Python; give arrays of plain types"
                    ) from error
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        raise AuditError(f"{place}: cannot be read as .npz ({error}); write it anew") from error
    lengths = integers(arrays[LENGTHS], f"{place}: column {LENGTHS}")
    if not lengths:
        raise AuditError(f"{place}: has no text; give some")
    if min(lengths) < 0:
        raise AuditError(f"{place}: column {LENGTHS} holds {min(lengths)}; give counts of words")
    for name in WORD_AXES.keys() & arrays.keys():
        axis = WORD_AXES[name]
        if (count := arrays[name].shape[axis]) != sum(lengths):
            fault = f"has {count} entries, and `lengths` counts {sum(lengths)} words; give each word one"
            raise AuditError(f"{place}: column {name} {fault}")
        arrays[name] = np.split(arrays[name], np.cumsum(lengths)[:-1], axis)
    arrays["tokens"] = [words.tolist() for words in arrays["tokens"]]
    if EVIDENCE in arrays:
        if arrays[EVIDENCE][0].dtype.kind != "b":
            raise AuditError(f"{place}: column {EVIDENCE} is not true or false a word; give it so")
        arrays[EVIDENCE] = [*map(np.flatnonzero, arrays[EVIDENCE])]
    return _take_readout(place, arrays)


def read_given(path: Path, place: str = "") -> GivenReadout:
    """Read and check a readout from elsewhere. place: what messages call it, by default the path.

    Raises AuditError, in a line that names file, text and column, where it is not as docs/readouts.md says.
    """
    named = place or str(path)
    if not path.is_file():
        raise AuditError(f"{named}: no such file; put it there, or name its place")
    if not path.name.endswith(ENDINGS):
        raise AuditError(f"{named}: does not end in {' or '.join(ENDINGS)}; save it in one of these formats")
    return (_from_parquet if path.suffix == ".parquet" else _from_npz)(path, named)


def write_given(given: GivenReadout, path: Path) -> None:
    """Check a readout, and write it as .parquet or .npz, by the ending of the path; whole or not at all.

    Raises AuditError where it is wrong, where the ending is another one, or where the file cannot be written.
    """
    if not path.name.endswith(ENDINGS):
        raise AuditError(f"{path}: does not end in {' or '.join(ENDINGS)}; name it so")
    check(given)
    columns: dict[str, Any] = {
        "id": given.ids,
        "tokens": given.tokens,
        "label": given.labels,
        "attention": given.attention,
        **({CONTRIBUTION: given.contribution, "bias": given.bias} if given.decided else {}),
        "probabilities": given.probabilities,
    }
    if given.maps:
        columns["maps"] = [np.stack(scores) for scores in zip(*given.maps.values(), strict=True)]
    with whole(path) as temporary, temporary.open("wb") as stream:
        if path.suffix == ".parquet":
            columns = {name: [*map(_list_nested, values)] for name, values in columns.items()}
            columns[EVIDENCE] = pa.array(given.evidence, pa.list_(pa.int64()))
            if given.maps:
                columns["map_names"] = [[*given.maps]] * len(given)
            pq.write_table(pa.table(columns), stream, compression="zstd")
        else:
            known = zip(given.tokens, given.evidence, strict=True)
            columns[EVIDENCE] = [np.isin(np.arange(len(words)), positions or []) for words, positions in known]
            arrays: dict[str, Any] = {
                name: np.concatenate(values, WORD_AXES[name]) if name in WORD_AXES else np.asarray(values)
                for name, values in columns.items()
            }
            arrays[LENGTHS] = np.array([*map(len, given.tokens)])
            if given.maps:
                arrays["map_names"] = np.array([*given.maps])
            np.savez_compressed(stream, **arrays)


class GivenModels(Section):
    """The readouts of your own models on one data set, one file a training, which is a .parquet or .npz file."""

    models: dict[Name, list[OwnPath]] = Field(min_length=1)
    """The models in question by names of yours, each with the file of each of its trainings. The first model is the one
    that `uniform` and `adversaries` belong to.
    """
    uniform: list[OwnPath] = Field(default_factory=list)
    """Files of the first model's twin, which was trained with uniform weights in place of attention."""
    adversaries: list[OwnPath] = Field(default_factory=list)
    """Files of adversaries of the first model, which were trained to predict as its first training does and to attend
    elsewhere.
    """
    classes: list[str] | None = Field(None, min_length=2)
    """Names of the classes, from class 0 on; null: their numbers."""

    @property
    def by_model(self) -> dict[str, list[str]]:
        """The files of every model, by its name in paths."""
        others = {UNIFORM: self.uniform, ADVERSARIES: self.adversaries}
        return self.models | {name: files for name, files in others.items() if files}

    @property
    def first(self) -> str:
        """The file of the first training of the first model, which has the texts."""
        return next(iter(self.models.values()))[0]

    @field_validator("models")
    @classmethod
    def _named(cls, models: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, files in models.items():
            if name in (UNIFORM, ADVERSARIES):
                raise ValueError(f"{name!r} is no model in question; use the key `{name}` beside `models`")
            if not files:
                raise ValueError(f"{name!r} has no file; name one for each of its trainings")
        return models

    @field_validator("classes")
    @classmethod
    def _distinct(cls, classes: list[str] | None) -> list[str] | None:
        refuse_duplicates("class", classes or [])
        return classes

    @model_validator(mode="after")
    def _files(self) -> Self:
        every = [*chain.from_iterable(self.by_model.values())]
        refuse_duplicates("file", every)
        if unknown := [path for path in every if not path.endswith(ENDINGS)]:
            raise ValueError(f"{unknown[0]!r} does not end in {' or '.join(ENDINGS)}; save it in one of these formats")
        return self
