"""The files of readouts from elsewhere, .parquet or .npz; docs/readouts.md describes both for users."""

import zipfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from attention_audit.artefacts.files import whole
from attention_audit.errors import AuditError
from attention_audit.given.readouts import Floats, GivenReadout, at, check

ENDINGS = (".parquet", ".npz")
NEEDED = ("id", "tokens", "label", "attention", "probabilities")
ADDED = ("contribution", "bias")
FURTHER = ("map_names", "maps")
"""The columns of a Parquet file, those that a map has from which predictions follow, and those of further maps; an .npz
file has the same arrays, and `lengths`.
"""
EVIDENCE, LENGTHS, HEADS, CONTRIBUTION = "evidence", "lengths", "heads", "contribution"

Array = npt.NDArray[Any]


def _refuse_missing(place: str, named: Sequence[str], wanted: Sequence[str]) -> None:
    if missing := [name for name in wanted if name not in named]:
        raise AuditError(f"{place}: column {missing[0]} is missing (it has {', '.join(named)}); add it")


def _needed(named: Sequence[str]) -> tuple[str, ...]:
    """The columns that a file with these columns must have: of `ADDED` and of `FURTHER` both or none."""
    return NEEDED + sum((both for both in (ADDED, FURTHER) if {*both} & {*named}), ())


def _depth(kind: pa.DataType) -> tuple[int, pa.DataType]:
    """How many lists are nested in a type of Arrow, and the type within."""
    depth = 0
    while pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        kind, depth = kind.value_type, depth + 1
    return depth, kind


class _Columns:
    """The columns of a Parquet file, turned into what a readout holds."""

    def __init__(self, place: str, table: pa.Table) -> None:
        self.place = place
        self.table = table
        self.ids: list[str] = []
        self.ids = self.plain("id", pa.string()).to_pylist()

    def refuse(self, column: str, wanted: str) -> AuditError:
        """The error of a column of a wrong type."""
        kind = self.table[column].type
        return AuditError(f"{self.place}: column {column} is of type {kind}, and must be {wanted}; convert it")

    def _arrow(self, column: str, kind: pa.DataType, wanted: str) -> pa.Array:
        try:
            values = self.table[column].cast(kind).combine_chunks()
        except pa.ArrowException as error:
            raise self.refuse(column, wanted) from error
        if values.null_count:
            number = int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
            name = f"text {self.ids[number]!r}" if self.ids else f"row {number + 1}"
            raise AuditError(f"{self.place}: {name}, column {column}: is empty; give a value")
        return values

    def plain(self, column: str, kind: pa.DataType) -> pa.Array:
        """A column of one value a text."""
        depth, inner = _depth(self.table[column].type)
        number = pa.types.is_integer(kind)
        fits = pa.types.is_integer(inner) if number else not pa.types.is_floating(inner)
        if depth or not fits:
            raise self.refuse(column, "a whole number a text" if number else "a name a text")
        return self._arrow(column, kind, "one value a text")

    def words(self) -> list[list[str]]:
        """The column of words."""
        lists = self._arrow("tokens", pa.list_(pa.string()), "a list of words a text").to_pylist()
        for name, words in zip(self.ids, lists, strict=True):
            if None in words:
                raise AuditError(f"{at(self.place, name, 'tokens')}: word {words.index(None)} is empty; give a word")
        return list(lists)

    def numbers(self, column: str) -> list[Floats]:
        """A column of lists of numbers, or of lists of these of the same length: an array a text, of 1 or 2 axes."""
        depth, inner = _depth(self.table[column].type)
        wanted = "a list of numbers a text, or a list of such lists"
        if depth not in (1, 2) or not (pa.types.is_floating(inner) or pa.types.is_integer(inner)):
            raise self.refuse(column, wanted)
        kind = pa.list_(pa.float64())
        found = []
        for name, cell in zip(
            self.ids, self._arrow(column, kind if depth == 1 else pa.list_(kind), wanted), strict=True
        ):
            values: pa.Array = cell.values
            widths: list[int] = []
            if depth == 2:
                widths = values.value_lengths().fill_null(0).unique().to_pylist() or [0]
                values = values.flatten()
            if len(widths) > 1:
                raise AuditError(f"{at(self.place, name, column)}: has lists of different lengths; make them as long")
            found.append(values.to_numpy(zero_copy_only=False).reshape(len(cell), *widths))
        return found

    def maps(self) -> dict[str, list[Floats]]:
        """Further maps by name; none where the columns are missing."""
        if FURTHER[0] not in self.table.column_names:
            return {}
        named = self._arrow(FURTHER[0], pa.list_(pa.string()), "the names of the maps, the same for each text")
        first, *others = named.to_pylist()
        if any(names != first for names in others):
            raise self.refuse(FURTHER[0], "the same names for each text")
        return _by_name(self.place, first, self.numbers(FURTHER[1]) if first else [])

    def stacked(self, column: str) -> Floats:
        """A column of lists that all have the same length, as one array."""
        rows = self.numbers(column)
        for name, row in zip(self.ids, rows, strict=True):
            if row.shape != rows[0].shape or row.ndim != 1:
                raise AuditError(f"{at(self.place, name, column)}: is not as long as in other texts; make it so")
        return np.stack(rows)

    def evidence(self) -> list[list[int] | None]:
        """The column of evidence, which may be missing, and empty in any text."""
        if EVIDENCE not in self.table.column_names:
            return [None] * len(self.table)
        try:
            lists = self.table[EVIDENCE].cast(pa.list_(pa.int64())).to_pylist()
        except pa.ArrowException as error:
            raise self.refuse(EVIDENCE, "a list of positions a text") from error
        return [positions or None for positions in lists]


def _from_parquet(path: Path, place: str) -> GivenReadout:
    try:
        with pq.ParquetFile(path) as file:
            named = file.schema_arrow.names
            _refuse_missing(place, named, _needed(named))
            table = file.read([name for name in (*NEEDED, *ADDED, *FURTHER, EVIDENCE) if name in named])
    except (OSError, pa.ArrowException) as error:
        raise AuditError(f"{place}: cannot be read as Parquet ({error}); write it anew") from error
    if not len(table):
        raise AuditError(f"{place}: has no text; give some")
    columns = _Columns(place, table)
    decided = "bias" in table.column_names
    words, bias = columns.words(), columns.stacked("bias") if decided else np.empty((len(table), 0))
    added = columns.numbers("contribution") if decided else [np.empty((len(text), 0)) for text in words]
    return GivenReadout(
        place,
        columns.ids,
        words,
        columns.plain("label", pa.int64()).to_numpy(),
        columns.numbers("attention"),
        [_by_word(values, bias.shape[1]) for values in added],
        bias,
        columns.stacked("probabilities"),
        columns.evidence(),
        columns.maps(),
    )


def _by_word(values: Floats, outputs: int) -> Floats:
    """Contributions with an axis of words: a plain list has the values of one word after another."""
    if values.ndim == 2 or not outputs or len(values) % outputs:
        return values if values.ndim == 2 else values[:, None]
    return values.reshape(-1, outputs)


def _by_name(place: str, names: Sequence[str], maps: Sequence[Floats]) -> dict[str, list[Floats]]:
    """The further maps of all texts by name, from those of each text, (M, L)."""
    if len({*names}) < len(names) or any(len(scores) != len(names) for scores in maps):
        raise AuditError(f"{place}: columns {' and '.join(FURTHER)} do not fit; give each map one name of its own")
    return {name: [scores[number] for scores in maps] for number, name in enumerate(names)}


def _cut(place: str, lengths: Array, column: str, values: Array) -> list[Array]:
    """An array with an axis of all words together, the first one, as one array a text."""
    if len(values) != lengths.sum():
        raise AuditError(
            f"{place}: column {column} has {len(values)} entries, and `lengths` counts {lengths.sum()} words; give "
            "each word one"
        )
    return np.split(values, np.cumsum(lengths)[:-1])


KINDS: Mapping[str, tuple[str, tuple[int, ...], str]] = {
    "id": ("USOiu", (1,), "a name a text"),
    "tokens": ("U", (1,), "the words of all texts, of NumPy's type str"),
    "label": ("iu", (1,), "a whole number a text"),
    LENGTHS: ("iu", (1,), "the number of words of each text"),
    "attention": ("fiu", (1, 2), "a number a word, or one a head and word"),
    "contribution": ("fiu", (1, 2), "a number a word, or one a word and output"),
    "bias": ("fiu", (1, 2), "a number an output, or one a text and output"),
    "probabilities": ("fiu", (2,), "a number a text and class"),
    "map_names": ("U", (1,), "the names of the further maps, of NumPy's type str"),
    "maps": ("fiu", (2,), "a number a map and word"),
    EVIDENCE: ("b", (1,), "true or false a word"),
}
"""What the arrays of an .npz file may be: kinds of NumPy, axes, and in words."""


def _from_npz(path: Path, place: str) -> GivenReadout:
    try:
        opened = np.load(path, allow_pickle=False)
        if isinstance(opened, np.ndarray):
            raise AuditError(f"{place}: holds one array and not several; write it with numpy.savez")
        with opened as file:
            _refuse_missing(place, file.files, (*_needed(file.files), LENGTHS))
            arrays = {name: _loaded(file, name, place) for name in KINDS if name in file.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        raise AuditError(f"{place}: cannot be read as .npz ({error}); write it anew") from error
    ids, lengths = [str(name) for name in arrays["id"].tolist()], arrays[LENGTHS].astype(np.int64)
    outputs = arrays.get("bias", np.empty((len(ids), 0))).astype(np.float64)
    named = {"label": arrays["label"], LENGTHS: lengths, "probabilities": arrays["probabilities"]}
    named |= {"bias": outputs} if outputs.ndim == 2 else {}
    for name, values in named.items():
        if len(values) != len(ids):
            raise AuditError(f"{place}: column {name} has {len(values)} entries for {len(ids)} texts; give each one")
    if not ids:
        raise AuditError(f"{place}: has no text; give some")
    if (lengths < 0).any():
        raise AuditError(f"{place}: column {LENGTHS} holds {lengths.min()}; give counts of words")
    heads = arrays["attention"].astype(np.float64)
    contribution = arrays.get("contribution", np.empty((lengths.sum(), 0))).astype(np.float64)
    cut = partial(_cut, place, lengths)
    further: dict[str, list[Floats]] = {}
    if FURTHER[0] in arrays:
        maps = [part.T for part in cut(FURTHER[1], arrays[FURTHER[1]].astype(np.float64).T)]
        further = _by_name(place, arrays[FURTHER[0]].tolist(), maps)
    evidence: list[list[int] | None] = [None] * len(ids)
    if EVIDENCE in arrays:
        evidence = [np.flatnonzero(marks).tolist() or None for marks in cut(EVIDENCE, arrays[EVIDENCE])]
    return GivenReadout(
        place,
        ids,
        [part.tolist() for part in cut("tokens", arrays["tokens"])],
        arrays["label"].astype(np.int64),
        [part if heads.ndim == 1 else part.T for part in cut("attention", heads.T)],
        cut("contribution", contribution if contribution.ndim == 2 else contribution[:, None]),
        np.broadcast_to(outputs, (len(ids), outputs.shape[-1])),
        arrays["probabilities"].astype(np.float64),
        evidence,
        further,
    )


def _loaded(file: Any, name: str, place: str) -> Array:
    kinds, axes, wanted = KINDS[name]
    try:
        values: Array = file[name]
    except ValueError as error:
        raise AuditError(f"{place}: column {name} holds objects of Python, and must be {wanted}; convert it") from error
    if values.dtype.kind not in kinds or values.ndim not in axes:
        kind = f"{values.dtype} of {values.ndim} axes"
        raise AuditError(f"{place}: column {name} is {kind}, and must be {wanted}; convert it")
    return values


def read_given(path: Path, place: str = "") -> GivenReadout:
    """Read and check a readout from elsewhere. place: what messages call it, by default the path.

    Raises AuditError, in a line that names file, text and column, where it is not as docs/readouts.md says.
    """
    named = place or str(path)
    if not path.is_file():
        raise AuditError(f"{named}: no such file; put it there, or name its place")
    if not path.name.endswith(ENDINGS):
        raise AuditError(f"{named}: does not end in {' or '.join(ENDINGS)}; save it in one of these formats")
    given = (_from_parquet if path.suffix == ".parquet" else _from_npz)(path, named)
    check(given)
    return given


def holdings(path: Path) -> set[str]:
    """What a readout has beyond what it must have, without reading the rest: evidence of any text, heads, and
    contributions, by their columns. Nothing where it is no such file.
    """
    try:
        if path.suffix == ".parquet":
            named = pq.read_schema(path).names
            optional = pq.read_table(path, columns=[name for name in (EVIDENCE, "attention") if name in named])
            known = EVIDENCE in named and optional[EVIDENCE].null_count < len(optional)
            several = "attention" in named and _depth(optional["attention"].type)[0] > 1
            decided = {*ADDED} <= {*named}
        else:
            with np.load(path, allow_pickle=False) as file:
                known = EVIDENCE in file.files and bool(file[EVIDENCE].any())
                several = "attention" in file.files and file["attention"].ndim > 1
                decided = {*ADDED} <= {*file.files}
    except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile, pa.ArrowException):
        return set()
    return {name for name, there in ((EVIDENCE, known), (HEADS, several), (CONTRIBUTION, decided)) if there}


def _write_parquet(given: GivenReadout, path: Path) -> None:
    numbers = pa.list_(pa.float64())
    heads = any(weights.ndim == 2 for weights in given.attention)
    columns = {
        "id": pa.array(given.ids, pa.string()),
        "tokens": pa.array(given.tokens, pa.list_(pa.string())),
        "label": pa.array(given.labels, pa.int64()),
        "attention": pa.array([each.tolist() for each in given.attention], pa.list_(numbers) if heads else numbers),
        "contribution": pa.array([each.tolist() for each in given.contribution], pa.list_(numbers)),
        "bias": pa.array(given.bias.tolist(), numbers),
        "probabilities": pa.array(given.probabilities.tolist(), numbers),
        EVIDENCE: pa.array(given.evidence, pa.list_(pa.int64())),
    }
    if given.maps:
        columns["map_names"] = pa.array([[*given.maps]] * len(given), pa.list_(pa.string()))
        columns["maps"] = pa.array(
            [[*of_text] for of_text in zip(*given.maps.values(), strict=True)], pa.list_(numbers)
        )
    table = pa.table(columns)
    pq.write_table(table if given.decided else table.drop_columns([*ADDED]), path, compression="zstd")


def _write_npz(given: GivenReadout, path: Path) -> None:
    known = zip(given.tokens, given.evidence, strict=True)
    marks = [np.isin(np.arange(len(words)), positions or []) for words, positions in known]
    added: dict[str, Any] = (
        {"contribution": np.concatenate(given.contribution), "bias": given.bias} if given.decided else {}
    )
    if given.maps:
        added["map_names"] = np.array([*given.maps], dtype=np.str_)
        added["maps"] = np.stack([np.concatenate(scores) for scores in given.maps.values()])
    with path.open("wb") as stream:
        np.savez_compressed(
            stream,
            id=np.array(given.ids, dtype=np.str_),
            tokens=np.array([word for words in given.tokens for word in words], dtype=np.str_),
            label=given.labels,
            lengths=np.array([len(words) for words in given.tokens]),
            attention=np.concatenate(given.attention, axis=-1),
            probabilities=given.probabilities,
            evidence=np.concatenate(marks),
            **added,
        )


def write_given(given: GivenReadout, path: Path) -> None:
    """Check a readout, and write it as .parquet or .npz, by the ending of the path; whole or not at all.

    Raises AuditError where it is wrong, where the ending is another one, or where the file cannot be written.
    """
    if not path.name.endswith(ENDINGS):
        raise AuditError(f"{path}: does not end in {' or '.join(ENDINGS)}; name it so")
    check(given)
    with whole(path) as temporary:
        (_write_parquet if path.suffix == ".parquet" else _write_npz)(given, temporary)
