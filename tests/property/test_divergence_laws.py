"""Laws that divergences obey, for any weights."""

from random import Random

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import rel_entr
from scipy.stats import entropy

from attention_audit.divergence import LN2, jsd, jsd_rearranged, kl


@st.composite
def pairs(draw: st.DrawFn, zeros: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """Two distributions over as many positions, with exact zeros where allowed."""
    length = draw(st.integers(1, 12))
    # half of the least number there is would be 0, and the divergence by scipy infinite
    weight = st.just(0.0) | st.floats(1e-300, 1.0) if zeros else st.floats(1e-6, 1.0)
    weights = arrays(np.float64, (2, length), elements=weight).filter(lambda w: (w.sum(1) > 1e-3).all())
    both = draw(weights)
    a, b = torch.from_numpy(both / both.sum(1, keepdims=True))
    return a, b


@given(pairs())
def test_jsd_is_symmetric_bounded_and_scipys(pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    a, b = pair
    value = jsd(a, b).item()
    assert 0 <= value <= LN2
    assert abs(value - jsd(b, a).item()) < 1e-12
    p, q = a.numpy(), b.numpy()
    assert abs(value - (rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)).sum() / 2) < 1e-9


@given(pairs(zeros=False))
def test_kl_is_scipys_and_not_negative(pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    a, b = pair
    assert abs(kl(a, b).item() - entropy(a.numpy(), b.numpy())) < 1e-9
    assert kl(a, b).item() > -1e-12


@given(pairs(), st.randoms())
def test_the_jsd_of_weights_in_another_order_is_jsd(pair: tuple[torch.Tensor, torch.Tensor], random: Random) -> None:
    a, _ = pair
    order = list(range(len(a)))
    random.shuffle(order)
    assert abs(jsd_rearranged(a, a[order]) - jsd(a, a[order])) < 1e-12
