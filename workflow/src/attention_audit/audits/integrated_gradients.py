"""Integrated gradients: how much each token adds to the prediction on the path from an empty text to the text itself.

The path is the straight line from zero vectors for all tokens to the tokens' own vectors; the marks stay as they are.
A Transformer's vectors are those of pieces, and a token has the sum over its pieces.
Along it, the gradients of the predicted class's probability are integrated, and over all tokens they add up to what the
probability gains. The attention weights depend on the vectors. Sundararajan, Taly & Yan 2017, computed by Captum.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from attention_audit.audits.attributions import GRADIENTS, Scores, by_length, evaluating, whole
from attention_audit.audits.embedded import by_token, of_tokens, run_on, vectors_of
from attention_audit.batching import Indices
from attention_audit.model.batch import Batch, Split
from attention_audit.model.network import Network
from attention_audit.model.probabilities import probabilities

TOKENS = 8192
"""Padded tokens of a batch, times the steps of the path, at most."""


@contextmanager
def constant_weights(model: Network) -> Iterator[None]:
    """Compute no gradients of the model's own weights in the block: an LSTM's cost as much again as its inputs'."""
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter in learnt:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in learnt:
            parameter.requires_grad_(True)


def gains(model: Network, split: Split, members: Indices, batch: Batch, steps: int) -> Tensor:
    """What each token adds to the probability of the predicted class, with its sign: (n, L)."""
    from captum.attr import IntegratedGradients

    def probability(vectors: Tensor, rows: Tensor, chosen: Tensor) -> Tensor:
        texts = split.batch(members[rows.cpu().numpy()])
        return probabilities(run_on(model, texts, vectors).logits).gather(1, chosen[:, None]).squeeze(1)

    vectors = vectors_of(model, batch)
    chosen = probabilities(model(batch).logits).argmax(1)
    attributed: Tensor = IntegratedGradients(probability).attribute(
        vectors,
        baselines=vectors.masked_fill(of_tokens(batch)[..., None], 0.0),
        additional_forward_args=(torch.arange(len(members), device=vectors.device), chosen),
        n_steps=steps,
    )
    return by_token(batch, attributed.sum(-1))


def integrated_gradients(model: Network, split: Split, steps: int, members: Indices | None = None) -> Scores:
    """What each token adds, with its sign, text by text in the order of `members` (by default all texts).

    Raises ValueError on a split that is read as sentences.
    """
    members = whole(split, members)
    scores: Scores = [np.empty(0)] * len(members)
    # the fast recurrent kernels of a GPU have no backward pass in evaluation
    with evaluating(model), constant_weights(model), torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        for places, batch in by_length(split, members, split.room(TOKENS, GRADIENTS) / steps):
            texts = members[places]
            added = gains(model, split, texts, batch, steps).detach().double().cpu().numpy()
            for place, of_text, length in zip(places, added, split.lengths[texts], strict=True):
                scores[place] = of_text[:length]
    return scores
