"""Heads: which head of several, if any, can be read?

Each head is asked two questions of the mean map by itself. Does the prediction depend on its weights: how far does it
move when this head's weights alone are shuffled over the items? And does it rank: when items are erased in all heads in
the order of this head's weights, how many go until the decision flips? Claims: a head that neither moves the prediction
nor ranks shows no reason of it, however sharp its map. That several heads are asked makes one of them look good by
chance now and then; its seeds say whether it does again. Runs on the readout, through the tail of a Transformer. Of
another model the mean of the heads alone decides, so that a head's weights change it by their part of the mean.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.audits.erasure import ErasableTexts, erasable, find_share
from attention_audit.audits.permutation import orders
from attention_audit.audits.rankings import falling
from attention_audit.divergence import flipped, tvd
from attention_audit.padded import Padded
from attention_audit.readout import Readout

MOST = 20
"""Permutations at most: of twelve heads, a hundred each would take longer than all other audits."""


def with_other(texts: Padded, weights: Tensor, head: int, other: Tensor) -> Tensor:
    """All weights that a prediction is made of, with K others of one head: (n, H, L), (K, n, L) -> as `Padded.weights`,
    behind an axis of K.
    """
    if texts.heads is None:
        return texts.attention + (other - weights[:, head]) / weights.shape[1]
    every = weights.repeat(len(other), 1, 1, 1)
    every[:, :, head] = other
    return every


def shuffled(texts: Padded, weights: Tensor, ids: list[str], permutations: int, seed: int) -> tuple[Tensor, Tensor]:
    """How far the prediction moves when one head's weights are permuted, (n, H), and how often the decision flips.

    weights: of the heads, (n, H, L).
    """
    before = texts.predict(texts.weights[None])
    drawn = orders(texts, ids, min(permutations, MOST), seed)
    moved, flips = [], []
    for head in range(weights.shape[1]):
        permuted = weights[:, head].expand(drawn.shape).gather(-1, drawn)
        after = texts.predict(with_other(texts, weights, head, permuted))
        moved.append(tvd(after, before).mean(0))
        flips.append(flipped(before, after).double().mean(0))
    return torch.stack(moved, 1), torch.stack(flips, 1)


def removed(texts: ErasableTexts, weights: Tensor) -> Tensor:
    """The share of items erased in the order of each head's weights until the decision flips, (n, H); NaN for never.

    weights: of the heads, (n, H, L).
    """
    orders = (falling(pad(of_head, (0, 1)), texts.lengths, texts.words) for of_head in weights.unbind(1))
    return torch.stack([find_share(texts, order) for order in orders], 1)


def heads(readout: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns id, head, items, mean_tvd, flips, fraction_removed; one row for each text and head, heads from 1.

    mean_tvd, flips: of at most `MOST` permutations of this head's weights, the other heads as they are.
    fraction_removed: of the items, when they are erased in all heads in the order of this head's weights until the
    decision flips; NaN where it never does. No rows where the readout has one map.
    """
    count, several = len(readout), readout.several.weights[0].shape[1] if readout.several else 0
    if not several:
        return {name: [] for name in ("id", "head", "items", "mean_tvd", "flips", "fraction_removed")}
    moved, flips, gone = np.empty((3, count, several))
    for texts in readout.batches(torch.float64):
        of_heads = shuffled(texts, readout.padded_heads(texts.members), readout.ids, permutations, seed)
        moved[texts.members], flips[texts.members] = (values.numpy() for values in of_heads)
    for batch in erasable(readout):
        gone[batch.members] = removed(batch, readout.padded_heads(batch.members)).numpy()
    return {
        "id": [name for name in readout.ids for _ in range(several)],
        "head": np.tile(np.arange(1, several + 1, dtype=np.int32), count),
        "items": np.repeat(readout.lengths.astype(np.int32), several),
        "mean_tvd": moved.reshape(-1),
        "flips": flips.reshape(-1),
        "fraction_removed": gone.reshape(-1),
    }
