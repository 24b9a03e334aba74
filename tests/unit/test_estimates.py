"""Estimates: both intervals against formulas worked out here, and what must hold of any values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from attention_audit.answer.estimates import CLEAR, Sample, estimate, find_bounds, is_clear, join
from attention_audit.answer.samples import average, compare_pairs, take_share, weigh_dots

NAN, INF = math.nan, math.inf
SIZES = st.tuples(st.integers(1, 5), st.integers(2, 40))
SEEDS = st.integers(0, 300)


def draw(seed, *shape):
    return np.random.default_rng(seed).exponential(0.2, shape)


def invert_cubic(skewness, normal):
    """Find the t of which Hall's cubic is a normal quantile, by search."""

    def cubic(t):
        return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6 - normal

    return optimize.brentq(cubic, -50, 50)


def find_interval(value, parts, scale=1.0):
    """Work out the interval of these trainings from what each of K groups moves the value by."""
    count = len(parts)
    variance = count / (count - 1) * sum((part - np.mean(parts)) ** 2 for part in parts) + 2 * (scale / count) ** 2
    skewness = sum((part - np.mean(parts)) ** 3 for part in parts) / variance**1.5
    upper, lower = (invert_cubic(skewness, z) for z in (1.959964, -1.959964))
    return value - upper * math.sqrt(variance), value - lower * math.sqrt(variance), variance


def test_a_mean_of_trainings_and_each_of_them_has_the_chance_of_its_texts_alone():
    values = draw(1, 4, 60)
    found = estimate(average(values))
    assert found.value == pytest.approx(values.mean())
    low, high, _ = find_interval(values.mean(), (values.mean(0) - values.mean()) / 60)
    assert (found.low, found.high) == pytest.approx((low, high))
    for row, *own in zip(values, found.each, found.each_low, found.each_high, strict=True):
        assert own == pytest.approx([row.mean(), *find_interval(row.mean(), (row - row.mean()) / 60)[:2]])
    assert (found.trainings, found.texts, found.groups) == (4, 60, 60)
    # how far trainings lie apart does not matter to it
    apart = estimate(average(values + np.array([[0.0], [5.0], [9.0], [2.0]])))
    assert apart.high - apart.low == pytest.approx(found.high - found.low)


def test_two_texts_are_added_so_that_no_interval_is_a_point():
    found = estimate(average(np.ones((2, 40))))
    assert (found.low, found.high) == pytest.approx(
        (1 - 1.959964 * math.sqrt(2) / 40, 1 + 1.959964 * math.sqrt(2) / 40)
    )
    wider = estimate(average(np.ones((2, 40))), scale=3)
    assert wider.high - 1 == pytest.approx(3 * (found.high - 1))


def test_the_next_training_adds_the_spread_of_these():
    values = draw(3, 5, 80)
    own = values.mean(1)
    variance = find_interval(values.mean(), (values.mean(0) - values.mean()) / 80)[2]
    half = math.sqrt(stats.t.ppf(0.975, 4) ** 2 * own.var(ddof=1) * (1 + 1 / 5) + 1.959964**2 * variance)
    found = estimate(average(values))
    assert (found.next_low, found.next_high) == pytest.approx((values.mean() - half, values.mean() + half))


@pytest.mark.parametrize("trainings", [1, 2])
def test_two_trainings_say_nothing_of_the_next(trainings):
    found = estimate(average(draw(4, trainings, 30)))
    assert np.isnan([found.next_low, found.next_high]).all()


def test_texts_of_a_group_count_as_one():
    values = draw(5, 3, 40)
    groups = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 4))
    found = estimate(average(values), groups)
    parts = [(values.mean(0) - values.mean())[groups == number].sum() / 40 for number in range(10)]
    assert (found.low, found.high) == pytest.approx(find_interval(values.mean(), parts)[:2])
    assert (found.texts, found.groups) == (40, 10)
    # what is measured twice is no more than what is measured once
    once, twice = estimate(average(values)), estimate(average(np.tile(values, 2)), np.tile(np.arange(40), 2))
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))


def test_groups_are_those_of_the_texts_that_count():
    moved = np.array([[1.0, 2.0, 4.0, 8.0]])
    joined = join(moved, np.array([True, False, True, True]), np.array([7, 7, 3, 7]))
    assert joined.tolist() == [[4.0, 9.0]]


def test_a_training_in_which_nothing_can_be_had_is_left_out():
    generator = np.random.default_rng(6)
    bottom = np.stack([generator.normal(mean, 1, 100) for mean in (1.0, 0.05, 2.0)])
    top = 0.5 * bottom
    found = estimate(take_share(top, bottom))
    assert np.isfinite(found.each).tolist() == [True, False, True]
    assert (found.value, found.trainings) == (pytest.approx(0.5), 2)
    assert np.isnan([found.each_low[1], found.each_high[1]]).all()
    nothing = estimate(take_share(top[1:2], bottom[1:2]))
    assert (nothing.trainings, nothing.texts) == (0, 100)
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()


def test_what_can_be_had_must_lie_three_standard_errors_above_0():
    # a standard deviation of 1 among 100 texts: a standard error of .1
    rows = np.tile([-1.0, 1.0], 50) / np.std(np.tile([-1.0, 1.0], 50), ddof=1)
    everything = np.ones(100, bool)
    assert CLEAR == 3
    assert is_clear(np.stack([rows + 0.299, rows + 0.301, rows - 5]), everything, None).tolist() == [False, True, False]
    # pairs of texts that are alike are half as many
    alike = np.repeat(rows[:50], 2)
    assert is_clear(alike[None] + 0.4, everything, np.repeat(np.arange(50), 2)).tolist() == [False]
    assert is_clear(alike[None] + 0.4, everything, None).tolist() == [True]
    assert is_clear(np.ones((1, 1)), np.ones(1, bool), None).tolist() == [False]


def test_shares_count_alike_however_much_can_be_had():
    bottom = np.array([[1.0] * 4, [0.1] * 4])
    found = estimate(take_share(np.array([[0.5] * 4, [0.1] * 4]), bottom))
    assert found.value == pytest.approx(0.75)


DOTS = weigh_dots(np.array([[10, 50], [10, 257], [50, 257]]))
JSD = np.array([[0.1], [0.2], [0.3]]) * np.ones((3, 60))
"""Of the maps of three pairs of trainings."""


def test_dots_of_pairs_are_means_with_the_others():
    found = estimate(compare_pairs(JSD, np.full((3, 60), 0.4)), weights=DOTS)
    assert found.value == pytest.approx(0.5)
    assert found.each == pytest.approx([(0.75 + 0.5) / 2, (0.75 + 0.25) / 2, (0.5 + 0.25) / 2])
    # of three trainings, the spread of these means is taken twice: (S - 1) / (S - 2)
    spread, variance = 2 * np.std(found.each, ddof=1), 2 / 60**2
    half = math.sqrt(stats.t.ppf(0.975, 2) ** 2 * spread**2 * (1 + 1 / 3) + 1.959964**2 * variance)
    assert (found.next_low, found.next_high) == pytest.approx((0.5 - half, 0.5 + half))


def test_a_pair_without_a_value_costs_no_training():
    found = estimate(compare_pairs(JSD, np.repeat([0.4, 0.4, 0.0], 60).reshape(3, 60)), weights=DOTS)
    assert found.value == pytest.approx((0.75 + 0.5) / 2)
    assert found.each == pytest.approx([(0.75 + 0.5) / 2, 0.75, 0.5])


def test_intervals_stay_on_their_scale():
    found = estimate(average(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])), limits=(0, 1))
    assert (found.low, found.high, found.next_low, found.next_high) == (0, 1, 0, 1)
    assert (found.each_low, found.each_high) == ([0, 0, 0], [1, 1, 1])


def test_one_text_has_no_bounds():
    assert find_bounds(0.5, np.array([0.1])) == (-INF, INF, INF)
    assert estimate(average(np.array([[0.3]])), limits=(0, 1))[:3] == (0.3, 0, 1)


@given(SEEDS, SIZES, st.floats(-3, 3), st.floats(0.1, 10))
def test_values_that_are_changed_change_the_interval_alike(seed, size, shift, unit):
    values = draw(seed, *size)
    sample = average(values)
    found, ends = estimate(sample), np.array(estimate(sample)[:5])
    assert found.low < found.value < found.high
    if size[0] > 2:
        assert found.next_low < found.value < found.next_high
    shifted, mirrored, turned = (estimate(average(each)) for each in (values + shift, -values, values[::-1, ::-1]))
    assert np.array(shifted[:5]) == pytest.approx(ends + shift, nan_ok=True)
    assert np.array(shifted.each_high) == pytest.approx(np.array(found.each_high) + shift)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))
    # the order of texts and trainings does not matter
    assert np.array(turned[:5]) == pytest.approx(ends, nan_ok=True)
    assert turned.each == pytest.approx(found.each[::-1])
    scaled = estimate(Sample(unit * sample.values, unit * sample.moved, sample.texts), scale=unit)
    assert np.array(scaled[:5]) == pytest.approx(unit * ends, nan_ok=True)


def test_the_interval_holds_the_truth_of_these_trainings():
    random, inside = np.random.default_rng(8), 0
    for _ in range(600):
        levels = 0.4 + 0.2 * random.standard_normal((3, 1))
        values = levels * random.exponential(1, 150) + 0.1 * random.standard_normal((3, 150))
        found = estimate(average(values))
        inside += found.low <= levels.mean() <= found.high
    assert 0.93 < inside / 600 < 0.985
