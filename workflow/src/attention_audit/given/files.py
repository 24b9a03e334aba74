"""The files of readouts from elsewhere, .parquet or .npz, which docs/readouts.md describes for users; and the section
of the configuration that names them.
"""

import zipfile
from collections.abc import Sequence
from itertools import chain
from os.path import normpath
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field, model_validator

from attention_audit.artefacts.files import write_whole
from attention_audit.contrasts import GivenSection
from attention_audit.errors import AuditError
from attention_audit.section import Distinct, Name, OwnPath, refuse_duplicates

from . import (
    A_READOUT,
    GivenReadout,
    check_path,
    check_readout,
    convert_numbers,
    list_integers,
    make_list,
    name_column,
    readout,
    refuse_kind,
)

READOUT_ENDINGS = (".parquet", ".npz")
REQUIRED_COLUMNS = ("id", "tokens", "label", "attention", "probabilities")
CONTRIBUTION_COLUMNS = ("contribution", "bias")
MAP_COLUMNS = ("map_names", "maps")
"""The columns of a Parquet file, those that a map has from which predictions follow, and those of further maps; an .npz
file has the same arrays, and `lengths`.
"""
WORD_AXES = {"tokens": -1, "attention": -1, "contribution": 0, "maps": -1, "evidence": -1}
"""The axis of the words in each array of an .npz file that has one; behind it contributions have one of outputs."""


def find_columns(location: str, names: Sequence[str], *extra: str) -> list[str]:
    """Find the columns of a file that are read.

    Raises AuditError where it lacks one that it must have: of `CONTRIBUTION_COLUMNS` and of `MAP_COLUMNS` both or none.
    """
    optional = chain.from_iterable(columns for columns in (CONTRIBUTION_COLUMNS, MAP_COLUMNS) if {*columns} & {*names})
    needed = [*REQUIRED_COLUMNS, *optional, *extra]
    if missing := [name for name in needed if name not in names]:
        raise AuditError(location, f"column {missing[0]} is missing (it has {', '.join(names)})", "add it")
    return [*needed, *({"evidence"} & {*names})]


def list_nested(cell: Any) -> Any:
    """List arrays within an array, and words; numbers along one axis stay an array."""
    return cell.tolist() if isinstance(cell, np.ndarray) and (cell.ndim > 1 or cell.dtype == object) else cell


def read_given_parquet(path: Path, location: str) -> dict[str, Any]:
    """Read the columns of a Parquet file. Raises AuditError where they do not fit."""
    with pq.ParquetFile(path) as file:
        table = file.read(find_columns(location, file.schema_arrow.names))
    columns = {name: [*map(list_nested, table[name].to_numpy())] for name in table.column_names}
    names = [make_list(each, f"{location}: column map_names") for each in columns.get("map_names", ())]
    if any(each != names[0] for each in names):
        raise AuditError(location, "column map_names differs between texts", "give the same names for each text")
    return columns | {"map_names": names[0] if names else []}


def read_given_npz(path: Path, location: str) -> dict[str, Any]:
    """Read the arrays of an .npz file, text by text. Raises AuditError where they do not fit."""
    opened = np.load(path, allow_pickle=False)
    if isinstance(opened, np.ndarray):
        raise AuditError(location, "holds one array and not several", "write it with numpy.savez")
    arrays: dict[str, Any] = {}
    with opened as file:
        for name in find_columns(location, file.files, "lengths"):
            try:
                arrays[name] = np.atleast_1d(file[name])
            except ValueError as error:
                raise AuditError(
                    location, f"column {name} holds objects of Python", "give arrays of plain types"
                ) from error
    lengths = list_integers(arrays["lengths"], f"{location}: column lengths")
    if min(lengths, default=0) < 0:
        raise AuditError(location, f"column lengths holds {min(lengths)}", "give counts of words")
    for name in filter(arrays.__contains__, WORD_AXES if lengths else ()):
        axis = WORD_AXES[name]
        if (count := arrays[name].shape[axis]) != sum(lengths):
            fault = f"column {name} has {count} entries, and `lengths` counts {sum(lengths)} words"
            raise AuditError(location, fault, "give each word one")
        arrays[name] = np.split(arrays[name], np.cumsum(lengths)[:-1], axis)
    arrays["tokens"] = [words.tolist() for words in arrays["tokens"]]
    if "evidence" in arrays:
        if any(marked.dtype.kind != "b" for marked in arrays["evidence"]):
            raise AuditError(location, "column evidence is not true or false a word", "give it so")
        arrays["evidence"] = [*map(np.flatnonzero, arrays["evidence"])]
    return arrays


def read_given_readout(path: str | Path, place: str = "") -> GivenReadout:
    """Read a readout from a .parquet or .npz file, and check it. place: what messages call it, by default the path.

    Raises AuditError, in a line that names file, text and column, where it is not as docs/readouts.md says.
    """
    path = check_path(path, "path")
    place = place or str(path)
    if not path.is_file():
        raise AuditError(place, "no such file", "put it there, or name its place")
    if path.suffix not in READOUT_ENDINGS:
        raise AuditError(place, f"does not end in {' or '.join(READOUT_ENDINGS)}", "save it in one of these formats")
    try:
        columns = (read_given_parquet if path.suffix == ".parquet" else read_given_npz)(path, place)
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, pa.ArrowException) as error:
        raise AuditError(place, f"cannot be read as {path.suffix} ({error})", "write it anew") from error
    if not len(columns["id"]):
        raise AuditError(place, "has no text", "give some")
    map_names = [*map(str, columns.get("map_names", ()))]
    maps = zip(columns["id"], columns.get("maps", ()), strict=False)
    scores = [convert_numbers(each, name_column(place, str(id_), "maps")) for id_, each in maps]
    if len({*map_names}) < len(map_names) or any(len(each) != len(map_names) for each in scores):
        raise AuditError(place, f"columns {' and '.join(MAP_COLUMNS)} do not fit", "give each map one name of its own")
    arguments: list[Any] = [
        columns.get(name) for name in ("tokens", "attention", *CONTRIBUTION_COLUMNS, "label", "probabilities")
    ]
    by_name = {name: [each[row] for each in scores] for row, name in enumerate(map_names)}
    return readout(*arguments, ids=columns["id"], evidence=columns.get("evidence"), maps=by_name, name=place)


def write_given_readout(given: GivenReadout, path: str | Path) -> None:
    """Check a readout, and write it as .parquet or .npz, by the ending of the path; whole or not at all.

    It is a file for the section `own` of a configuration. Raises AuditError where the readout is wrong, where the
    ending is another one, or where the file cannot be written.
    """
    refuse_kind(given, GivenReadout, "given", A_READOUT)
    path = check_path(path, "path")
    if path.suffix not in READOUT_ENDINGS:
        raise AuditError(str(path), f"does not end in {' or '.join(READOUT_ENDINGS)}", "name it so")
    check_readout(given)
    columns: dict[str, Any] = {
        "id": given.ids,
        "tokens": given.tokens,
        "label": given.labels,
        "attention": given.attention,
        **({"contribution": given.contribution, "bias": given.bias} if given.decided else {}),
        "probabilities": given.probabilities,
    }
    if given.maps:
        columns["maps"] = [*map(np.stack, zip(*given.maps.values(), strict=True))]
    with write_whole(path) as temporary, temporary.open("wb") as stream:
        if path.suffix == ".parquet":
            columns = {name: [*map(list_nested, values)] for name, values in columns.items()}
            columns["evidence"] = pa.array(given.evidence, pa.list_(pa.int64()))
            if given.maps:
                columns["map_names"] = [[*given.maps]] * len(given)
            pq.write_table(pa.table(columns), stream, compression="zstd")
        else:
            marked = zip(given.tokens, given.evidence, strict=True)
            columns["evidence"] = [np.isin(np.arange(len(words)), positions or []) for words, positions in marked]
            arrays: dict[str, Any] = {
                name: np.concatenate(values, WORD_AXES[name]) if name in WORD_AXES else np.asarray(values)
                for name, values in columns.items()
            }
            arrays["lengths"] = np.array([*map(len, given.tokens)])
            if given.maps:
                arrays["map_names"] = np.array([*given.maps])
            np.savez_compressed(stream, **arrays)


class GivenModels(GivenSection):
    """The readouts of your own models on one data set, one file a training, which is a .parquet or .npz file."""

    models: dict[Name, list[OwnPath]] = Field(min_length=1)
    """The models in question by names of yours, each with the file of each of its trainings. The first model is the one
    that `uniform` and `adversaries` belong to.
    """
    classes: Distinct[str] | None = Field(None, min_length=2)
    """Names of the classes, from class 0 on; null: their numbers."""

    @property
    def first(self) -> str:
        """Return the file of the first training of the first model, which has the texts."""
        return next(iter(self.models.values()))[0]

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        paths = [*chain.from_iterable(self.by_model.values())]
        refuse_duplicates("file", [*map(normpath, paths)])
        if unknown := [path for path in paths if not path.endswith(READOUT_ENDINGS)]:
            raise ValueError(
                f"{unknown[0]!r} does not end in {' or '.join(READOUT_ENDINGS)}; save it in one of these formats"
            )
        return self
