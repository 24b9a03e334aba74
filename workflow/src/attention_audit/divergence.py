"""Distances between distributions: between attention weights over a text, between predictions over classes.

Every function takes tensors whose last dimension is the distribution, and returns one value for each distribution.
Divergences are in nats. Attention is padded with exact zeros, and a zero weight contributes exactly zero: zeros are
replaced before the logarithm, so that values and gradients stay finite.
"""

import math

import torch
from torch import Tensor

LN2 = math.log(2)
"""The greatest Jensen-Shannon divergence there is, in nats."""


def _log(weights: Tensor, at_zero: float) -> Tensor:
    return torch.where(weights > 0, weights, at_zero).log()


def kl(a: Tensor, b: Tensor) -> Tensor:
    """Return KL(a || b) = sum_t a_t (log a_t - log b_t); (..., L), (..., L) -> (...).

    A weight of b that underflowed to 0 counts as the least positive number of its type; the result is then finite and a
    lower bound.
    """
    floor = torch.finfo(b.dtype).smallest_normal
    return (a * (_log(a, 1.0) - _log(b, floor))).sum(-1)


def jsd(a: Tensor, b: Tensor) -> Tensor:
    """Return the Jensen-Shannon divergence, 0 to ln 2; (..., L), (..., L) -> (...).  Jain & Wallace 2019, section 4."""
    middle = _log((a + b) / 2, 1.0)
    terms = a * (_log(a, 1.0) - middle) + b * (_log(b, 1.0) - middle)
    return (terms.sum(-1) / 2).clamp(0.0, LN2)


def jsd_rearranged(a: Tensor, b: Tensor, rearranged: Tensor) -> Tensor:
    """Return `jsd` of a and the weights of b in another order; (..., L), (..., L), (..., L) -> (...).

    The order does not change the sum of b log b, so a logarithm a weight is left, that of m log m with m = (a + b) / 2,
    and not three. NaN where the weights are.
    """
    total = a + rearranged
    # a zero has a finite logarithm, which it then multiplies
    doubled = total.clamp_min(torch.finfo(b.dtype).tiny).log_().mul_(total).sum(-1)
    alone = (a * _log(a, 1.0) + b * _log(b, 1.0)).sum(-1)
    return ((alone - doubled + LN2 * (a + b).sum(-1)) / 2).clamp_(0.0, LN2)


def detect_flips(p: Tensor, q: Tensor, dim: int = -1) -> Tensor:
    """Find where the argmaxes of p and q differ, a decision flip (Serrano & Smith 2019, section 2.1).

    Where classes tie, all of them are the argmax, and there is a flip where p and q have none in common: so the order
    of the classes does not matter. `dim` is that of the classes, and is gone from the result.
    """
    return torch.where(p == p.amax(dim, keepdim=True), q, -torch.inf).amax(dim) < q.amax(dim)


def tvd(p: Tensor, q: Tensor) -> Tensor:
    """Return the total variation distance, half the L1 distance over all classes; (..., C), (..., C) -> (...).

    For two classes this is |p_1 - q_1|: twice what the code of Wiegreffe & Pinter computes, exactly what their
    section 4.1 defines.
    """
    return (p - q).abs().sum(-1) / 2
