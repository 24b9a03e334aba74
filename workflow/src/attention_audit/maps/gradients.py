"""Maps by gradients of the predicted class's logit: gradient x attention, AttCAT, input x gradient."""

import torch
from torch import Tensor

from attention_audit.maps.passes import Pass


def gradient_attention(read: Pass) -> Tensor:
    """Gradient x attention, rolled: R = I, then for each layer from the first R <- R + mean_h((dA * A)+) R; of R, the
    classified piece's row.

    Chefer, Gur & Wolf 2021 (ICCV), equations 5 and 6, of self-attention. Their code has a switch that takes relevance
    by LRP in the place of A, which is not done here. One pass forth and one back.
    """
    slopes = read.slopes
    count = read.mask.shape[1]
    relevance = torch.eye(count, device=read.mask.device).expand(len(read.mask), -1, -1)
    for layer, slope in zip(slopes.layers, slopes.of_weights, strict=True):
        moved = (slope * layer.weights.detach()).clamp(min=0).mean(1)
        relevance = relevance + moved @ relevance
    return read.row(relevance) * read.mask


def attcat(read: Pass) -> Tensor:
    """AttCAT: over all layers, the attention that a piece receives times what its state adds by the gradient, signed:

        sum_l  mean_h(mean_i A_lhij)  *  sum_d h_ljd ds/dh_ljd

    with the states h_l that layer l reads, as in the code of Qiang et al. 2022. That code also hides the marks from the
    network, which then reads another text than it classifies; here it reads what it classifies. One pass forth and one
    back.
    """
    slopes = read.slopes
    scores = torch.zeros_like(read.mask)
    rows = read.mask[:, None, :, None]
    for layer, slope in zip(slopes.layers, slopes.of_states, strict=True):
        received = (layer.weights.detach() * rows).sum(2).mean(1) / read.mask.sum(1, keepdim=True)
        scores = scores + received * (layer.below.detach() * slope).sum(-1)
    return scores * read.mask


def input_gradient(read: Pass) -> Tensor:
    """Input x gradient, signed: <v_j, ds/dv_j> with the vector v_j of piece j below position and segment.

    Shrikumar et al. 2017. One pass forth and one back.
    """
    slopes = read.slopes
    return (slopes.vectors * slopes.of_vectors).sum(-1) * read.mask
