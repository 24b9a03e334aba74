"""The readout: all that a post-hoc test needs to know of a trained model.

Every classifier here ends in logits = sum_t a_t z_t + b with z_t = W h_t. The items t of a text are its tokens, or its
sentences in a hierarchical model. With a, z and b stored, the prediction under any other attention is a dot product,
without the network. A model of pairs has a small head above, which is stored in a file beside the readout.

The classifier of a Transformer has several heads of attention, and above them a tail (`model.tail`), which is stored
beside the readout. What its heads attend to is stored with each text, so that here too the prediction under any other
attention needs no network. Its attention a is the mean of its heads, which is what a reader sees, and z and b are those
of the first-order expansion at its own weights: z_t = (sum over heads of a_ht ds/da_ht) / a_t, b = s - sum_t a_t z_t.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention_audit.arrays import Flags, Floats, Floats32, Integers, Integers32
from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.parquet import name_kind, read_batches, read_table, write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import read_weights
from attention_audit.batching import pass_texts
from attention_audit.columns.files import HEAD, HEADED, READOUT, SEVERAL
from attention_audit.columns.kinds import Artefact
from attention_audit.errors import AuditError
from attention_audit.model.outputs import build_target
from attention_audit.model.replay import SPEC, build_replay
from attention_audit.model.tail import LogitTail, build_tail, probabilities
from attention_audit.padded import Head, Heads, PaddedReadout

MARKS = ("[CLS]", "[SEP]")
"""What the marks of a Transformer's tokenizer are called, whatever its own names for them: they follow the words."""
Scores = list[Floats]
"""For each text i of a split, the scores of its tokens, (L_i,); zeros where a text was not asked."""
HEAD_FILE = "head.parquet"
"""Name of the file with the head of a model of pairs; it lies beside the readouts and serves all splits."""
TAIL_FILE = "tail.safetensors"
"""Name of the file with the tail of a Transformer, likewise."""
READOUT_TEXTS_AT_ONCE = 2000
"""Texts of a readout that are read or written together, since all of them may not fit in memory."""
PADDED_ITEMS = 4096
"""Items of the texts that are padded together."""
HEADED_TEXTS_AT_ONCE = 250
"""The same of a Transformer, whose texts are larger: at most about half a megabyte each for 512 tokens."""


def _pad(rows: Sequence[Floats32], members: Integers, dtype: torch.dtype) -> Tensor:
    chosen = [rows[i] for i in members]
    flat = torch.from_numpy(np.concatenate(chosen)).to(dtype)  # one conversion instead of one per row
    return pad_sequence(list(torch.split(flat, [*map(len, chosen)])), batch_first=True)


def sort_by_length(lengths: Integers, positions: int) -> list[Integers]:
    """Return the texts of these lengths, shortest first, in batches of about `positions` items together."""
    order = np.argsort(lengths, kind="stable")
    cumulative = np.cumsum(lengths[order])
    return np.split(order, np.flatnonzero(np.diff(cumulative // positions)) + 1)


@dataclass(frozen=True)
class Maps:
    """The weights of heads, weights[i] (L_i, H). marks (N,): how many items of a text, its last ones, are no
    words but marks of the tokenizer, such as [CLS] and [SEP]. Of a Transformer, places[i]: which word of the text each
    other item is; and cut (N,): whether the text was too long, and is read in part.
    """

    weights: list[Floats32]
    marks: Integers
    places: list[Integers] | None = field(default=None, kw_only=True)
    cut: Flags | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class HeadStates(Maps):
    """What the heads of a Transformer attend to: H heads, width D.

    values[i] (L_i, H, D_h), below (N, D); see `padded.Heads`.
    """

    values: list[Floats32]
    below: Floats32
    tail: LogitTail

    @property
    def even(self) -> "HeadStates":
        """Return the same with uniform weights on the items of every head."""
        return replace(self, weights=[np.full_like(weights, 1 / len(weights)) for weights in self.weights])

    def pad(self, members: Integers, dtype: torch.dtype) -> Heads:
        """Return the texts at `members` as one batch; only the weights are in `dtype`."""
        weights = _pad(self.weights, members, dtype)
        values = _pad(self.values, members, torch.float32)
        return Heads(
            weights.transpose(1, 2).contiguous(),
            values.transpose(1, 2).contiguous(),
            torch.from_numpy(self.below[members]),
            self.tail,
        )


@dataclass(frozen=True)
class Readout:
    """One model on one split, or on some of its texts: N texts, C classes, O outputs; text i has L_i items.

    attention[i] (L_i,), contribution[i] (L_i, O), bias (N, O), probabilities (N, C), labels and predictions (N,).
    A model of pairs also has its head, and candidates[i], the classes that may be the answer to text i. `several` is
    what is known of several heads, whose mean is attention[i]: of a Transformer what they attend to, of other models
    their maps; None where there is one map. Where predictions do not follow from the map, as in an earlier layer of a
    Transformer, there are no contributions: O is 0. `maps` has further scores of the words of each text, by name, which
    no prediction follows from: maps[name][i] (the words of text i,), of any sign.
    """

    ids: list[str]
    labels: Integers
    predictions: Integers
    probabilities: Floats32
    attention: list[Floats32]
    contribution: list[Floats32]
    bias: Floats32
    head: Head | None = None
    candidates: list[Integers32] | None = None
    several: Maps | None = None
    maps: Mapping[str, list[Floats32]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def lengths(self) -> Integers:
        """Return the number of items of each text, (N,)."""
        return np.array([len(weights) for weights in self.attention], dtype=np.int64)

    @property
    def heads(self) -> int:
        """Count the heads that each text has a map of, 1 where there is one map."""
        return 1 if self.several is None else self.several.weights[0].shape[1]

    @cached_property
    def words(self) -> Integers:
        """Return the number of items of each text that are no marks of a tokenizer, (N,); they come first."""
        return self.lengths if self.several is None else self.lengths - self.several.marks

    @cached_property
    def places(self) -> list[Integers]:
        """Find which word of its text each item is that is no mark of a tokenizer, (L_i,)."""
        positions = None if self.several is None else self.several.places
        return [np.arange(count) for count in self.words.tolist()] if positions is None else positions

    @property
    def right(self) -> Flags:
        """Tell of which texts the label is predicted, or nobody knows it, (N,)."""
        return (self.predictions == self.labels) | (self.labels < 0)

    @property
    def word_attention(self) -> list[Floats32]:
        """Return the weights of the items of each text that are no marks of a tokenizer, (L_i,)."""
        return [weights[:words] for weights, words in zip(self.attention, self.words.tolist(), strict=True)]

    @property
    def max_attention(self) -> Floats:
        """Return the largest weight of a word in each text, (N,)."""
        return np.array([weights.max() for weights in self.word_attention], dtype=np.float64)

    def align(self, ids: Sequence[str]) -> "Readout":
        """Return the same readout with its texts in the order of `ids`; raises AuditError where a text is missing."""
        at = {name: position for position, name in enumerate(self.ids)}
        if missing := [name for name in ids if name not in at]:
            raise AuditError("readout", f"text {missing[0]!r} is missing", "rebuild the readouts of this data set")
        return select_texts(self, np.array([at[name] for name in ids], dtype=np.int64))

    @property
    def attending(self) -> HeadStates | None:
        """Return what the heads of a Transformer attend to; None where that is not known."""
        return self.several if isinstance(self.several, HeadStates) else None

    @property
    def decided(self) -> bool:
        """Tell whether its predictions follow from its weights."""
        return bool(self.bias.shape[1])

    def pad_heads(self, members: Integers) -> Tensor:
        """Return the weights of the heads of the texts at `members`, in float64, (n, H, L).

        Raises ValueError where there is one map.
        """
        if self.several is None:
            raise ValueError("the readout has one map and no heads")
        return _pad(self.several.weights, members, torch.float64).transpose(1, 2).contiguous()

    def batches(self, dtype: torch.dtype, positions: int = PADDED_ITEMS) -> Iterator[PaddedReadout]:
        """Return all texts, shortest first, in batches of about `positions` items together, padded with zeros."""
        lengths = self.lengths
        head = None if self.head is None else Head(*(part.to(dtype) for part in self.head))
        for members in sort_by_length(lengths, positions):
            choices = None
            if self.candidates is not None:
                choices = torch.zeros(len(members), self.probabilities.shape[1], dtype=torch.bool)
                for row, member in zip(choices.numpy(), members, strict=True):
                    row[self.candidates[member]] = True
            yield PaddedReadout(
                members=members,
                attention=_pad(self.attention, members, dtype),
                contribution=_pad(self.contribution, members, dtype),
                bias=torch.tensor(self.bias[members], dtype=dtype),
                lengths=torch.from_numpy(lengths[members]),
                head=head,
                candidates=choices,
                heads=None if self.attending is None else self.attending.pad(members, dtype),
                marks=None if self.several is None else torch.from_numpy(self.several.marks[members]),
            )
            pass_texts(len(members))

    def predict(self, attention: Sequence[Floats32]) -> Floats32:
        """Predicted probabilities (N, C) under other weights: one array for each text, as in `self.attention`.

        With several heads, one array (L_i, H).
        """
        predicted = np.empty_like(self.probabilities)
        for texts in self.batches(torch.float32):
            weights = _pad(attention, texts.members, torch.float32)
            if texts.heads is not None:
                weights = weights.transpose(1, 2)
            predicted[texts.members] = texts.predict(weights[None])[0].numpy()
        return predicted

    @property
    def kind(self) -> Artefact:
        """Return the kind of file that it is written as."""
        if self.several is None:
            return READOUT
        return SEVERAL if self.attending is None else HEADED

    def columns(self) -> dict[str, Any]:
        """Return the columns that columns.files declares for its `kind`."""
        none = [None] * len(self)
        columns: dict[str, Any] = {
            "id": self.ids,
            "label": self.labels,
            "prediction": self.predictions,
            "candidates": self.candidates or none,
            "map_names": [[*self.maps]] * len(self),
            "maps": [*map(list, zip(*self.maps.values(), strict=True))] or [[]] * len(self),
        }
        of_texts: dict[str, Iterable[Floats32]] = {
            "probabilities": self.probabilities,
            "attention": self.attention,
            "contribution": self.contribution,
            "bias": self.bias,
        }
        if self.several is not None:
            of_texts["heads"] = self.several.weights
            columns |= {"marks": self.several.marks, "places": self.several.places or none}
            columns["cut"] = [False] * len(self) if self.several.cut is None else self.several.cut
        if self.attending is not None:
            of_texts |= {"values": self.attending.values, "below": self.attending.below}
        return columns | {name: [values.reshape(-1) for values in rows] for name, rows in of_texts.items()}

    def cut(self) -> Iterator["Readout"]:
        """Cut it into readouts of few texts, in order, as `read_readouts` reads them."""
        rows = READOUT_TEXTS_AT_ONCE if self.attending is None else HEADED_TEXTS_AT_ONCE
        for start in range(0, len(self), rows):
            yield select_texts(self, np.arange(start, min(start + rows, len(self))))

    def tables(self) -> Iterator[pa.Table]:
        """Return the columns as tables in order, of few texts each."""
        for part in self.cut():
            yield pa.table(part.columns(), schema=self.kind.schema)

    def write(self, path: Path, provenance: Provenance) -> None:
        """Write the readout, without the head or the tail beside it."""
        write_batches(path, self.kind, self.tables(), provenance)


def select_texts(value: Any, members: Integers) -> Any:
    """Return what a value has of the texts at `members`: arrays and lists have an entry for each text, in readouts
    too.
    """
    match value:
        case np.ndarray():
            return value[members]
        case list():
            return [value[i] for i in members]
        case dict():
            return {name: select_texts(each, members) for name, each in value.items()}
        case Readout() | Maps():
            return replace(
                value, **{each.name: select_texts(getattr(value, each.name), members) for each in fields(value)}
            )
    return value


def read_heads(ids: Sequence[str], labels: Integers, attending: HeadStates) -> Readout:
    """Return the readout of a Transformer, from what its heads attend to: its map, first-order expansion and
    predictions.
    """
    maps, contribution = [np.empty(0, np.float32)] * len(ids), [np.empty((0, 0), np.float32)] * len(ids)
    bias, logits = np.empty((2, len(ids), attending.tail.outputs), np.float32)
    lengths = np.array([len(weights) for weights in attending.weights])
    for members in sort_by_length(lengths, PADDED_ITEMS):
        heads = attending.pad(members, torch.float32)
        values, bias[members], logits[members] = (part.numpy() for part in heads.expand())
        seen = heads.weights.double().mean(1).float().numpy()
        for member, map_, of_items in zip(members, seen, values, strict=True):
            maps[member], contribution[member] = map_[: lengths[member]], of_items[: lengths[member]]
    predicted = probabilities(torch.from_numpy(logits)).numpy()
    return Readout(
        ids=list(ids),
        labels=labels,
        predictions=predicted.argmax(1),
        probabilities=predicted,
        attention=maps,
        contribution=contribution,
        bias=bias,
        several=attending,
    )


def build_head_columns(head: Head | None) -> dict[str, Any]:
    """Return the columns that columns.files.HEAD declares; they are empty where a model has no head."""
    weight = [] if head is None else list(head.weight.numpy())
    bias = [] if head is None else head.bias.tolist()
    return {"class": range(len(bias)), "weight": weight, "bias": bias}


def _split_rows(table: pa.Table, path: Path, column: str, counts: Integers | None = None, *shape: int) -> list[Any]:
    """Split a column into the rows of its texts, each of so many entries of a shape, or flat. Raises AuditError where
    a text has more or fewer values.
    """
    flat = table[column].combine_chunks()
    ends = flat.offsets.to_numpy() - flat.offsets[0].as_py()
    values = flat.flatten().to_numpy()
    rows = [values[start:stop] for start, stop in pairwise(ends.tolist())]
    if counts is None:
        return rows
    expected = counts * math.prod(shape)
    if len(wrong := np.flatnonzero(np.diff(ends) != expected)):
        at = int(wrong[0])
        fault = (
            f"column {column} of text {table['id'][at].as_py()!r} has {len(rows[at])} values, where {expected[at]} fit"
        )
        raise AuditError(str(path), fault, rebuild_hint(path))
    return [row.reshape(count, *shape) for row, count in zip(rows, counts.tolist(), strict=True)]


def _read_head(path: Path, classes: int, outputs: int) -> Head:
    table = read_table(path, HEAD)
    weight, bias = table["weight"].to_pylist(), table["bias"].to_pylist()
    if [*map(len, weight)] != [outputs] * classes:
        raise AuditError(str(path), "does not fit the readouts beside it, which have other sizes", rebuild_hint(path))
    return Head(torch.tensor(weight), torch.tensor(bias))


def _read_several(table: pa.Table, path: Path, tail: LogitTail | None, lengths: Integers) -> Maps:
    """Read what a table says of heads. Raises AuditError where they fit neither the items of the texts nor the tail."""
    heads = max(1, len(table["heads"][0]) // int(lengths[0]))
    weights = _split_rows(table, path, "heads", lengths, heads)
    has_places = not table["places"].null_count
    positions = [row.astype(np.int64) for row in _split_rows(table, path, "places")] if has_places else None
    marks, cut = table["marks"].to_numpy().astype(np.int64), table["cut"].to_numpy()
    if tail is None:
        return Maps(weights, marks, places=positions, cut=cut)
    width, joined = tail.sizes
    values = _split_rows(table, path, "values", lengths, heads, joined // heads)
    below = np.stack(_split_rows(table, path, "below", np.full(len(table), width)))
    return HeadStates(weights, marks, values, below, tail, places=positions, cut=cut)


def _read_maps(table: pa.Table) -> dict[str, list[Floats32]]:
    """Read the further maps of a table, by name."""
    names = table["map_names"][0].as_py()
    rows = table["maps"].to_pylist() if names else []
    return {name: [np.array(row[index], np.float32) for row in rows] for index, name in enumerate(names)}


def _from_table(table: pa.Table, path: Path, tail: LogitTail | None) -> Readout:
    bias, predicted = (np.stack(_split_rows(table, path, column)) for column in ("bias", "probabilities"))
    attention, outputs = _split_rows(table, path, "attention"), bias.shape[1]
    labels, decided = (table[column].to_numpy().astype(np.int64) for column in ("label", "prediction"))
    lengths, pairs = np.array([*map(len, attention)]), not table["candidates"].null_count
    return Readout(
        ids=table["id"].to_pylist(),
        labels=labels,
        predictions=decided,
        probabilities=predicted,
        attention=attention,
        contribution=_split_rows(table, path, "contribution", lengths, outputs),
        bias=bias,
        head=_read_head(path.with_name(HEAD_FILE), predicted.shape[1], outputs) if pairs else None,
        candidates=_split_rows(table, path, "candidates") if pairs else None,
        several=_read_several(table, path, tail, lengths) if "heads" in table.column_names else None,
        maps=_read_maps(table),
    )


def find_kind(path: Path) -> Artefact:
    """Find which kind of readout a file is."""
    return {each.name: each for each in (HEADED, SEVERAL)}.get(name_kind(path), READOUT)


def _kind(path: Path) -> tuple[Artefact, LogitTail | None]:
    """Find which kind of readout a file is, and the tail beside it, which those of Transformers have."""
    kind = find_kind(path)
    if kind is not HEADED:
        return kind, None
    tail_path = path.with_name(TAIL_FILE)
    tensors = read_weights(tail_path)
    try:
        return kind, replace(
            build_replay(tensors) if SPEC in tensors else build_tail(tensors), target=build_target(tensors)
        )
    except (KeyError, IndexError) as error:
        raise AuditError(
            str(tail_path), f"holds no tail of a Transformer ({error})", rebuild_hint(tail_path)
        ) from error


def read_readout(path: Path) -> Readout:
    """Read a readout file and, for a model of pairs or a Transformer, the file with the head or the tail beside it.

    Raises AuditError where one of them is damaged, or where their columns contradict each other.
    """
    kind, tail = _kind(path)
    return _from_table(read_table(path, kind), path, tail)


def read_readouts(path: Path) -> Iterator[Readout]:
    """Return a readout file as readouts of few texts, in order; only one row group is in memory at a time.

    Raises AuditError as `read_readout` does.
    """
    kind, tail = _kind(path)
    rows = READOUT_TEXTS_AT_ONCE if tail is None else HEADED_TEXTS_AT_ONCE
    for table in read_batches(path, kind, kind.schema.names):
        for start in range(0, len(table), rows):
            yield _from_table(table.slice(start, rows), path, tail)
