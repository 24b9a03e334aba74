"""Gradients, at a text and on the path to it: how much does the prediction depend on the presence of a token?

Both differentiate with respect to the vectors of what a model reads. The vectors of a Transformer are those of pieces,
before positions and segments are added, and a token has the sum over its pieces.

Gradients: how much would the prediction move if a word were a little more present? Claims: weights that order the
tokens differently from gradients do not explain what changes the prediction. Assumes that gradients do. Jain & Wallace
2019, section 4.1: g_t = |dp/d(one-hot of word t)| = |<dp/de_t, e_t>|, where e_t is the vector of token t; each g_t is
divided by the sum over the text. Either the attention weights are held constant, as Jain & Wallace do
(`attached=False`), or they too depend on the vectors (`attached=True`). Here p is the probability of the predicted
class, but the log odds are differentiated: dp = p (1 - p) d log(p / (1 - p)). The factor p (1 - p) is the same for all
tokens of a text, so the shares do not change; and the log odds still have a gradient where p rounds to 1 and the
gradient of p itself would be zero.

Integrated gradients: how much does each token add to the prediction on the path from an empty text to the text itself?
The path is the straight line from zero vectors for all tokens to the tokens' own vectors; the marks stay as they are.
Along it, the gradients of the predicted class's probability are integrated, and over all tokens they add up to what the
probability gains. The attention weights depend on the vectors. Sundararajan, Taly & Yan 2017, computed by Captum.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call
from torch.nn.functional import pad

from attention_audit.arrays import Integers
from attention_audit.batching import sort_into_runs
from attention_audit.model.batch import Batch, Split
from attention_audit.model.network import Network, Output, use_inference
from attention_audit.model.tail import probabilities
from attention_audit.readout import Scores

GRADIENT_TOKENS = 8192
"""Padded tokens of a batch at most; of integrated gradients, times the steps of the path."""
GRADIENT_MEMORY = 4
"""How many times more memory a token of a Transformer takes where gradients are computed."""


def require_flat(batch: Batch) -> Batch:
    """Return the batch; raise ValueError where the items of its texts are sentences."""
    if batch.documents is not None:
        raise ValueError("attributions score the tokens of flat texts, not of texts that are read as sentences")
    return batch


def get_vectors(model: Network, batch: Batch) -> Tensor:
    """Get the vectors of a batch, detached from the embedding, one for each position that is read: (B, P, E).

    The positions are the tokens between both marks, P = L + 2; for a Transformer they are its pieces.
    """
    if model.transformer is not None and batch.pieces is not None:
        return model.transformer.look_up_vectors(batch.pieces).detach()
    vectors: Tensor = model.embedding(batch.ids)
    return vectors.detach()


def find_tokens(batch: Batch) -> Tensor:
    """Find the token of the text that each position is of, (B, P); -1 for marks, padding and what is of a query."""
    if batch.pieces is None:
        return torch.arange(-1, batch.mask.shape[1] + 1, device=batch.ids.device).where(pad(batch.mask, (1, 1)), -1)
    words, read = batch.pieces.words, batch.pieces.read
    return batch.pieces.send(words.where(words < read[:, None], -1))


def sum_pieces(batch: Batch, values: Tensor) -> Tensor:
    """Sum values of positions, (B, P), to those of the tokens, (B, L), over the pieces of each."""
    longest = batch.mask.shape[1]
    token = find_tokens(batch)
    return values.new_zeros(len(values), longest + 1).scatter_add(1, token.where(token >= 0, longest), values)[:, :-1]


def run_on(model: Network, batch: Batch, vectors: Tensor) -> Output:
    """Run the model on texts whose vectors are replaced by `vectors` (B, P, E).

    The embedding is extended by one row for each position of each text. So two positions with the same word have
    vectors of their own, and the encoder may look up a position as often as it likes.
    """
    if model.transformer is not None and batch.pieces is not None:
        return model(replace(batch, vectors=vectors))
    table = model.embedding.weight.detach()
    rows = torch.arange(batch.ids.numel(), device=table.device) + len(table)
    extended = {"embedding.weight": torch.cat([table, vectors.flatten(0, 1)])}
    return functional_call(model, extended, (replace(batch, ids=rows.view_as(batch.ids)),))


def compute_by_text(
    model: Network, split: Split, members: Integers, tokens: float, values: Callable[[Integers, Batch], Tensor]
) -> Scores:
    """Compute values of the tokens of the texts at `members`, in batches (n, L), with gradients on.

    Batches have at most `tokens` padded tokens, the shortest texts first, fewer for a Transformer. Raises ValueError
    where the items of a text are sentences, since attributions score tokens.
    """
    scores = [np.zeros(length) for length in split.lengths]
    # the fast recurrent kernels of a GPU have no backward pass in evaluation
    with (
        use_inference(model),
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.backends.cudnn.flags(enabled=False),
    ):
        for rows in sort_into_runs(split.sizes[members] + 2, split.scale_tokens(tokens, GRADIENT_MEMORY)):
            texts = members[rows]
            batch_values = values(texts, require_flat(split.batch(texts))).detach().double().cpu().numpy()
            for member, of_text in zip(texts, batch_values, strict=True):
                scores[member] = of_text[: split.lengths[member]]
    return scores


def compute_log_odds(logits: Tensor) -> Tensor:
    """Compute the log odds of the most likely class against all others: (B, O) -> (B,).

    With one output these are the log odds of class 1, whose sign may differ. Where a text has only one candidate, the
    result is 0 with a gradient of zero.
    """
    if logits.shape[-1] == 1:
        return logits.squeeze(-1)
    chosen = logits.argmax(-1, keepdim=True)
    other_logits = logits.scatter(-1, chosen, float("-inf"))
    alone = other_logits.isneginf().all(-1)
    # the gradient of a logsumexp over nothing would be NaN
    odds = logits.gather(-1, chosen).squeeze(-1) - other_logits.masked_fill(alone[:, None], 0.0).logsumexp(-1)
    return odds.masked_fill(alone, 0.0)


def compute_gradients(model: Network, split: Split, attached: bool = False) -> Scores:
    """Compute each token's share of the gradient, text by text.

    `attached`: let the attention weights depend on the vectors too. The shares are zeros where a text's gradient is
    zero everywhere. Raises ValueError on a split that is read as sentences.
    """

    def compute_slopes(_: Integers, batch: Batch) -> Tensor:
        vectors = get_vectors(model, batch).requires_grad_()
        odds = compute_log_odds(run_on(model, batch, vectors).logits)
        (slope,) = torch.autograd.grad(odds.sum(), vectors)
        return sum_pieces(batch, (slope * vectors).sum(-1))

    def detach(*args: Any) -> Any:
        return args[-1].detach()

    with nullcontext() if attached else model.attention.register_forward_hook(detach):
        products = compute_by_text(model, split, np.arange(len(split)), GRADIENT_TOKENS, compute_slopes)
    return [magnitudes / (magnitudes.sum() or 1.0) for magnitudes in map(np.abs, products)]


@contextmanager
def disable_weight_gradients(model: Network) -> Iterator[None]:
    """Compute no gradients of the model's own weights in the block: an LSTM's cost as much again as its inputs'."""
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter in learnt:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in learnt:
            parameter.requires_grad_(True)


def compute_integrated_gradients(model: Network, split: Split, steps: int, members: Integers) -> Scores:
    """Compute what each token of the texts at `members` adds to the probability of the predicted class, with its sign.

    Raises ValueError on a split that is read as sentences.
    """
    from captum.attr import IntegratedGradients

    def compute_gains(texts: Integers, batch: Batch) -> Tensor:
        def predict(vectors: Tensor, rows: Tensor, chosen: Tensor) -> Tensor:
            copies = split.batch(texts[rows.cpu().numpy()])
            return probabilities(run_on(model, copies, vectors).logits).gather(1, chosen[:, None]).squeeze(1)

        vectors = get_vectors(model, batch)
        attributed: Tensor = IntegratedGradients(predict).attribute(
            vectors,
            baselines=vectors.masked_fill(find_tokens(batch)[..., None] >= 0, 0.0),
            additional_forward_args=(
                torch.arange(len(texts), device=vectors.device),
                probabilities(model(batch).logits).argmax(1),
            ),
            n_steps=steps,
        )
        return sum_pieces(batch, attributed.sum(-1))

    with disable_weight_gradients(model):
        return compute_by_text(
            model, split, members, split.scale_tokens(GRADIENT_TOKENS, GRADIENT_MEMORY) / steps, compute_gains
        )
