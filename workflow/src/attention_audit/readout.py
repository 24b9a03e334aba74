"""The readout: all that a post-hoc test needs to know of a trained model.

Every classifier here ends in logits = sum_t a_t z_t + b with z_t = W h_t, over the items t of a text: its tokens, or
its sentences in a hierarchical model. Given a, z and b, any new attention is scored by a dot product, without the
network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.parquet import read_batches, read_table
from attention_audit.artefacts.schema import READOUT
from attention_audit.errors import AuditError
from attention_audit.model.batch import Split
from attention_audit.model.classifier import Classifier, probabilities

Floats = npt.NDArray[np.float32]
AT_ONCE = 2000
"""Texts of a readout that are handled together, where all of them may not fit in memory."""


class Padded(NamedTuple):
    """n texts of a readout, padded to the longest: attention (n, L), contribution (n, L, O), bias (n, O), lengths (n,);
    `members` (n,) are their positions in it."""

    members: npt.NDArray[np.int64]
    attention: Tensor
    contribution: Tensor
    bias: Tensor
    lengths: Tensor


def _pad(rows: list[Floats], dtype: torch.dtype) -> Tensor:
    flat = torch.from_numpy(np.concatenate(rows)).to(dtype)  # one conversion, not one a row
    return pad_sequence(list(torch.split(flat, [len(row) for row in rows])), batch_first=True)


@dataclass(frozen=True)
class Readout:
    """One model on one split, or on some texts of it: N texts, C classes, O outputs, text i of L_i items.

    attention[i] (L_i,), contribution[i] (L_i, O), bias (N, O), probabilities (N, C), labels and predictions (N,).
    """

    ids: list[str]
    labels: npt.NDArray[np.int64]
    predictions: npt.NDArray[np.int64]
    probabilities: Floats
    attention: list[Floats]
    contribution: list[Floats]
    bias: Floats

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Items of each text, (N,)."""
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
        )

    def batches(self, dtype: torch.dtype, positions: int = 4096) -> Iterator[Padded]:
        """All texts, shortest first, in batches of about so many positions, padded with zeros."""
        lengths = self.lengths
        order = np.argsort(lengths, kind="stable")
        cumulative = np.cumsum(lengths[order])
        cuts = np.flatnonzero(np.diff(cumulative // positions)) + 1
        for members in np.split(order, cuts):
            yield Padded(
                members,
                _pad([self.attention[i] for i in members], dtype),
                _pad([self.contribution[i] for i in members], dtype),
                torch.tensor(self.bias[members], dtype=dtype),
                torch.from_numpy(lengths[members]),
            )

    def columns(self) -> dict[str, Any]:
        """Columns of schema.READOUT."""
        return {
            "id": self.ids,
            "label": self.labels.astype(np.int32),
            "prediction": self.predictions.astype(np.int32),
            "probabilities": list(self.probabilities),
            "attention": self.attention,
            "contribution": [z.reshape(-1) for z in self.contribution],
            "bias": list(self.bias),
        }

    def tables(self, rows: int = AT_ONCE) -> Iterator[pa.Table]:
        """The same as tables of at most `rows` texts, in order."""
        columns = self.columns()
        for start in range(0, len(self), rows):
            part = {name: values[start : start + rows] for name, values in columns.items()}
            yield pa.table(part, schema=READOUT.schema)


@contextmanager
def _evaluating(model: Classifier) -> Iterator[None]:
    """Without gradients and without dropout; a training goes on behind it."""
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(training)


def predict_split(model: Classifier, split: Split) -> Floats:
    """Predicted distributions over a split, (N, C), without gradients and dropout."""
    logits = torch.empty(len(split), model.decoder.out_features)
    with _evaluating(model):
        for members, batch in split.in_order_of_length():
            logits[torch.from_numpy(members)] = model(batch).logits.cpu()
        return probabilities(logits).numpy()


def take_readout(model: Classifier, split: Split, ids: Sequence[str]) -> Readout:
    """Run the model over a split, without gradients and dropout."""
    count = len(split)
    attention: list[Floats] = [np.empty(0, np.float32)] * count
    contribution: list[Floats] = [np.empty((0, 0), np.float32)] * count
    logits = np.empty((count, model.decoder.out_features), np.float32)
    with _evaluating(model):
        for members, batch in split.in_order_of_length():
            output = model(batch)
            weights, values = output.attention.cpu().numpy(), model.contributions(output.states).cpu().numpy()
            logits[members] = output.logits.cpu().numpy()
            for row, member in enumerate(members):
                items = split.items[member]
                attention[member], contribution[member] = weights[row, :items], values[row, :items]
        predicted = probabilities(torch.from_numpy(logits)).numpy()
        bias = model.decoder.bias.cpu().numpy()
    return Readout(
        list(ids),
        split.labels,
        predicted.argmax(1),
        predicted,
        attention,
        contribution,
        np.broadcast_to(bias, logits.shape),
    )


def _rows(column: pa.ChunkedArray) -> list[Floats]:
    flat = column.combine_chunks()
    return np.split(flat.flatten().to_numpy(), flat.offsets.to_numpy()[1:-1] - flat.offsets[0].as_py())


def _from_table(table: pa.Table, path: Path) -> Readout:
    bias = np.stack(_rows(table["bias"]))
    attention = _rows(table["attention"])
    contribution = _rows(table["contribution"])
    outputs = bias.shape[1]
    for name, weights, values in zip(table["id"].to_pylist(), attention, contribution, strict=True):
        if len(values) != outputs * len(weights):
            found = f"{len(weights)} weights but {len(values)} contributions"
            raise AuditError(f"{path}: text {name!r} has {found}; {rebuild_hint(path)}")
    return Readout(
        table["id"].to_pylist(),
        table["label"].to_numpy().astype(np.int64),
        table["prediction"].to_numpy().astype(np.int64),
        np.stack(_rows(table["probabilities"])),
        attention,
        [values.reshape(-1, outputs) for values in contribution],
        bias,
    )


def read_readout(path: Path) -> Readout:
    """Read a readout file; raises AuditError where it is damaged or its columns contradict each other."""
    return _from_table(read_table(path, READOUT), path)


def read_readouts(path: Path, rows: int = AT_ONCE) -> Iterator[Readout]:
    """A readout file as readouts of at most `rows` texts, in order, read row group by row group: memory is bounded.

    Raises AuditError as `read_readout` does.
    """
    for table in read_batches(path, READOUT, READOUT.schema.names):
        for start in range(0, len(table), rows):
            yield _from_table(table.slice(start, rows), path)
