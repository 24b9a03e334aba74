"""Divergences, against values worked by hand and against scipy, and laws that they obey for any weights."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import rel_entr
from scipy.stats import entropy
from torch import tensor

from attention_audit.divergence import LN2, detect_flips, jsd, jsd_rearranged, kl, tvd


def test_a_flip_is_where_no_likeliest_class_stays_one():
    half, tied = [0.5, 0.3, 0.2], [0.4, 0.4, 0.2]
    after = tensor([half, tied, [0.3, 0.5, 0.2], [0.3, 0.3, 0.4]])
    assert detect_flips(tensor(half), after).tolist() == [False, False, True, True]
    assert detect_flips(tensor(tied), after).tolist() == [False, False, False, True]
    assert detect_flips(tensor(half)[:, None], after.T, 0).tolist() == [False, False, True, True]
    # whichever of them stands first
    one, other = half[::-1], tied[::-1]
    assert detect_flips(tensor([one, other]), tensor([other, one])).tolist() == [False, False]


def test_padding_adds_nothing_and_gets_no_gradient():
    scores = tensor([[0.3, -1.0, 2.0, float("-inf")]], requires_grad=True)
    base = tensor([[0.2, 0.3, 0.5, 0.0]])
    a = scores.softmax(-1)
    for divergence in (kl, jsd):
        value = divergence(a, base)
        assert value.item() == pytest.approx(divergence(a[:, :3], base[:, :3]).item(), abs=1e-7)
        (gradient,) = torch.autograd.grad(value.sum(), scores, retain_graph=True)
        assert torch.isfinite(gradient).all()
        assert gradient[0, 3] == 0


def test_underflowed_weights_keep_values_finite_and_right():
    """exp(-200) is 0 in float32; the divergences must be what float64, where it is not 0, says."""
    scores = tensor([0.0, -200.0, -1.0])
    weights, exact = scores.softmax(-1), scores.double().softmax(-1)
    assert weights[1] == 0 < exact[1]
    other = tensor([0.1, 0.6, 0.3])
    for divergence in (kl, jsd):
        assert divergence(weights, other).item() == pytest.approx(divergence(exact, other.double()).item(), abs=1e-6)


@pytest.mark.parametrize(("dtype", "exponent"), [(torch.float32, -126), (torch.float64, -1022)])
def test_kl_takes_the_least_number_of_its_type_for_a_weight_that_underflowed(dtype, exponent):
    """KL((1/2, 1/2) || (1, 2^e)) = -ln 2 - e/2 ln 2."""
    a, b = torch.tensor([[0.5, 0.5], [1.0, 0.0]], dtype=dtype)
    assert kl(a, b).item() == pytest.approx((-exponent / 2 - 1) * math.log(2), rel=1e-6)


def test_tvd_is_over_all_classes():
    for one, other in (([0.3, 0.7], [0.6, 0.4]), ([0.2, 0.3, 0.5], [0.5, 0.3, 0.2])):
        assert tvd(tensor(one), tensor(other)).item() == pytest.approx(0.3, abs=1e-7)


@st.composite
def pairs(draw, zeros=True):
    """Two distributions over as many positions, with exact zeros where allowed."""
    length = draw(st.integers(1, 12))
    # half of the least number there is would be 0, and the divergence by scipy infinite
    weight = st.just(0.0) | st.floats(1e-300, 1.0) if zeros else st.floats(1e-6, 1.0)
    weights = arrays(np.float64, (2, length), elements=weight).filter(lambda w: (w.sum(1) > 1e-3).all())
    both = draw(weights)
    a, b = torch.from_numpy(both / both.sum(1, keepdims=True))
    return a, b


@given(pairs())
def test_jsd_is_symmetric_bounded_and_scipys(pair):
    a, b = pair
    value = jsd(a, b).item()
    assert 0 <= value <= LN2
    assert abs(value - jsd(b, a).item()) < 1e-12
    p, q = a.numpy(), b.numpy()
    assert abs(value - (rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)).sum() / 2) < 1e-9


@given(pairs(zeros=False))
def test_kl_is_scipys_and_not_negative(pair):
    a, b = pair
    assert abs(kl(a, b).item() - entropy(a.numpy(), b.numpy())) < 1e-9
    assert kl(a, b).item() > -1e-12


@given(pairs(), st.randoms())
def test_the_jsd_of_weights_in_another_order_is_jsd(pair, random):
    a, b = pair
    order = random.sample(range(len(b)), len(b))
    assert abs(jsd_rearranged(a, b, b[order]) - jsd(a, b[order])) < 1e-12
