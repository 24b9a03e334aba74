"""What attributions share: each gives every token of a text a score, the higher the more it is said to matter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from torch import Tensor

from attention_audit.model.batch import Batch, Indices, Split, runs
from attention_audit.model.network import Network

Scores = list[npt.NDArray[np.float64]]
"""Of each text, (L_i,): the score of each token."""


@contextmanager
def evaluating(model: Network) -> Iterator[None]:
    """Without dropout, but with gradients; a training goes on behind it."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def whole(split: Split, members: Indices | None) -> Indices:
    """The texts asked for, or all of them."""
    return np.arange(len(split)) if members is None else members


def by_length(split: Split, members: Indices, tokens: float) -> Iterator[tuple[Indices, Batch]]:
    """The texts at `members`, shortest first, in batches of at most `tokens` padded tokens, each with their places in
    `members`.

    Raises ValueError where the items of a text are sentences: only tokens are attributed.
    """
    lengths = split.lengths[members]
    order = np.argsort(lengths, kind="stable")
    for run in runs(lengths[order] + 2, tokens=tokens):
        yield order[run], flat(split.batch(members[order[run]]))


def flat(batch: Batch) -> Batch:
    """The batch; raises ValueError where the items of its texts are sentences."""
    if batch.documents is not None:
        raise ValueError("tokens are attributed in flat texts, not in those that are read as sentences")
    return batch


def shares(values: Tensor, lengths: Indices) -> Scores:
    """Magnitudes of the first lengths[n] values of row n, each as a share of their sum; zeros where that is zero.

    (n, L), (n,) -> n rows.
    """
    magnitudes = values.detach().double().abs().cpu().numpy()
    rows = [row[:length] for row, length in zip(magnitudes, lengths.tolist(), strict=True)]
    return [row / (row.sum() or 1.0) for row in rows]
