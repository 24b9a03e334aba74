"""What audits share: values of batches of texts in the order of the readout, rows as columns, random orders."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Array, Floats, Integers
from attention_audit.batching import stream
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout

Columns = dict[str, Any]
"""Columns of an audit by name, arrays or lists with an entry a row."""


def select_class(predicted: Tensor, classes: Integers) -> Floats:
    """Select what is predicted for a class of each text: (n, C), (n,) -> (n,)."""
    chosen = torch.from_numpy(classes[:, None]).to(predicted.device)
    return predicted.gather(1, chosen)[:, 0].cpu().numpy()


def collect(measure: Callable[..., Mapping[str, Any]], *batches: Iterable[Any]) -> Columns:
    """Measure the batches of one or several readouts, and put the values into the order of the texts.

    `measure` gives values by name: numbers (..., n), or a list of n values.
    """
    members, values = zip(*((each[0].members, measure(*each)) for each in zip(*batches, strict=True)), strict=True)
    order = np.concatenate(members).argsort()
    columns: Columns = {}
    for name in values[0]:
        parts = [of_batch[name] for of_batch in values]
        if isinstance(parts[0], list):
            rows = [row for of_batch in parts for row in of_batch]
            columns[name] = [rows[row] for row in order]
        else:
            columns[name] = np.concatenate(parts, -1)[..., order]
    return columns


def stack_values(measured: Sequence[Columns]) -> Columns:
    """Stack what was measured of n texts several times, K values by the same names: K times (..., n) -> (K, ..., n)."""
    return {name: torch.stack([values[name] for values in measured]) for name in measured[0]}


def repeat_texts(readout: Readout, members: Integers, times: int) -> Columns:
    """List id and items of the texts at `members`, all of them so many times."""
    items = readout.lengths[members].astype(np.int32)
    return {"id": [readout.ids[member] for member in members] * times, "items": np.tile(items, times)}


def make_columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Make columns of these names from rows, of which there may be none."""
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def draw_orders(
    texts: PaddedReadout, ids: list[str], permutations: int, seed: int, marks: bool = True, purpose: str = "permutation"
) -> Tensor:
    """Draw random orders of the items of n texts, (permutations, n, L).

    Padding keeps its places, and so do marks unless they are to move.

    `ids` are the ids of all texts of the readout. Orders for another purpose are independent of these.
    """
    positions = np.arange(texts.attention.shape[1])
    shuffled = np.tile(positions, (permutations, len(texts.members), 1))
    moving = texts.lengths if marks else texts.words
    for row, (member, length) in enumerate(zip(texts.members, moving.tolist(), strict=True)):
        copies = np.broadcast_to(positions[:length], (permutations, length))
        shuffled[:, row, :length] = stream(purpose, ids[member], seed).permuted(copies, axis=1)
    return torch.from_numpy(shuffled)


def permute_weights(weights: Tensor, orders: Tensor) -> Tensor:
    """Put weights of n texts into these orders: (n, L), (permutations, n, L) -> (permutations, n, L)."""
    return weights.expand(orders.shape).gather(2, orders)


def compute_rank_correlation(first_scores: Array, second_scores: Array) -> float:
    """Compute Spearman's rank correlation of two scores of the same words; NaN where all scores of either are alike."""
    from scipy.stats import rankdata

    if len(first_scores) < 2:
        return np.nan
    with np.errstate(invalid="ignore"):
        return float(np.corrcoef(rankdata(first_scores), rankdata(second_scores))[0, 1])
