"""Maps of attention weights alone: rows, means of them, rollout and flow (Abnar & Zuidema 2020); and maps by gradients
of the predicted class's logit: gradient x attention, AttCAT, input x gradient.

Maps by deleting random sets of words: LIME (Ribeiro et al. 2016) and KernelSHAP (Lundberg & Lee 2017), by captum.

A line is fitted to the probability of the predicted class in texts that keep some of the words. What is deleted is gone
from the input, and the classifier reads the rest; marks stay. A word's score is its slope in that line, and its pieces
have equal parts of it. Every text draws with the same seed, so that scores depend on no other text.
"""

from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_audit.batching import mark_lengths
from attention_audit.errors import AuditError
from attention_audit.model.tail import probabilities
from attention_audit.transformer.states import get_piece_limit

from .passes import ModelPass


def mean_row(model_pass: ModelPass) -> Tensor:
    """Average the classified piece's row over all layers and heads. One pass."""
    return torch.stack([model_pass.average_rows(layer.weights).mean(1) for layer in model_pass.layers]).mean(0)


def received(model_pass: ModelPass) -> Tensor:
    """Average what a piece receives from all pieces over layers, heads and rows. One pass."""
    summed = torch.stack([sum_columns(model_pass, layer.weights) for layer in model_pass.layers]).mean(0)
    return summed / model_pass.mask.sum(1, keepdim=True)


def sum_columns(model_pass: ModelPass, weights: Tensor) -> Tensor:
    """Sum what pieces receive from all pieces, the mean of the heads: (B, H, P, P) -> (B, P)."""
    return (weights * model_pass.mask[:, None, :, None]).sum(2).mean(1)


def largest_head(model_pass: ModelPass) -> Tensor:
    """Take, of the last layer, the row of the head with the most weight on one word, the first of equals. One pass."""
    rows = model_pass.average_rows(model_pass.layers[-1].weights)
    items = model_pass.pieces.weigh_items(rows)
    of_words = items * mark_lengths(model_pass.pieces.read, items.shape[2])[:, None]
    head = of_words.amax(2).argmax(1)
    return rows[torch.arange(len(rows)), head]


def take_row(model_pass: ModelPass, kind: str, number: int) -> Tensor:
    """Take the classified piece's row of one head of the last layer, or of one layer, the mean of its heads; both are
    counted from 1. One pass.
    """
    layers = [layer.weights for layer in model_pass.layers]
    parts = layers[-1].unbind(1) if kind == "head" else layers
    if number > len(parts):
        raise AuditError(
            str(model_pass.classifier.folder), f"has no {kind} {number} to map, but {len(parts)}", "name one of these"
        )
    row = model_pass.average_rows(parts[number - 1])
    return row if kind == "head" else row.mean(1)


def mix_heads(weights: Tensor) -> Tensor:
    """Average the heads with the residual connection: rows of (A + I) / 2, (B, H, P, P) -> (B, P, P)."""
    mean = weights.mean(1)
    return (mean + torch.eye(mean.shape[-1], device=mean.device)) / 2


def rollout(model_pass: ModelPass) -> Tensor:
    """Attention rollout: the classified piece's row of the product over the layers, the last one first, of (A + I) / 2,
    A the mean of heads.

    Abnar & Zuidema 2020, section 3. Their script for SST takes the greatest of all rows instead. Rows of padding add
    nothing, since no row has weight there. One pass.
    """
    row = model_pass.average_rows(mix_heads(model_pass.layers[-1].weights))[:, None]
    for layer in reversed(model_pass.layers[:-1]):
        row = row @ mix_heads(layer.weights)
    return row[:, 0] * model_pass.mask


def flow(model_pass: ModelPass) -> Tensor:
    """Attention flow: the greatest flow from the classified piece of the last layer to a piece below the first, through
    edges whose capacities are those of rollout's matrices. Where the mean of all pieces is classified, it flows from a
    node above them, through edges of equal capacities, which sum to 1.

    Abnar & Zuidema 2020, section 3. Their code divides by the sum over all pieces, and takes the greatest of all rows.
    One pass, and a maximum flow for each piece, whose cost grows with the square of the text's length and with the
    layers.
    """
    from scipy.sparse import block_diag, csr_array
    from scipy.sparse.csgraph import maximum_flow

    scores = torch.zeros_like(model_pass.mask)
    layers = [*(mix_heads(layer.weights) for layer in model_pass.layers), model_pass.classified[:, None]]
    unit = 1 << 20  # scipy's flows are whole numbers
    for text, count in enumerate(model_pass.pieces.lengths.tolist()):
        capacities = [np.rint(rows[text, :count, :count].float().cpu().numpy() * unit) for rows in layers]
        edges, source = block_diag(capacities, format="csr", dtype=np.int32), len(model_pass.layers) * count + count
        # from each layer to the one below it: those below the first, which come first, lead nowhere
        starts = np.concatenate([np.zeros(count, np.int32), edges.indptr])
        graph = csr_array((edges.data, edges.indices, starts), shape=(source + 1,) * 2)
        for piece in range(count):
            scores[text, piece] = maximum_flow(graph, source, piece).flow_value / unit
    return scores


def gradient_attention(model_pass: ModelPass) -> Tensor:
    """Gradient x attention, rolled: R = I, then for each layer from the first R <- R + mean_h((dA * A)+) R; of R, the
    classified piece's row.

    Chefer, Gur & Wolf 2021 (ICCV), equations 5 and 6, of self-attention. Their code has a switch that takes relevance
    by LRP in the place of A, which is not done here. One pass forth and one back.
    """
    slopes, mask = model_pass.slopes, model_pass.mask
    relevance = torch.eye(mask.shape[1], device=mask.device).expand(len(mask), -1, -1)
    for layer, slope in zip(slopes.layers, slopes.of_weights, strict=True):
        step = (slope * layer.weights.detach()).clamp(min=0).mean(1).to(relevance)
        relevance = relevance + step @ relevance
    return model_pass.average_rows(relevance) * mask


def attcat(model_pass: ModelPass) -> Tensor:
    """AttCAT: over all layers, the attention that a piece receives times what its state adds by the gradient, signed:

        sum_l  mean_h(mean_i A_lhij)  *  sum_d h_ljd ds/dh_ljd

    with the states h_l that layer l reads, as in the code of Qiang et al. 2022. That code also hides the marks from the
    network, which then reads another text than it classifies; here it reads what it classifies. One pass forth and one
    back.
    """
    slopes = model_pass.slopes
    scores = torch.zeros_like(model_pass.mask)
    for layer, slope in zip(slopes.layers, slopes.of_states, strict=True):
        received = sum_columns(model_pass, layer.weights.detach()) / model_pass.mask.sum(1, keepdim=True)
        scores = scores + received * (layer.below.detach() * slope).sum(-1)
    return scores * model_pass.mask


def input_gradient(model_pass: ModelPass) -> Tensor:
    """Input x gradient, signed: <v_j, ds/dv_j> with the vector v_j of piece j below position and segment.

    Shrikumar et al. 2017. One pass forth and one back.
    """
    slopes = model_pass.slopes
    return (slopes.vectors * slopes.of_vectors).sum(-1) * model_pass.mask


SAMPLES = 200
"""Sets of words of each text."""
SAMPLING_SEED = 0
KERNEL_WIDTH = 0.25
"""Of LIME's kernel over the cosine distance, as in its authors' code for texts."""


def list_deletable_words(model_pass: ModelPass, text: int) -> Tensor:
    """Find the words of a text that have a piece of their own, (K,), which can be deleted."""
    words = model_pass.pieces.words[text]
    return torch.unique(words[words >= 0])


def predict_kept(model_pass: ModelPass, text: int, words: Tensor, subsets: Tensor) -> Tensor:
    """Predict the probability of a text's class where of these words (K,) only some are kept, subsets (S, K): (S,)."""
    stays = subsets.new_ones(len(subsets), int(model_pass.pieces.read[text]), dtype=torch.bool)
    stays[:, words] = subsets > 0
    rows = model_pass.pieces.select_texts(torch.full((len(subsets),), text, device=subsets.device))
    logits = model_pass.classifier.compute_logits(rows.keep_words(stays))
    return probabilities(logits)[:, model_pass.explained[text]]


@torch.no_grad()
def fit_slopes(model_pass: ModelPass, explained: Any) -> Tensor:
    """Fit the slopes of all words, as scores of pieces (B, P). explained: makes a method of captum of a function."""
    of_items = model_pass.mask.new_zeros(len(model_pass.mask), 1, model_pass.pieces.count)
    for text, count in enumerate(model_pass.pieces.lengths.tolist()):
        words = list_deletable_words(model_pass, text)
        predict = partial(predict_kept, model_pass, text, words)
        everything = model_pass.mask.new_ones(1, len(words))
        if len(words) == 1:
            of_items[text, 0, words] = predict(everything) - predict(torch.zeros_like(everything))
            continue
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SAMPLING_SEED)
            slopes = explained(predict).attribute(
                everything, n_samples=SAMPLES, perturbations_per_eval=max(1, get_piece_limit() // count)
            )
        of_items[text, 0, words] = slopes[0]
    return model_pass.pieces.weigh_pieces(of_items, model_pass.mask[:, None])[:, 0]


def lime(model_pass: ModelPass) -> Tensor:
    """LIME, signed: each word is kept or deleted with the same chance; a ridge regression weighs each set of words by
    its cosine to the whole text. As many passes as there are samples.

    A text of one word has the difference that the word makes.
    """
    from captum._utils.models.linear_model import SkLearnRidge
    from captum.attr import Lime
    from captum.attr._core.lime import get_exp_kernel_similarity_function

    kernel = get_exp_kernel_similarity_function("cosine", kernel_width=KERNEL_WIDTH)
    return fit_slopes(model_pass, partial(Lime, interpretable_model=SkLearnRidge(), similarity_func=kernel))


def kernel_shap(model_pass: ModelPass) -> Tensor:
    """KernelSHAP, signed: Shapley values of the words, estimated; they sum to the difference between the probability of
    the whole text and that of the marks alone. As many passes as there are samples.
    """
    from captum.attr import KernelShap

    return fit_slopes(model_pass, KernelShap)
