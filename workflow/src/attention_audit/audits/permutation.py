"""Permutation: does it matter which token has which weight?

Claims: where shuffled weights hardly change the prediction, the weights do not explain it. Assumes that weights may be
chosen independently of the network that computes them. Where the weights are flat or all states are alike (`conicity`),
no permutation can change the prediction, whatever it rests on. Jain & Wallace 2019, section 4.2.1: the median TVD over
random permutations. The mean TVD, the share of permutations that change the decision, and how far a map is from its own
permutations are this package's. Runs on the readout.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.batching import stream
from attention_audit.divergence import flipped, jsd_rearranged, tvd
from attention_audit.padded import Padded
from attention_audit.readout import Readout

from .batches import collect
from .settings import Permutation


def orders(
    texts: Padded, ids: list[str], permutations: int, seed: int, marks: bool = True, purpose: str = "permutation"
) -> Tensor:
    """Draw random orders of the items of n texts, (permutations, n, L).

    Padding keeps its places, and so do marks unless they are to move.

    `ids` are the ids of all texts of the readout. Orders for another purpose are independent of these.
    """
    places = np.arange(texts.attention.shape[1])
    shuffled = np.tile(places, (permutations, len(texts.members), 1))
    moving = texts.lengths if marks else texts.words
    for row, (member, length) in enumerate(zip(texts.members, moving.tolist(), strict=True)):
        copies = np.broadcast_to(places[:length], (permutations, length))
        shuffled[:, row, :length] = stream(purpose, ids[member], seed).permuted(copies, axis=1)
    return torch.from_numpy(shuffled)


def permuted(weights: Tensor, orders: Tensor) -> Tensor:
    """Put weights of n texts into these orders: (n, L), (permutations, n, L) -> (permutations, n, L)."""
    return weights.expand(orders.shape).gather(2, orders)


def permutation(readout: Readout, settings: Permutation, seed: int) -> dict[str, Any]:
    """Columns id, prediction, max_attention, median_tvd, mean_tvd, flips, chance_jsd (nats); one row for each
    text.

    Every statistic is of the same permutations. flips: the share of them that change the decision. chance_jsd: the mean
    JSD of the attention from its permutations. With several heads, one permutation of the items is that of all heads.
    """

    def measure(texts: Padded) -> dict[str, Any]:
        random = orders(texts, readout.ids, settings.permutations, seed, settings.marks)
        before, after = texts.predict(texts.weights[None]), texts.predict(texts.permute(random))
        moved = tvd(after, before).numpy()
        return {
            "median_tvd": np.median(moved, axis=0),
            "mean_tvd": moved.mean(0),
            "flips": flipped(before, after).numpy().mean(0),
            "chance_jsd": jsd_rearranged(texts.attention, permuted(texts.attention, random)).mean(0),
        }

    return {
        "id": readout.ids,
        "prediction": readout.predictions.astype(np.int32),
        "max_attention": readout.max_attention,
    } | collect(measure, readout.batches(torch.float64))
