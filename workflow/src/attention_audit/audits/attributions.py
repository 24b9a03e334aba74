"""What all attributions share. An attribution gives every token of a text a score: the higher, the more it matters."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from torch import Tensor

from attention_audit.batching import Indices, runs
from attention_audit.model.batch import Batch, Split
from attention_audit.model.network import Network

Scores = list[npt.NDArray[np.float64]]
"""For each text i, the scores of its tokens, (L_i,)."""


@contextmanager
def evaluating(model: Network) -> Iterator[None]:
    """Switch dropout off in the block and leave gradients on; afterwards the model is in the mode it had before."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def whole(split: Split, members: Indices | None) -> Indices:
    """`members`, or the positions of all texts where it is None."""
    return np.arange(len(split)) if members is None else members


GRADIENTS = 4
"""How many times more memory a token of a Transformer takes where gradients are computed."""


def by_length(split: Split, members: Indices, tokens: float) -> Iterator[tuple[Indices, Batch]]:
    """The texts at `members`, shortest first, in batches of at most `tokens` padded tokens, fewer for a Transformer.

    Each batch comes with the places of its texts in `members`. Raises ValueError where the items of a text are
    sentences, since attributions score tokens.
    """
    sizes = split.sizes[members]
    order = np.argsort(sizes, kind="stable")
    for run in runs(sizes[order] + 2, tokens=split.room(tokens, GRADIENTS)):
        yield order[run], flat(split.batch(members[order[run]]))


def flat(batch: Batch) -> Batch:
    """The batch; raises ValueError where the items of its texts are sentences."""
    if batch.documents is not None:
        raise ValueError("attributions score the tokens of flat texts, not of texts that are read as sentences")
    return batch


def shares(values: Tensor, lengths: Indices) -> Scores:
    """For each row, the magnitudes of its first lengths[n] values as shares of their sum; zeros where the sum is zero.

    (n, L), (n,) -> n rows.
    """
    magnitudes = values.detach().double().abs().cpu().numpy()
    rows = [row[:length] for row, length in zip(magnitudes, lengths.tolist(), strict=True)]
    return [row / (row.sum() or 1.0) for row in rows]
