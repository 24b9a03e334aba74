"""Maps of attention weights alone: rows, means of them, rollout and flow (Abnar & Zuidema 2020); and maps by gradients
of the predicted class's logit: gradient x attention, AttCAT, input x gradient.
"""

import numpy as np
import torch
from torch import Tensor

from attention_audit.batching import mark_lengths
from attention_audit.errors import AuditError

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
    words = model_pass.pieces.send(mark_lengths(model_pass.pieces.read, items.shape[2]))
    head = (items * words[:, None]).amax(2).argmax(1)
    return rows[torch.arange(len(rows), device=rows.device), head]


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

    of_layers = [*(mix_heads(layer.weights) for layer in model_pass.layers), model_pass.classified[:, None]]
    layers, scores = [rows.float().cpu().numpy() for rows in of_layers], np.zeros(model_pass.mask.shape)
    unit = 1 << 20  # scipy's flows are whole numbers
    for text, count in enumerate(model_pass.pieces.lengths.tolist()):
        capacities = [np.rint(rows[text, :count, :count] * unit) for rows in layers]
        edges, source = block_diag(capacities, format="csr", dtype=np.int32), len(model_pass.layers) * count + count
        # from each layer to the one below it: those below the first, which come first, lead nowhere
        starts = np.concatenate([np.zeros(count, np.int32), edges.indptr])
        graph = csr_array((edges.data, edges.indices, starts), shape=(source + 1,) * 2)
        for piece in range(count):
            scores[text, piece] = maximum_flow(graph, source, piece).flow_value / unit
    return torch.from_numpy(scores).to(model_pass.mask)


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
