"""Estimates and intervals of means: against formulas worked out here, Student's and Welch's, and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from attention_audit.answer.estimates import (
    NORMAL,
    Estimate,
    Sample,
    bend_bounds,
    convert_to_odds,
    estimate,
    estimate_joint_variance,
    estimate_mean,
    estimate_unpaired,
    is_clear,
    join,
    select_pairs,
    take_root,
)
from attention_audit.answer.samples import average_texts, compare_pairs, compare_shuffled, find_members, take_share

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


def find_interval(value, parts, spread=0.0, joint=0.0):
    """Work out an interval from what each of K groups moves the value by, and from the half-width of the trainings."""
    count = len(parts)
    own = count / (count - 1) * sum((part - np.mean(parts)) ** 2 for part in parts)
    variance = own + 2 / count**2
    skewness = sum((part - np.mean(parts)) ** 3 for part in parts) / variance**1.5
    upper, lower = (invert_cubic(skewness, z) for z in (1.959964, -1.959964))
    alone = max(own - joint, 0) + 2 / count**2
    return value - math.hypot(spread, upper * alone**0.5), value + math.hypot(spread, lower * alone**0.5), variance


def find_joint(values):
    """Work out what trainings and texts bring together, by its expected squares."""
    trainings, texts = values.shape
    rests = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    return (rests**2).sum() / ((trainings - 1) * (texts - 1)) / values.size


def test_a_mean_has_the_chance_of_its_trainings_and_texts():
    values = draw(1, 4, 60)
    found = estimate(average_texts(values))
    assert found.value == pytest.approx(values.mean())
    spread = stats.t.ppf(0.975, 3) * values.mean(1).std(ddof=1) / 2
    ends = find_interval(values.mean(), (values.mean(0) - values.mean()) / 60, spread, find_joint(values))[:2]
    assert (found.low, found.high) == pytest.approx(ends)
    # each of them has the chance of its texts alone
    for row, *own in zip(values, found.each, found.each_low, found.each_high, strict=True):
        assert own == pytest.approx([row.mean(), *find_interval(row.mean(), (row - row.mean()) / 60)[:2]])
    assert (found.trainings, found.made, found.texts, found.groups) == (4, 4, 60, 60)
    # what trainings do to all texts alike counts as Student has it
    apart = estimate(average_texts(values + np.array([[0.0], [50.0], [90.0], [20.0]])))
    own = (values.mean(1) + np.array([0.0, 50.0, 90.0, 20.0])).tolist()
    assert (apart.low, apart.high) == pytest.approx(stats.t.interval(0.95, 3, np.mean(own), stats.sem(own)), rel=1e-3)


@pytest.mark.parametrize("trainings", [1, 2])
def test_one_or_two_trainings_have_the_chance_of_texts_alone(trainings):
    values = draw(2, trainings, 50)
    ends = find_interval(values.mean(), (values.mean(0) - values.mean()) / 50)[:2]
    for found in (estimate(average_texts(values)), estimate_mean(values, -9)):
        assert (found.low, found.high) == pytest.approx(ends)


@given(SEEDS, st.integers(1, 6), st.integers(2, 30))
def test_means_in_tables_have_the_interval_of_the_answer(seed, trainings, texts):
    values = draw(seed, trainings, texts)
    assert estimate_mean(values, -INF, 1)[1:3] == pytest.approx(estimate(average_texts(values), limits=(-INF, 1))[1:3])


def test_a_smaller_doubt_takes_a_wider_interval():
    values = 1 + draw(5, 3, 200) + np.array([[0.0], [0.2], [0.5]])
    wide, spread = estimate(average_texts(values), confidence=1 - 0.05 / 28), values.mean(1)
    assert (wide.high - wide.low) / 2 == pytest.approx(stats.t.ppf(1 - 0.025 / 28, 2) * stats.sem(spread), rel=0.01)
    assert estimate(average_texts(values)).next_low == wide.next_low


def test_models_whose_trainings_do_not_belong_together():
    one, other = draw(6, 3, 400) + np.array([[0.0], [0.3], [0.9]]), draw(7, 5, 400)
    found = estimate_unpaired(average_texts(one), average_texts(other), None, (-INF, INF), 1.0)
    means = one.mean(1), other.mean(1)
    squares = sum(each.var(ddof=1) / len(each) for each in means)
    assert found.value == pytest.approx(one.mean() - other.mean())
    # of the smaller number of trainings; texts add next to nothing
    assert (found.high - found.low) / 2 == pytest.approx(stats.t.ppf(0.975, 2) * math.sqrt(squares), rel=0.01)
    further = stats.t.ppf(0.975, 2) * math.sqrt(means[0].var(ddof=1) * 4 / 3 + means[1].var(ddof=1) * 6 / 5)
    assert (found.next_high - found.next_low) / 2 == pytest.approx(further, rel=0.01)
    assert (found.trainings, found.made, [*found.each]) == (3, 3, [])
    few = estimate_unpaired(average_texts(one[:2]), average_texts(other), None, (-INF, INF), 1.0)
    parts = (one[:2].mean(0) - one[:2].mean()) / 400 - (other.mean(0) - other.mean()) / 400
    assert (few.low, few.high) == pytest.approx(find_interval(few.value, parts)[:2])
    assert math.isnan(few.next_low)


def test_two_texts_are_added_so_that_no_interval_is_a_point():
    half = 1.959964 * math.sqrt(2) / 40
    for scale in (1, 3):
        found = estimate(average_texts(np.ones((2, 40))), scale=scale)
        assert (found.low, found.high) == pytest.approx((1 - scale * half, 1 + scale * half))


def test_the_next_training_adds_the_spread_of_these():
    values = draw(3, 5, 80)
    own = values.mean(1)
    variance = find_interval(values.mean(), (values.mean(0) - values.mean()) / 80)[2]
    half = math.sqrt(stats.t.ppf(0.975, 4) ** 2 * own.var(ddof=1) * (1 + 1 / 5) + 1.959964**2 * variance)
    found = estimate(average_texts(values))
    assert (found.next_low, found.next_high) == pytest.approx((values.mean() - half, values.mean() + half))


@pytest.mark.parametrize("trainings", [1, 2])
def test_two_trainings_say_nothing_of_the_next(trainings):
    found = estimate(average_texts(draw(4, trainings, 30)))
    assert np.isnan([found.next_low, found.next_high]).all()


def test_texts_of_a_group_count_as_one():
    values = draw(5, 3, 40)
    groups = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 4))
    found = estimate(average_texts(values[:2]), groups)
    parts = [(values[:2].mean(0) - values[:2].mean())[groups == number].sum() / 40 for number in range(10)]
    assert (found.low, found.high) == pytest.approx(find_interval(values[:2].mean(), parts)[:2])
    assert (found.texts, found.groups) == (40, 10)
    # what is measured twice is no more than what is measured once
    once, twice = (
        estimate(average_texts(values)),
        estimate(average_texts(np.tile(values, 2)), np.tile(np.arange(40), 2)),
    )
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
    rows = np.tile([-1.0, 1.0], 50) * math.sqrt(99 / 100)
    everything = np.ones(100, bool)
    assert is_clear(np.stack([rows + 0.299, rows + 0.301, rows - 5]), everything, None).tolist() == [False, True, False]
    # pairs of texts that are alike are half as many
    alike = np.repeat(rows[:50], 2)
    assert is_clear(alike[None] + 0.4, everything, np.repeat(np.arange(50), 2)).tolist() == [False]
    assert is_clear(alike[None] + 0.4, everything, None).tolist() == [True]
    assert is_clear(np.ones((1, 1)), np.ones(1, bool), None).tolist() == [False]


def test_one_less_a_ratio_has_the_bounds_of_its_logarithm():
    # a share that falls short by .5 +- .1: from .5 e^(.1 / .5) to .5 e^(-.1 / .5)
    assert bend_bounds(0.5, 0.4, 0.6) == pytest.approx((1 - 0.5 * math.exp(0.2), 1 - 0.5 * math.exp(-0.2)), abs=0.002)
    # a short interval stays as it is; a ratio near 0 has a lower bound half again as far away, and its own end
    assert bend_bounds(0.5, 0.499, 0.501) == pytest.approx((0.499, 0.501), abs=1e-5)
    assert bend_bounds(0.99, 0.89, 1.09) == pytest.approx((0.99 - 1.5 * 0.1, 1), abs=1e-4)
    assert bend_bounds(1.0, 0.9, 1.1) == pytest.approx((0.85, 1))
    assert bend_bounds(0.3, -INF, INF) == (-INF, 1)
    sample = compare_shuffled(average_texts(draw(4, 4, 60)), average_texts(draw(5, 4, 60)))
    plain, bent = (estimate(sample._replace(ratio=ratio)) for ratio in (False, True))
    assert (bent.low, bent.high) == pytest.approx(bend_bounds(plain.value, plain.low, plain.high))
    assert bent.each_low[0] == pytest.approx(bend_bounds(plain.each[0], plain.each_low[0], plain.each_high[0])[0])
    assert (bent.value, bent.next_low, bent.next_high) == (plain.value, plain.next_low, plain.next_high)


def test_a_ratio_of_rare_events_is_missed_on_both_sides_alike():
    # both shares are 1 / 10, of some texts more than of others: 1 less their ratio is 0. On its own scale the ratio is
    # missed above more often than an interval of 95 % says, and hardly ever below
    random, missed = np.random.default_rng(1), np.zeros(4)
    for _ in range(800):
        top, bottom = (
            average_texts((random.random((3, 150)) < 0.1 * random.gamma(1, 1, 150)).astype(float)) for _ in range(2)
        )
        sample = compare_shuffled(top, bottom)
        plain, bent = (estimate(sample._replace(ratio=ratio)) for ratio in (False, True))
        missed += plain.low > 0, plain.high < 0, bent.low > 0, bent.high < 0
    above, below, bent_above, bent_below = missed / 800
    assert above > 0.025 > max(bent_above, bent_below)
    assert abs(bent_above - bent_below) < above - below


def test_shares_count_alike_however_much_can_be_had():
    top, bottom = np.array([[0.5] * 4, [0.1] * 4]), np.array([[1.0] * 4, [0.1] * 4])
    assert estimate(take_share(top, bottom)).value == pytest.approx(0.75)


DOTS = find_members(np.array([[10, 50], [10, 257], [50, 257]]), np.array([10, 50, 257]))
JSD = np.array([[0.1], [0.2], [0.3]]) * np.ones((3, 60))
"""Of the maps of three pairs of trainings."""


def test_dots_of_pairs_are_means_with_the_others():
    found = estimate(compare_pairs(JSD, np.full((3, 60), 0.4)), members=DOTS)
    assert found.value == pytest.approx(0.5)
    assert found.each == pytest.approx([(0.75 + 0.5) / 2, (0.75 + 0.25) / 2, (0.5 + 0.25) / 2])
    # of three trainings, the spread of these means is taken twice: (S - 1) / (S - 2)
    spread, variance = 2 * np.std(found.each, ddof=1), 2 / 60**2
    half = math.sqrt(stats.t.ppf(0.975, 2) ** 2 * spread**2 * (1 + 1 / 3) + 1.959964**2 * variance)
    assert (found.next_low, found.next_high) == pytest.approx((0.5 - half, 0.5 + half))
    # each training is in two of the pairs, so that their mean moves by twice as much as that of trainings
    half = math.sqrt((2 * stats.t.ppf(0.975, 2) * spread) ** 2 / 3 + 1.959964**2 * variance)
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_the_mean_over_pairs_holds_that_of_all_pairs():
    random, inside = np.random.default_rng(9), 0
    pairs = np.array([(one, other) for one in range(5) for other in range(one)])
    for _ in range(400):
        own = 0.05 * random.standard_normal(5)
        moved = 0.02 * random.standard_normal((10, 100))
        values = 0.5 + own[pairs].sum(1)[:, None] + moved
        found = estimate(average_texts(values), members=find_members(pairs, np.arange(5)))
        inside += found.low <= 0.5 <= found.high
    assert inside / 400 > 0.93


def test_a_training_in_a_pair_without_a_value_is_left_out():
    finite = np.array([True, True, False])
    assert select_pairs(DOTS, finite).tolist() in ([True, False, False], [False, True, False])
    assert select_pairs(DOTS, np.array([True, False, False])).tolist() == [True, False, False]
    found = estimate(compare_pairs(JSD, np.repeat([0.4, 0.0, 0.0], 60).reshape(3, 60)), members=DOTS)
    assert found.each == pytest.approx([0.75, 0.75, NAN], nan_ok=True)
    assert (found.value, found.trainings, found.made) == (pytest.approx(0.75), 2, 3)
    nothing = estimate(compare_pairs(JSD[:1], np.zeros((1, 60))), members=DOTS[:2, :1])
    assert (nothing.trainings, nothing.made, math.isnan(nothing.value)) == (0, 2, True)


def test_intervals_stay_on_their_scale():
    found = estimate(average_texts(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])), limits=(0, 1))
    assert (found.low, found.high, found.next_low, found.next_high) == (0, 1, 0, 1)


def test_one_text_has_no_bounds():
    assert estimate(average_texts(np.array([[0.3]])))[:3] == (0.3, -INF, INF)
    assert estimate(average_texts(np.array([[0.3]])), limits=(0, 1))[:3] == (0.3, 0, 1)


@given(SEEDS, SIZES, st.floats(-3, 3), st.floats(0.1, 10))
def test_values_that_are_changed_change_the_interval_alike(seed, size, shift, unit):
    values = draw(seed, *size)
    sample = average_texts(values)
    found, ends = estimate(sample), np.array(estimate(sample)[:5])
    assert found.low < found.value < found.high
    if size[0] > 2:
        assert found.next_low < found.value < found.next_high
    shifted, mirrored, turned = (
        estimate(average_texts(each)) for each in (values + shift, -values, values[::-1, ::-1])
    )
    assert np.array(shifted[:5]) == pytest.approx(ends + shift, nan_ok=True)
    assert np.array(shifted.each_high) == pytest.approx(np.array(found.each_high) + shift)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))
    # the order of texts and trainings does not matter
    assert np.array(turned[:5]) == pytest.approx(ends, nan_ok=True)
    assert turned.each == pytest.approx(found.each[::-1])
    scaled = estimate(Sample(unit * sample.values, unit * sample.moved, sample.texts), scale=unit)
    assert np.array(scaled[:5]) == pytest.approx(unit * ends, nan_ok=True)


def test_the_interval_holds_the_truth_of_models_trained_alike():
    random, inside = np.random.default_rng(8), 0
    for _ in range(600):
        levels = 0.4 + 0.2 * random.standard_normal((3, 1))
        values = levels * random.exponential(1, 150) + 0.1 * random.standard_normal((3, 150))
        found = estimate(average_texts(values))
        inside += found.low <= 0.4 <= found.high
    assert 0.93 < inside / 600 < 0.985


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


def test_intervals_of_means_stay_on_their_scale():
    assert estimate_mean(np.array([[0.2]]))[1:3] == (0, 1)
    assert estimate_mean(np.array([[-0.9, 0.9]]), -1)[1:3] == (-1, 1)


def test_what_grows_with_an_effect_has_its_bounds():
    assert convert_to_odds(Estimate(0.75, 0.5, 1.0)) == Estimate(3, 1, math.inf)
    assert take_root(Estimate(0.25, 0.0, 0.49))[:3] == pytest.approx((0.5, 0.0, 0.7))
