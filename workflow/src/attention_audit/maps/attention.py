"""Maps of attention weights alone: rows, means of them, rollout and flow (Abnar & Zuidema 2020); and maps by gradients
of the predicted class's logit: gradient x attention, AttCAT, input x gradient.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from attention_audit.errors import AuditError

from .passes import Pass


def mean_row(read: Pass) -> Tensor:
    """The mean over all layers and heads of the classified piece's row. One pass."""
    return torch.stack([read.row(layer.weights).mean(1) for layer in read.layers]).mean(0)


def received(read: Pass) -> Tensor:
    """What a piece receives from all pieces, the mean over layers, heads and rows. One pass."""
    summed = torch.stack([_columns(read, layer.weights) for layer in read.layers]).mean(0)
    return summed / read.mask.sum(1, keepdim=True)


def _columns(read: Pass, weights: Tensor) -> Tensor:
    """What pieces receive from all pieces, the mean of the heads: (B, H, P, P) -> (B, P)."""
    return (weights * read.mask[:, None, :, None]).sum(2).mean(1)


def largest_head(read: Pass) -> Tensor:
    """Of the last layer, the row of the head that puts most weight on one word; the first of equals. One pass."""
    rows = read.row(read.layers[-1].weights)
    of_words = rows * (read.pieces.words >= 0)[:, None]
    head = of_words.amax(2).argmax(1)
    return rows[torch.arange(len(rows)), head]


def _take_row(read: Pass, name: str, parts: Sequence[Tensor], number: int) -> Tensor:
    if number > len(parts):
        raise AuditError(
            f"{read.classifier.folder}: has no {name} {number} to map, but {len(parts)}; name one of these"
        )
    return read.row(parts[number - 1])


def head(read: Pass, number: int) -> Tensor:
    """The classified piece's row of one head of the last layer, counted from 1. One pass."""
    return _take_row(read, "head", read.layers[-1].weights.unbind(1), number)


def layer(read: Pass, number: int) -> Tensor:
    """The classified piece's row of one layer, counted from 1, the mean of its heads. One pass."""
    return _take_row(read, "layer", [layer.weights for layer in read.layers], number).mean(1)


def mixing(weights: Tensor) -> Tensor:
    """The mean of the heads with the residual connection: rows of (A + I) / 2, (B, H, P, P) -> (B, P, P)."""
    mean = weights.mean(1)
    return (mean + torch.eye(mean.shape[-1], device=mean.device)) / 2


def rollout(read: Pass) -> Tensor:
    """Attention rollout: the classified piece's row of the product over the layers, the last one first, of (A + I) / 2,
    A the mean of heads.

    Abnar & Zuidema 2020, section 3. Their script for SST takes the greatest of all rows instead. Rows of padding add
    nothing, since no row has weight there. One pass.
    """
    row = read.row(mixing(read.layers[-1].weights))[:, None]
    for layer in reversed(read.layers[:-1]):
        row = row @ mixing(layer.weights)
    return row[:, 0] * read.mask


def flow(read: Pass) -> Tensor:
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
    layers = [*(mixing(layer.weights) for layer in read.layers), read.classified[:, None]]
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


def gradient_attention(read: Pass) -> Tensor:
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
    return read.row(relevance) * mask


def attcat(read: Pass) -> Tensor:
    """AttCAT: over all layers, the attention that a piece receives times what its state adds by the gradient, signed:

        sum_l  mean_h(mean_i A_lhij)  *  sum_d h_ljd ds/dh_ljd

    with the states h_l that layer l reads, as in the code of Qiang et al. 2022. That code also hides the marks from the
    network, which then reads another text than it classifies; here it reads what it classifies. One pass forth and one
    back.
    """
    slopes = read.slopes
    scores = torch.zeros_like(read.mask)
    for layer, slope in zip(slopes.layers, slopes.of_states, strict=True):
        received = _columns(read, layer.weights.detach()) / read.mask.sum(1, keepdim=True)
        scores = scores + received * (layer.below.detach() * slope).sum(-1)
    return scores * read.mask


def input_gradient(read: Pass) -> Tensor:
    """Input x gradient, signed: <v_j, ds/dv_j> with the vector v_j of piece j below position and segment.

    Shrikumar et al. 2017. One pass forth and one back.
    """
    slopes = read.slopes
    return (slopes.vectors * slopes.of_vectors).sum(-1) * read.mask
