"""Exact contributions and what attention is to them: by hand, by autograd, and against scipy."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from readouts import make_pairs, make_readout, readout_of
from scipy.stats import kendalltau

from attention_audit.audits.contributions import compute_kendall, contributions
from attention_audit.audits.erasure import find_contributions
from attention_audit.padded import Padded
from attention_audit.readout import Readout


def text(attention: list[float], values: list[float]) -> Readout:
    """One text of two classes; the logit of class 1 is sum a_t z_t."""
    return readout_of([attention], [values], [0.0])


def test_contributions_by_hand() -> None:
    """The logit is 0.5 x 2 - 0.25 x 1 + 0.25 x 4 = 1.75, so each word adds a_t z_t (1 - p)."""
    columns = contributions(text([0.5, 0.25, 0.25], [2, -1, 4]))
    p = 1 / (1 + math.exp(-1.75))
    assert columns["items"].tolist() == [3]
    assert columns["prediction"].tolist() == [1]
    # of equal weights the earlier word comes first
    assert columns["top_items"][0].tolist() == [0, 1, 2]
    assert columns["top_weights"][0].tolist() == [0.5, 0.25, 0.25]
    assert columns["top_contributions"][0] == pytest.approx(np.array([1, -0.25, 1]) * (1 - p))
    assert columns["against"] == pytest.approx([0.25])
    assert columns["magnitude"] == pytest.approx([2.25 * (1 - p)])
    # of |c| = 1, 1/4, 1 and a = 1/2, 1/4, 1/4: one of three pairs agrees, and each ties one
    assert columns["tau"] == pytest.approx([1 / 2])
    assert columns["overlap"].tolist() == [1]
    # without the first word the others weigh a half each: -1/2 + 2
    assert columns["top_fall"] == pytest.approx([p - 1 / (1 + math.exp(-1.5))])
    assert columns["top_flips"] == [False]


def test_a_top_word_may_speak_against_the_prediction() -> None:
    columns = contributions(text([0.6, 0.4], [-1, 3]))
    assert columns["against"] == pytest.approx([0.6])
    assert columns["top_fall"] == pytest.approx([1 / (1 + math.exp(-0.6)) - 1 / (1 + math.exp(-3))])
    assert columns["top_fall"][0] < 0
    # the same words speak the other way where the other class is predicted
    turned = contributions(text([0.6, 0.4], [1, -3]))
    for name in ("against", "top_fall", "tau"):
        assert turned[name] == pytest.approx(columns[name])
    assert turned["top_contributions"][0] == pytest.approx(columns["top_contributions"][0])


def test_a_text_of_one_word_has_nothing_to_erase_or_to_order() -> None:
    columns = contributions(text([1], [2]))
    assert columns["items"].tolist() == [1]
    assert np.isnan(columns["tau"]).all()
    assert np.isnan(columns["top_fall"]).all()
    assert columns["top_flips"] == [None]
    assert columns["overlap"].tolist() == [1]
    assert columns["top_items"][0].tolist() == [0]


@pytest.mark.parametrize("outputs", [1, 3, 8])
def test_each_text_has_its_own_numbers(outputs: int) -> None:
    """The definitions, text by text, with a gradient by autograd and tau by scipy."""
    readout = make_readout([7, 1, 12, 2, 30, 7], outputs, seed=outputs)
    columns = contributions(readout)
    assert columns["id"] == readout.ids
    for i, items in enumerate(readout.lengths):
        weights = torch.tensor(readout.attention[i], dtype=torch.float64, requires_grad=True)
        logits = weights @ torch.tensor(readout.contribution[i]).double() + torch.tensor(readout.bias[i]).double()
        logits = logits if outputs > 1 else torch.cat([logits.new_zeros(1), logits])
        (slope,) = torch.autograd.grad(logits.log_softmax(0).max(), weights)
        # p_m moves by p_m (z_tm - sum p_c z_tc), and its logarithm by what is in brackets
        exact, attention = (slope * weights).detach().numpy(), weights.detach().numpy()
        tau = kendalltau(attention, np.abs(exact)).statistic if items > 1 else np.nan
        assert columns["tau"][i] == pytest.approx(tau, nan_ok=True)
        k = min(5, int(items))
        tops = [np.argsort(-scores, kind="stable")[:k] for scores in (attention, np.abs(exact))]
        assert columns["overlap"][i] == pytest.approx(len(set(tops[0]) & set(tops[1])) / k)
        assert columns["against"][i] == pytest.approx(attention[exact < 0].sum())
        assert columns["top_items"][i].tolist() == tops[0].tolist()
        assert columns["top_weights"][i] == pytest.approx(attention[tops[0]])
        assert columns["top_contributions"][i] == pytest.approx(exact[tops[0]])


def test_contributions_keep_their_digits_where_the_prediction_is_all_but_certain() -> None:
    """At a logit of 60, 1 - p is 9e-27; and 1 - p, reckoned from p, would be 0."""
    values = torch.tensor([[[1.0], [-2.0]]]).double()
    half, bias = torch.tensor([[0.5, 0.5]]).double(), torch.tensor([[60.0]]).double()
    found = find_contributions(Padded(np.arange(1), half, values, bias, torch.tensor([2])))
    assert found is not None
    assert found[0].tolist() == pytest.approx([0.5 * math.exp(-59.5), -math.exp(-59.5)], rel=1e-9)
    three = torch.cat([torch.zeros(1, 2, 1), torch.zeros(1, 2, 1), values], -1).double()
    shift = torch.tensor([[0.0, -1000.0, 60.0]]).double()
    same = find_contributions(Padded(np.arange(1), half, three, shift, torch.tensor([2])))
    torch.testing.assert_close(same, found)


def test_pairs_have_none() -> None:
    (texts,) = make_pairs([4]).batches(torch.float64)
    assert find_contributions(texts) is None


@given(st.integers(0, 1000))
def test_tau_is_scipys(seed: int) -> None:
    """With ties of all kinds."""
    random = np.random.default_rng(seed)
    one, other = random.integers(0, 4, (2, random.integers(1, 9))).astype(float)
    defined = np.ptp(one) > 0 and np.ptp(other) > 0
    expected = kendalltau(one, other).statistic if defined else np.nan
    assert compute_kendall([(one, other)]).tolist() == pytest.approx([expected], nan_ok=True)
