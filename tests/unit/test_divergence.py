"""Divergences, against values worked by hand and against scipy."""

import math
from itertools import permutations

import pytest
import torch
from torch import tensor

from attention_audit.divergence import flipped, jsd, kl, tvd


def test_a_flip_is_where_no_likeliest_class_stays_one() -> None:
    half, tied = [0.5, 0.3, 0.2], [0.4, 0.4, 0.2]
    after = tensor([half, tied, [0.3, 0.5, 0.2], [0.3, 0.3, 0.4]])
    assert flipped(tensor(half), after).tolist() == [False, False, True, True]
    assert flipped(tensor(tied), after).tolist() == [False, False, False, True]
    assert flipped(tensor(half)[:, None], after.T, 0).tolist() == [False, False, True, True]
    for order in permutations(range(3)):
        for before in (half, tied):
            told = flipped(tensor(before)[[*order]], after[:, [*order]])
            assert told.tolist() == flipped(tensor(before), after).tolist()


def test_padding_adds_nothing_and_gets_no_gradient() -> None:
    scores = tensor([[0.3, -1.0, 2.0, float("-inf")]], requires_grad=True)
    base = tensor([[0.2, 0.3, 0.5, 0.0]])
    a = scores.softmax(-1)
    for divergence in (kl, jsd):
        value = divergence(a, base)
        assert value.item() == pytest.approx(divergence(a[:, :3], base[:, :3]).item(), abs=1e-7)
        (gradient,) = torch.autograd.grad(value.sum(), scores, retain_graph=True)
        assert torch.isfinite(gradient).all()
        assert gradient[0, 3] == 0


def test_underflowed_weights_keep_values_finite_and_right() -> None:
    """exp(-200) is 0 in float32; the divergences must be what float64, where it is not 0, says."""
    scores = tensor([0.0, -200.0, -1.0])
    weights, exact = scores.softmax(-1), scores.double().softmax(-1)
    assert weights[1] == 0 < exact[1]
    other = tensor([0.1, 0.6, 0.3])
    assert jsd(weights, other).item() == pytest.approx(jsd(exact, other.double()).item(), abs=1e-6)
    assert kl(weights, other).item() == pytest.approx(kl(exact, other.double()).item(), abs=1e-6)
    reverse = kl(other, weights).item()
    assert math.isfinite(reverse)
    assert kl(exact * 0 + 1 / 3, tensor([1.0, 0.0, 0.0]).double()).isfinite()


def test_tvd_is_over_all_classes() -> None:
    assert tvd(tensor([0.3, 0.7]), tensor([0.6, 0.4])).item() == pytest.approx(0.3, abs=1e-7)
    assert tvd(tensor([0.2, 0.3, 0.5]), tensor([0.5, 0.3, 0.2])).item() == pytest.approx(0.3, abs=1e-7)
