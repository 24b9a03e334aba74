"""Gradients: how much would the prediction move if a word were a little more present?

Claims: weights that order the tokens differently from gradients do not explain what changes the prediction. Assumes
that gradients do. Jain & Wallace 2019, section 4.1: g_t = |dp/d(one-hot of word t)| = |<dp/de_t, e_t>|, where e_t is
the vector of token t; each g_t is divided by the sum over the text. A token that a Transformer reads in pieces has the
sum over its pieces in the place of the product.

Either the attention weights are held constant, as Jain & Wallace do (`attached=False`), or they too depend on the
vectors (`attached=True`).

Here p is the probability of the predicted class, but the log odds are differentiated: dp = p (1 - p) d log(p / (1 -
p)). The factor p (1 - p) is the same for all tokens of a text, so the shares do not change; and the log odds still have
a gradient where p rounds to 1 and the gradient of p itself would be zero.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.audits.attributions import Scores, by_length, evaluating, shares, whole
from attention_audit.audits.embedded import by_token, run_on, vectors_of
from attention_audit.batching import Indices
from attention_audit.model.batch import Split
from attention_audit.model.network import Network

TOKENS = 8192
"""Padded tokens of a batch at most."""


def log_odds(logits: Tensor) -> Tensor:
    """Log odds of the most likely class against all others: (B, O) -> (B,).

    With one output these are the log odds of class 1, whose sign may differ. Where a text has only one candidate, the
    result is 0 with a gradient of zero.
    """
    if logits.shape[-1] == 1:
        return logits.squeeze(-1)
    chosen = logits.argmax(-1, keepdim=True)
    others = logits.scatter(-1, chosen, float("-inf"))
    alone = others.isneginf().all(-1)
    # the gradient of a logsumexp over nothing would be NaN
    odds = logits.gather(-1, chosen).squeeze(-1) - others.masked_fill(alone[:, None], 0.0).logsumexp(-1)
    return odds.masked_fill(alone, 0.0)


@contextmanager
def constant_attention(model: Network) -> Iterator[None]:
    """Detach the attention weights in the block, so that no gradient passes through them."""

    def cut(module: Any, inputs: Any, weights: Tensor) -> Tensor:
        return weights.detach()

    handle = model.attention.register_forward_hook(cut)
    try:
        yield
    finally:
        handle.remove()


def slopes(model: Network, split: Split, members: Indices) -> Scores:
    """For the texts at `members`, each token's share of |<d log odds/de_t, e_t>|."""
    scores: Scores = [np.empty(0)] * len(members)
    for places, batch in by_length(split, members, TOKENS):
        vectors = vectors_of(model, batch).requires_grad_()
        odds = log_odds(run_on(model, batch, vectors).logits)
        (slope,) = torch.autograd.grad(odds.sum(), vectors)
        products = by_token(batch, (slope * vectors).sum(-1))
        for place, of_text in zip(places, shares(products, split.lengths[members[places]]), strict=True):
            scores[place] = of_text
    return scores


def gradients(model: Network, split: Split, members: Indices | None = None, attached: bool = False) -> Scores:
    """Each token's share of the gradient, text by text in the order of `members` (by default all texts).

    `attached`: let the attention weights depend on the vectors too. The shares are zeros where a text's gradient is
    zero everywhere. Raises ValueError on a split that is read as sentences.
    """
    # the fast recurrent kernels of a GPU have no backward pass in evaluation
    with evaluating(model), torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        if attached:
            return slopes(model, split, whole(split, members))
        with constant_attention(model):
            return slopes(model, split, whole(split, members))


def attached_gradients(model: Network, split: Split) -> Scores:
    """`gradients` of all texts, with attention weights that depend on the vectors too."""
    return gradients(model, split, attached=True)
