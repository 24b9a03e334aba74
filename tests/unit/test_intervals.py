"""Intervals of means in tables: against Student's, Welch's and those of other formulas, and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attention_audit.answer.estimates import (
    NORMAL,
    Estimate,
    adjust_quantile,
    convert_to_odds,
    estimate_joint_variance,
    estimate_mean,
    split_mean,
    take_root,
)

NAN = math.nan
SIZES = st.tuples(st.integers(1, 4), st.integers(2, 30))


def draw(seed, *shape):
    return np.random.default_rng(seed).random(shape)


def test_trainings_that_differ_have_students_quantile():
    # every text says the same of a training, so that nothing but trainings differ
    values = np.broadcast_to(np.array([[0.2], [0.4], [0.3], [0.5]]), (4, 100_000))
    expected = stats.t.interval(0.95, 3, values[:, 0].mean(), stats.sem(values[:, 0]))
    assert estimate_mean(values)[1:3] == pytest.approx(expected, abs=1e-4)


def test_noise_of_single_texts_counts_once():
    values = draw(3, 30, 3000)
    variance = values.var() / values.size + 2 / 3000**2
    found = estimate_mean(values)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * math.sqrt(variance), rel=0.35)


@given(st.integers(0, 100), st.integers(2, 5), st.integers(2, 20))
def test_what_both_do_together_has_its_expected_squares(seed, trainings, texts):
    values = draw(seed, trainings, texts)
    rows, columns, own = values.mean(1), values.mean(0), values.mean()
    squares = (values**2).sum() - texts * (rows**2).sum() - trainings * (columns**2).sum() + values.size * own**2
    expected = squares * trainings * texts / ((trainings - 1) * (texts - 1))
    assert estimate_joint_variance(values) == pytest.approx(expected, abs=1e-9)


def test_a_single_training_has_the_chance_of_its_texts_and_two_more():
    # deviations that are symmetric, so that no quantile moves
    values = np.array([[0.4, 0.6, 0.5, 0.3, 0.7]])
    half = NORMAL * math.sqrt(5 / 4 * (2 * 0.1**2 + 2 * 0.2**2) / 25 + 2 / 25)
    assert estimate_mean(values, -1)[:3] == pytest.approx((0.5, 0.5 - half, min(1, 0.5 + half)))


def test_means_are_over_the_values_that_there_are():
    known = np.array([[0.4, NAN, 0.6, NAN], [NAN, NAN, NAN, NAN], [0.9, NAN, NAN, NAN]])
    found = estimate_mean(known)
    assert (found.value, found.trainings, found.texts) == (pytest.approx(1.9 / 3), 2, 2)
    parts = split_mean(known)
    assert parts.sum() == pytest.approx(1.9 / 3)
    assert np.isnan(estimate_mean(np.full((2, 3), NAN))[:3]).all()


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_intervals_hold_the_truth(missing):
    random, inside = np.random.default_rng(7), 0
    for _ in range(400):
        ease = 0.1 * random.standard_normal(80)
        values = 0.5 + 0.05 * random.standard_normal((3, 1)) + ease + 0.1 * random.standard_normal((3, 80))
        values[random.random(values.shape) < missing] = NAN
        found = estimate_mean(values)
        inside += found.low <= 0.5 <= found.high
    assert 0.93 < inside / 400 < 0.995


@given(st.integers(0, 300), SIZES)
def test_bounds_are_on_both_sides_and_do_not_depend_on_the_order(seed, size):
    values = draw(seed, *size)
    found = estimate_mean(values)
    assert found.low <= found.value <= found.high
    assert estimate_mean(values[::-1, ::-1])[:3] == pytest.approx(found[:3])
    assert estimate_mean(10 * values, 0, 10)[:3] == pytest.approx([10 * end for end in found[:3]])


def test_skewed_texts_have_the_longer_side_where_the_rare_ones_are():
    rare = np.zeros((1, 200))
    rare[0, :10] = 0.5
    found = estimate_mean(rare)
    assert found.high - found.value > 1.15 * (found.value - found.low)
    assert adjust_quantile(0.0, NORMAL) == NORMAL


def test_intervals_stay_on_their_scale():
    assert estimate_mean(np.array([[0.2], [0.4]]))[:3] == pytest.approx((0.3, 0, 1))
    assert estimate_mean(np.array([[0.2]]))[1:3] == (0, 1)
    assert estimate_mean(np.array([[-0.9, 0.9]]), -1)[1:3] == (-1, 1)


def test_what_grows_with_an_effect_has_its_bounds():
    assert convert_to_odds(Estimate(0.75, 0.5, 1.0)) == Estimate(3, 1, math.inf)
    assert take_root(Estimate(0.25, 0.0, 0.49))[:3] == pytest.approx((0.5, 0.0, 0.7))
