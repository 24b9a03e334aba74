"""Gradients: how much would the prediction move if a word were a little more present?

Claims: weights that order the tokens unlike gradients do are no account of what moves the prediction. Assumes that a
gradient is one. Jain & Wallace 2019, section 4.1: g_t = |dp/d(one-hot of word t)| = |<dp/de_t, e_t>|, e_t the vector of
token t, as a share of the text's sum.

Attention is held constant (`attached=False`, theirs), or moves with the vectors too.

Here p is the predicted class's probability, but its log odds are differentiated: dp = p (1 - p) d log(p / (1 - p)). The
factor is the same for all tokens of a text and leaves their shares alone, and log odds still have a gradient where p
rounds to 1 and its own would be zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.audits.attributions import Scores, by_length, evaluating, shares, whole
from attention_audit.audits.embedded import run_on, vectors_of
from attention_audit.model.batch import Indices, Split
from attention_audit.model.network import Network

TOKENS = 8192
"""Padded tokens of a batch."""


def log_odds(logits: Tensor) -> Tensor:
    """Log odds of the most likely class against all others, but for the sign where there are two: (B, O) -> (B,).

    0, with a gradient of zero, where a text has one candidate alone.
    """
    if logits.shape[-1] == 1:
        return logits.squeeze(-1)
    chosen = logits.argmax(-1, keepdim=True)
    others = logits.scatter(-1, chosen, float("-inf"))
    alone = others.isneginf().all(-1)
    # a logsumexp over nothing would have no gradient that is a number
    odds = logits.gather(-1, chosen).squeeze(-1) - others.masked_fill(alone[:, None], 0.0).logsumexp(-1)
    return odds.masked_fill(alone, 0.0)


@contextmanager
def constant_attention(model: Network) -> Iterator[None]:
    """Cut the attention weights out of the graph."""

    def cut(module: Any, inputs: Any, weights: Tensor) -> Tensor:
        return weights.detach()

    handle = model.attention.register_forward_hook(cut)
    try:
        yield
    finally:
        handle.remove()


def slopes(model: Network, split: Split, members: Indices) -> Scores:
    """Shares of |<d log odds/de_t, e_t>| of the texts at `members`, as the model computes its log odds."""
    found: Scores = [np.empty(0)] * len(members)
    for places, batch in by_length(split, members, TOKENS):
        vectors = vectors_of(model, batch).requires_grad_()
        odds = log_odds(run_on(model, batch, vectors).logits)
        (slope,) = torch.autograd.grad(odds.sum(), vectors)
        products = (slope * vectors).sum(-1)[:, 1:-1]
        for place, scores in zip(places, shares(products, split.lengths[members[places]]), strict=True):
            found[place] = scores
    return found


def gradients(model: Network, split: Split, members: Indices | None = None, attached: bool = False) -> Scores:
    """Each token's share of the gradient, text by text in the order of `members` (by default of the split).

    Zeros where a text has no gradient at all. Raises ValueError on a split that is read as sentences.
    """
    # the fast recurrent kernels of a GPU have no backward pass in evaluation
    with evaluating(model), torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        if attached:
            return slopes(model, split, whole(split, members))
        with constant_attention(model):
            return slopes(model, split, whole(split, members))


def attached_gradients(model: Network, split: Split) -> Scores:
    """`gradients` of all texts where attention moves with the vectors too."""
    return gradients(model, split, attached=True)
