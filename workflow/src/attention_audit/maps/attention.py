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
from attention_audit.transformer.states import get_piece_limit

from .passes import ModelPass


def mean_row(read: ModelPass) -> Tensor:
    """Average the classified piece's row over all layers and heads. One pass."""
    return torch.stack([read.average_rows(layer.weights).mean(1) for layer in read.layers]).mean(0)


def received(read: ModelPass) -> Tensor:
    """Average what a piece receives from all pieces over layers, heads and rows. One pass."""
    summed = torch.stack([sum_columns(read, layer.weights) for layer in read.layers]).mean(0)
    return summed / read.mask.sum(1, keepdim=True)


def sum_columns(read: ModelPass, weights: Tensor) -> Tensor:
    """Sum what pieces receive from all pieces, the mean of the heads: (B, H, P, P) -> (B, P)."""
    return (weights * read.mask[:, None, :, None]).sum(2).mean(1)


def largest_head(read: ModelPass) -> Tensor:
    """Take, of the last layer, the row of the head with the most weight on one word, the first of equals. One pass."""
    rows = read.average_rows(read.layers[-1].weights)
    items = read.pieces.weigh_items(rows)
    of_words = items * mark_lengths(read.pieces.read, items.shape[2])[:, None]
    head = of_words.amax(2).argmax(1)
    return rows[torch.arange(len(rows)), head]


def take_row(read: ModelPass, kind: str, number: int) -> Tensor:
    """Take the classified piece's row of one head of the last layer, or of one layer, the mean of its heads; both are
    counted from 1. One pass.
    """
    layers = [layer.weights for layer in read.layers]
    parts = layers[-1].unbind(1) if kind == "head" else layers
    if number > len(parts):
        raise AuditError(
            f"{read.classifier.folder}: has no {kind} {number} to map, but {len(parts)}; name one of these"
        )
    row = read.average_rows(parts[number - 1])
    return row if kind == "head" else row.mean(1)


def mix_heads(weights: Tensor) -> Tensor:
    """Average the heads with the residual connection: rows of (A + I) / 2, (B, H, P, P) -> (B, P, P)."""
    mean = weights.mean(1)
    return (mean + torch.eye(mean.shape[-1], device=mean.device)) / 2


def rollout(read: ModelPass) -> Tensor:
    """Attention rollout: the classified piece's row of the product over the layers, the last one first, of (A + I) / 2,
    A the mean of heads.

    Abnar & Zuidema 2020, section 3. Their script for SST takes the greatest of all rows instead. Rows of padding add
    nothing, since no row has weight there. One pass.
    """
    row = read.average_rows(mix_heads(read.layers[-1].weights))[:, None]
    for layer in reversed(read.layers[:-1]):
        row = row @ mix_heads(layer.weights)
    return row[:, 0] * read.mask


def flow(read: ModelPass) -> Tensor:
    """Attention flow: the greatest flow from the classified piece of the last layer to a piece below the first, through
    edges whose capacities are those of rollout's matrices. Where the mean of all pieces is classified, it flows from a
    node above them, through edges of equal capacities, which sum to 1.

    Abnar & Zuidema 2020, section 3. Their code divides by the sum over all pieces, and takes the greatest of all rows.
    One pass, and a maximum flow for each piece, whose cost grows with the square of the text's length and with the
    layers.
    """
    from scipy.sparse import block_diag, csr_array
    from scipy.sparse.csgraph import maximum_flow

    scores = torch.zeros_like(read.mask)
    layers = [*(mix_heads(layer.weights) for layer in read.layers), read.classified[:, None]]
    unit = 1 << 20  # scipy's flows are whole numbers
    for text, count in enumerate(read.pieces.lengths.tolist()):
        capacities = [np.rint(rows[text, :count, :count].cpu().numpy() * unit) for rows in layers]
        edges, source = block_diag(capacities, format="csr", dtype=np.int32), len(read.layers) * count + count
        # from each layer to the one below it: those below the first, which come first, lead nowhere
        starts = np.concatenate([np.zeros(count, np.int32), edges.indptr])
        graph = csr_array((edges.data, edges.indices, starts), shape=(source + 1,) * 2)
        for piece in range(count):
            scores[text, piece] = maximum_flow(graph, source, piece).flow_value / unit
    return scores


def gradient_attention(read: ModelPass) -> Tensor:
    """Gradient x attention, rolled: R = I, then for each layer from the first R <- R + mean_h((dA * A)+) R; of R, the
    classified piece's row.

    Chefer, Gur & Wolf 2021 (ICCV), equations 5 and 6, of self-attention. Their code has a switch that takes relevance
    by LRP in the place of A, which is not done here. One pass forth and one back.
    """
    slopes, mask = read.slopes, read.mask
    relevance = torch.eye(mask.shape[1], device=mask.device).expand(len(mask), -1, -1)
    for layer, slope in zip(slopes.layers, slopes.of_weights, strict=True):
        moved = (slope * layer.weights.detach()).clamp(min=0).mean(1)
        relevance = relevance + moved @ relevance
    return read.average_rows(relevance) * mask


def attcat(read: ModelPass) -> Tensor:
    """AttCAT: over all layers, the attention that a piece receives times what its state adds by the gradient, signed:

        sum_l  mean_h(mean_i A_lhij)  *  sum_d h_ljd ds/dh_ljd

    with the states h_l that layer l reads, as in the code of Qiang et al. 2022. That code also hides the marks from the
    network, which then reads another text than it classifies; here it reads what it classifies. One pass forth and one
    back.
    """
    slopes = read.slopes
    scores = torch.zeros_like(read.mask)
    for layer, slope in zip(slopes.layers, slopes.of_states, strict=True):
        received = sum_columns(read, layer.weights.detach()) / read.mask.sum(1, keepdim=True)
        scores = scores + received * (layer.below.detach() * slope).sum(-1)
    return scores * read.mask


def input_gradient(read: ModelPass) -> Tensor:
    """Input x gradient, signed: <v_j, ds/dv_j> with the vector v_j of piece j below position and segment.

    Shrikumar et al. 2017. One pass forth and one back.
    """
    slopes = read.slopes
    return (slopes.vectors * slopes.of_vectors).sum(-1) * read.mask


SAMPLES = 200
"""Sets of words of each text."""
SEED = 0
WIDTH = 0.25
"""Of LIME's kernel over the cosine distance, as in its authors' code for texts."""


def find_words(read: ModelPass, text: int) -> Tensor:
    """Find the words of a text that have a piece of their own, (K,), which can be deleted."""
    words = read.pieces.words[text]
    return torch.unique(words[words >= 0])


def predict_kept(read: ModelPass, text: int, words: Tensor, kept: Tensor) -> Tensor:
    """Predict the probability of a text's class where of these words (K,) only some are kept, (S, K): (S,)."""
    stays = kept.new_ones(len(kept), int(read.pieces.read[text]), dtype=torch.bool)
    stays[:, words] = kept > 0
    rows = read.pieces.select_texts(torch.full((len(kept),), text, device=kept.device))
    logits = read.classifier.compute_logits(rows.keep_words(stays))
    return logits.softmax(-1)[:, read.explained[text]]


@torch.no_grad()
def fit_slopes(read: ModelPass, explained: Any) -> Tensor:
    """Fit the slopes of all words, as scores of pieces (B, P). explained: makes a method of captum of a function."""
    of_items = read.mask.new_zeros(len(read.mask), 1, read.pieces.count)
    for text, count in enumerate(read.pieces.lengths.tolist()):
        words = find_words(read, text)
        asked = partial(predict_kept, read, text, words)
        everything = read.mask.new_ones(1, len(words))
        if len(words) == 1:
            of_items[text, 0, words] = asked(everything) - asked(torch.zeros_like(everything))
            continue
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            found = explained(asked).attribute(
                everything, n_samples=SAMPLES, perturbations_per_eval=max(1, get_piece_limit() // count)
            )
        of_items[text, 0, words] = found[0]
    return read.pieces.weigh_pieces(of_items, read.mask[:, None])[:, 0]


def lime(read: ModelPass) -> Tensor:
    """LIME, signed: each word is kept or deleted with the same chance; a ridge regression weighs each set of words by
    its cosine to the whole text. As many passes as there are samples.

    A text of one word has the difference that the word makes.
    """
    from captum._utils.models.linear_model import SkLearnRidge
    from captum.attr import Lime
    from captum.attr._core.lime import get_exp_kernel_similarity_function

    kernel = get_exp_kernel_similarity_function("cosine", kernel_width=WIDTH)
    return fit_slopes(read, partial(Lime, interpretable_model=SkLearnRidge(), similarity_func=kernel))


def kernel_shap(read: ModelPass) -> Tensor:
    """KernelSHAP, signed: Shapley values of the words, estimated; they sum to the difference between the probability of
    the whole text and that of the marks alone. As many passes as there are samples.
    """
    from captum.attr import KernelShap

    return fit_slopes(read, KernelShap)
