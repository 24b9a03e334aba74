"""Permutation: does it matter which token has which weight?

Claims: where shuffled weights hardly change the prediction, the weights do not explain it. Assumes that weights may be
chosen independently of the network that computes them. Where the weights are flat or all states are alike (`conicity`),
no permutation can change the prediction, whatever it rests on. Jain & Wallace 2019, section 4.2.1: the median TVD over
random permutations. Runs on the readout.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from attention_audit.audits.settings import Permutation
from attention_audit.audits.streams import stream
from attention_audit.divergence import tvd
from attention_audit.padded import Padded
from attention_audit.readout import Readout


def permuted(texts: Padded, ids: list[str], permutations: int, seed: int) -> torch.Tensor:
    """The weights of n texts in random orders, (permutations, n, L), with zeros on padding.

    `ids` are the ids of all texts of the readout.
    """
    weights = texts.attention.numpy()
    shuffled = np.zeros((permutations, *weights.shape), weights.dtype)
    for row, (member, length) in enumerate(zip(texts.members, texts.lengths.tolist(), strict=True)):
        copies = np.broadcast_to(weights[row, :length], (permutations, length))
        shuffled[:, row, :length] = stream("permutation", ids[member], seed).permuted(copies, axis=1)
    return torch.from_numpy(shuffled)


def permutation(readout: Readout, settings: Permutation, seed: int) -> dict[str, Any]:
    """Columns id, prediction, max_attention, median_tvd; one row for each text."""
    moved = np.empty(len(readout))
    for texts in readout.batches(torch.float64):
        before = texts.predict(texts.attention[None])
        after = texts.predict(permuted(texts, readout.ids, settings.permutations, seed))
        moved[texts.members] = np.median(tvd(after, before).numpy(), axis=0)
    return {
        "id": readout.ids,
        "prediction": readout.predictions.astype(np.int32),
        "max_attention": readout.max_attention,
        "median_tvd": moved,
    }
