"""The readout: all that a post-hoc test needs to know of a trained model.

Every classifier here ends in logits = sum_t a_t z_t + b with z_t = W h_t. The items t of a text are its tokens, or its
sentences in a hierarchical model. With a, z and b stored, the prediction under any other attention is a dot product,
without the network. A model of pairs has a small head above, which is stored in a file beside the readout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.parquet import read_batches, read_table
from attention_audit.columns.readout import HEAD, READOUT
from attention_audit.errors import AuditError
from attention_audit.padded import Head, Padded

Floats = npt.NDArray[np.float32]
Classes = npt.NDArray[np.int32]
HEAD_FILE = "head.parquet"
"""Name of the file with the head of a model of pairs; it lies beside the readouts and serves all splits."""
AT_ONCE = 2000
"""Texts of a readout that are read or written together, since all of them may not fit in memory."""


def _pad(rows: list[Floats], dtype: torch.dtype) -> Tensor:
    flat = torch.from_numpy(np.concatenate(rows)).to(dtype)  # one conversion instead of one per row
    return pad_sequence(list(torch.split(flat, [len(row) for row in rows])), batch_first=True)


@dataclass(frozen=True)
class Readout:
    """One model on one split, or on some of its texts: N texts, C classes, O outputs; text i has L_i items.

    attention[i] (L_i,), contribution[i] (L_i, O), bias (N, O), probabilities (N, C), labels and predictions (N,).
    A model of pairs also has its head, and candidates[i], the classes that may be the answer to text i.
    """

    ids: list[str]
    labels: npt.NDArray[np.int64]
    predictions: npt.NDArray[np.int64]
    probabilities: Floats
    attention: list[Floats]
    contribution: list[Floats]
    bias: Floats
    head: Head | None = None
    candidates: list[Classes] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of items of each text, (N,)."""
        return np.array([len(weights) for weights in self.attention], dtype=np.int64)

    @property
    def max_attention(self) -> npt.NDArray[np.float64]:
        """The largest weight in each text, (N,)."""
        return np.array([weights.max() for weights in self.attention], dtype=np.float64)

    def aligned(self, ids: Sequence[str]) -> Readout:
        """The same readout with its texts in the order of `ids`; raises AuditError where a text is missing."""
        at = {name: position for position, name in enumerate(self.ids)}
        missing = [name for name in ids if name not in at]
        if missing:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise AuditError(f"readout: text {missing[0]!r}{others} is missing; rebuild the readouts of this data set")
        order = [at[name] for name in ids]
        return Readout(
            list(ids),
            self.labels[order],
            self.predictions[order],
            self.probabilities[order],
            [self.attention[i] for i in order],
            [self.contribution[i] for i in order],
            self.bias[order],
            self.head,
            None if self.candidates is None else [self.candidates[i] for i in order],
        )

    def batches(self, dtype: torch.dtype, positions: int = 4096) -> Iterator[Padded]:
        """All texts, shortest first, in batches of about `positions` items together, padded with zeros."""
        lengths = self.lengths
        order = np.argsort(lengths, kind="stable")
        head = None if self.head is None else Head(*(part.to(dtype) for part in self.head))
        cumulative = np.cumsum(lengths[order])
        cuts = np.flatnonzero(np.diff(cumulative // positions)) + 1
        for members in np.split(order, cuts):
            yield Padded(
                members,
                _pad([self.attention[i] for i in members], dtype),
                _pad([self.contribution[i] for i in members], dtype),
                torch.tensor(self.bias[members], dtype=dtype),
                torch.from_numpy(lengths[members]),
                head,
                self._choices(members),
            )

    def _choices(self, members: npt.NDArray[np.int64]) -> Tensor | None:
        """True on the candidate classes of the texts at `members`, (n, C); None for a model of single texts."""
        if self.candidates is None:
            return None
        choices = np.zeros((len(members), self.probabilities.shape[1]), bool)
        for row, member in zip(choices, members, strict=True):
            row[self.candidates[member]] = True
        return torch.from_numpy(choices)

    def predict(self, attention: Sequence[Floats]) -> Floats:
        """Predicted probabilities (N, C) under other weights: one array for each text, as in `self.attention`."""
        predicted = np.empty_like(self.probabilities)
        for texts in self.batches(torch.float32):
            weights = _pad([attention[i] for i in texts.members], torch.float32)
            predicted[texts.members] = texts.predict(weights[None])[0].numpy()
        return predicted

    def columns(self) -> dict[str, Any]:
        """The columns that columns.readout.READOUT declares."""
        return {
            "id": self.ids,
            "label": self.labels.astype(np.int32),
            "prediction": self.predictions.astype(np.int32),
            "probabilities": list(self.probabilities),
            "attention": self.attention,
            "contribution": [z.reshape(-1) for z in self.contribution],
            "bias": list(self.bias),
            "candidates": [None] * len(self) if self.candidates is None else self.candidates,
        }

    def tables(self, rows: int = AT_ONCE) -> Iterator[pa.Table]:
        """The columns as tables of at most `rows` texts each, in order."""
        columns = self.columns()
        for start in range(0, len(self), rows):
            part = {name: values[start : start + rows] for name, values in columns.items()}
            yield pa.table(part, schema=READOUT.schema)


def head_columns(head: Head | None) -> dict[str, Any]:
    """The columns that columns.readout.HEAD declares; they are empty where a model has no head."""
    weight = [] if head is None else list(head.weight.numpy())
    bias = [] if head is None else head.bias.tolist()
    return {"class": range(len(bias)), "weight": weight, "bias": bias}


def _rows(column: pa.ChunkedArray) -> list[npt.NDArray[Any]]:
    flat = column.combine_chunks()
    return np.split(flat.flatten().to_numpy(), flat.offsets.to_numpy()[1:-1] - flat.offsets[0].as_py())


def _read_head(path: Path, classes: int, outputs: int) -> Head:
    table = read_table(path, HEAD)
    weight = _rows(table["weight"])
    if len(weight) != classes or any(len(row) != outputs for row in weight):
        raise AuditError(f"{path}: does not fit the readouts beside it, which have other sizes; {rebuild_hint(path)}")
    return Head(torch.from_numpy(np.stack(weight)), torch.from_numpy(table["bias"].to_numpy().astype(np.float32)))


def _from_table(table: pa.Table, path: Path) -> Readout:
    bias = np.stack(_rows(table["bias"]))
    attention = _rows(table["attention"])
    contribution = _rows(table["contribution"])
    outputs = bias.shape[1]
    for name, weights, values in zip(table["id"].to_pylist(), attention, contribution, strict=True):
        if len(values) != outputs * len(weights):
            counts = f"{len(weights)} weights but {len(values)} contributions"
            raise AuditError(f"{path}: text {name!r} has {counts}; {rebuild_hint(path)}")
    predicted = np.stack(_rows(table["probabilities"]))
    pairs = table["candidates"].null_count == 0
    return Readout(
        table["id"].to_pylist(),
        table["label"].to_numpy().astype(np.int64),
        table["prediction"].to_numpy().astype(np.int64),
        predicted,
        attention,
        [values.reshape(-1, outputs) for values in contribution],
        bias,
        _read_head(path.with_name(HEAD_FILE), predicted.shape[1], outputs) if pairs else None,
        _rows(table["candidates"]) if pairs else None,
    )


def read_readout(path: Path) -> Readout:
    """Read a readout file and, for a model of pairs, the file with the head beside it.

    Raises AuditError where one of them is damaged, or where their columns contradict each other.
    """
    return _from_table(read_table(path, READOUT), path)


def read_readouts(path: Path, rows: int = AT_ONCE) -> Iterator[Readout]:
    """A readout file as readouts of at most `rows` texts, in order; only one row group is in memory at a time.

    Raises AuditError as `read_readout` does.
    """
    for table in read_batches(path, READOUT, READOUT.schema.names):
        for start in range(0, len(table), rows):
            yield _from_table(table.slice(start, rows), path)
