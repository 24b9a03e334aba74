"""The questions of the summary: effects and words worked by hand, intervals against other formulas."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from attention_audit.answer.intervals import (
    NORMAL,
    Cells,
    Design,
    Effect,
    bounds,
    by_training,
    difference,
    mean,
    moments,
    odds,
    quotient,
    ratio,
    root_of,
    skewed,
    stretched,
    together,
    within,
)
from attention_audit.answer.questions import (
    further,
    gained,
    learnt,
    located,
    ranks,
    scored,
    sides,
    signed,
    stable,
    unique,
    used,
)
from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.sizes import lacking, spare
from attention_audit.answer.words import NO, NOT_ASKED, TOO_FEW, UNDECIDED, YES, multiplicity, said, word
from attention_audit.scores import macro_f1

NAN = math.nan
SIZES = st.tuples(st.integers(1, 4), st.integers(2, 30))


def draw(seed, *shape):
    return np.random.default_rng(seed).random(shape)


def test_words_follow_the_whole_interval():
    assert word(Effect(0.3, 0.2, 0.4, 3, 500), 0.1) == YES
    assert word(Effect(0.3, 0.2, 0.4, 3, 500), 0.2) == UNDECIDED
    assert word(Effect(0.3, 0.2, 0.4, 3, 500), 0.4) == NO
    assert word(Effect(0.3, -math.inf, math.inf, 3, 500), 0.4) == UNDECIDED
    assert word(Effect(math.nan, math.nan, math.nan, 3, 500), 0.4) == UNDECIDED


def test_a_word_is_of_the_next_training_where_three_more_might_have_failed():
    def told(low, high, trainings, question="used", each=(0.3, 0.3), own=(0.25, 0.35)):
        effect, these = (Effect(0.3, *ends, trainings, 500) for ends in ((low, high), own))
        return said(question, 0.06, effect, these, each)

    # of nine trainings, three more that do what chance does leave 9 / 12 of the effect: it must be above .06 still
    assert spare("used", 0.06, 9) == pytest.approx(0.02)
    assert told(0.081, 0.4, 9) == (YES, False)
    assert told(0.079, 0.4, 9) == (YES, True)
    assert told(0.081, 0.4, 3) == (YES, True)
    assert told(0.121, 0.4, 3) == (YES, False)
    assert told(0.0, 0.039, 9) == (NO, False)
    # two trainings, and any number of them that are held against one another, say nothing of the next one
    assert told(0.2, 0.4, 2) == (YES, True)
    assert told(0.2, 0.4, 9, "stable") == (YES, True)
    # a training that fails predicts by chance, far below one that gains nothing
    assert spare("needed", 0.01, 3) == pytest.approx(0.51)


def test_trainings_that_lie_apart_have_no_word_together():
    def told(each, own=(0.25, 0.35)):
        effect, these = (Effect(0.3, *ends, 3, 500) for ends in ((-0.5, 1.1), own))
        return said("ranks", 0.2, effect, these, each)

    assert told([0.3, 0.4, 0.2001]) == (YES, True)
    assert told([0.3, 0.4, 0.2]) == (UNDECIDED, False)
    # one in which nothing can be had stands on neither side
    assert told([0.3, 0.4, NAN]) == (YES, True)
    assert told([0.3, 0.4, 0.3], own=(0.1, 0.35)) == (UNDECIDED, False)
    assert told([0.1, 0.1, 0.2], own=(0.1, 0.2)) == (NO, True)


def test_clusters_count_as_one_text():
    values = draw(5, 3, 40)
    four = Design(np.repeat(np.arange(10), 4))
    alike = np.repeat(values[:, ::4], 4, axis=1)
    # four copies of each text are as many texts as there were before
    assert mean(alike, design=four)[:3] == pytest.approx(mean(values[:, ::4])[:3])
    assert used(alike, design=four)[3:] == (3, 40, 10)
    assert used(alike, design=four).independent == used(values[:, ::4]).independent == 10
    known = np.where(np.arange(40) % 7 == 0, NAN, alike)
    by_hand = quotient(*(np.nansum(each.reshape(3, 10, 4), 2) for each in (known, np.where(np.isnan(known), NAN, 1.0))))
    assert mean(known, design=four)[:3] == pytest.approx(by_hand[:3])


def test_the_interval_of_these_trainings_is_that_of_their_mean():
    values = draw(6, 4, 60)
    these = mean(values, design=Design(fixed=True))
    assert these[:3] == pytest.approx(mean(values.mean(0)[None])[:3])
    assert these.trainings == 4


def test_too_little_is_said_as_that_with_what_is_there_and_what_is_needed():
    assert word(Effect(0.3, 0.2, 0.4, 3, 99), 0.1) == TOO_FEW
    assert lacking("used", 5, 60) == "60 texts of the 100 needed"
    assert lacking("used", 1, 100) == ""
    # two trainings are one pair
    assert lacking("stable", 2, 1700) == "2 trainings of the 3 needed"
    assert lacking("transferable", 1, 1) == "1 text of the 100 needed, 1 training of the 3 needed"
    assert lacking("stable", 3, 1700) == ""


def test_many_words_say_how_many_chance_may_make_wrong():
    # each end of an interval of 95 % leaves out 2.5 %
    assert multiplicity([YES] * 50 + [NO] * 28 + [UNDECIDED] * 22 + [NOT_ASKED, TOO_FEW]) == (
        "Of 100 answers, 78 are yes or no. If every effect lay exactly at its margin, chance would make at most "
        "100 × 0.025 = 2.5 of these words wrong on average, and fewer the further the effects lie from their margins."
    )
    assert multiplicity([YES]).startswith("Of 1 answer, 1 is yes or no. ")
    assert multiplicity([NOT_ASKED, TOO_FEW]) == ""


def test_margins_are_those_of_the_documentation():
    assert AnswerSettings().margins == Margins()
    assert Margins().needed == 0.01
    with pytest.raises(ValueError, match="less than or equal to 1"):
        Margins(signed=1.5)


@given(st.integers(0, 200), st.integers(2, 4), st.integers(1, 3), st.integers(1, 40))
def test_f1_is_that_of_the_scores(seed, classes, trainings, texts):
    random = np.random.default_rng(seed)
    labels, predictions = random.integers(0, classes, texts), random.integers(0, classes, (trainings, texts))
    values, moved, error = scored(labels, predictions, classes)
    assert values == pytest.approx([macro_f1(labels, row) for row in predictions])
    assert moved.sum(1) == pytest.approx(0, abs=1e-9)
    assert 0 <= error <= 1


def test_one_error_moves_a_perfect_f1_by_one_text():
    labels = np.arange(80) % 8
    wrong = labels.copy()
    wrong[0] = 1
    _, _, error = scored(labels, labels[None], 8)
    assert error == pytest.approx(1 / 80)
    assert 1 - macro_f1(labels, wrong) == pytest.approx(error, rel=0.06)


def test_what_a_text_moves_is_the_derivative_of_f1():
    random = np.random.default_rng(3)
    labels, predictions = random.integers(0, 3, 3000), random.integers(0, 3, (2, 3000))
    _, moved, _ = scored(labels, predictions, 3)
    for text in (0, 7, 2999):
        without = np.delete(np.arange(3000), text)
        gone = [macro_f1(labels[without], row[without]) - macro_f1(labels, row) for row in predictions]
        assert gone == pytest.approx(-moved[:, text], rel=0.02, abs=1e-8)


def test_needed_by_hand():
    labels = np.array([1, 1, 0, 0])
    base = np.array([[1, 1, 0, 0], [1, 1, 0, 1]])
    uniform = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    found = gained(labels, base, uniform, 2)
    # macro F1: of 1 and of 4/5 and 2/3, and of 2/3 and 4/5 each
    assert found.value == pytest.approx((1 + 11 / 15) / 2 - 11 / 15)
    assert found[3:5] == (2, 4)
    assert -1 <= found.low < found.value < found.high <= 1


def test_texts_are_shared_by_both_models_and_seeds_are_not():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 800)
    wrong = random.random(800) < 0.3
    same = np.where(wrong, 1 - labels, labels)
    width = np.ptp(gained(labels, np.tile(same, (3, 1)), np.tile(same, (3, 1)), 2)[1:3])
    other = np.where(random.permutation(wrong), 1 - labels, labels)
    assert width < 0.02 < np.ptp(gained(labels, np.tile(same, (3, 1)), np.tile(other, (3, 1)), 2)[1:3])


def test_stable_by_hand():
    jsd = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]])
    found = stable(jsd, np.full((3, 2), 0.4), np.array([[10, 50], [10, 257], [50, 257]]))
    assert found.value == pytest.approx(0.5)
    assert found[3:5] == (3, 2)


@given(st.integers(0, 100), st.integers(3, 6))
def test_the_part_of_a_training_in_pairs_is_its_jackknife(seed, count):
    pairs = np.array(list(combinations(range(count), 2)))
    values = draw(seed, len(pairs), 5)
    means = np.array([values[~(pairs == node).any(1)].mean() for node in range(count)])
    variance = (count - 1) / count * ((means - means.mean()) ** 2).sum()
    has = (pairs[:, :, None] == np.arange(count)).any(1).T * (count - 1) / (count - 2)
    nothing = np.zeros(count)
    assert moments(has @ values.sum(1), nothing)[0, 0] / values.size**2 == pytest.approx(variance)


@given(st.integers(0, 100), st.integers(2, 5), st.integers(2, 20))
def test_what_both_do_together_is_left_without_rows_and_columns(seed, trainings, texts):
    top, bottom = draw(seed, trainings, texts), draw(seed + 1, trainings, texts)
    left = [values - values.mean(0) - values.mean(1, keepdims=True) + values.mean() for values in (top, bottom)]
    expected = np.array([[(one * other).sum() for other in left] for one in left])
    expected *= trainings * texts / ((trainings - 1) * (texts - 1))
    assert together(Cells(top, bottom)) == pytest.approx(expected, abs=1e-9)


def test_the_mean_of_one_training_has_the_variance_of_its_texts():
    values = draw(1, 1, 500)
    found = used(values)
    assert found.value == pytest.approx(values.mean())
    assert found[3:5] == (1, 500)
    # and of two texts more
    variance = values.var(ddof=1) / 500 + 2 / 500**2
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * math.sqrt(variance), rel=0.01)


def test_trainings_that_differ_have_students_quantile():
    # every text says the same of a training, so that nothing but trainings differ
    values = np.broadcast_to(np.array([[0.2], [0.4], [0.3], [0.5]]), (4, 100_000))
    found = used(values)
    expected = stats.t.interval(0.95, 3, values[:, 0].mean(), stats.sem(values[:, 0]))
    assert found[1:3] == pytest.approx(expected, abs=1e-4)


def test_two_groups_of_trainings_have_welchs_interval():
    labels = np.tile([0, 1], 50_000)

    def predicted(errors):
        rows = np.tile(labels, (len(errors), 1))
        for row, count in zip(rows, errors, strict=True):
            row[:count] = 1 - row[:count]
        return rows

    base, uniform = predicted([8000, 9000, 7000]), predicted([12_000, 15_000, 12_500])
    scores = [[macro_f1(labels, row) for row in rows] for rows in (base, uniform)]
    expected = stats.ttest_ind(*scores, equal_var=False).confidence_interval()
    assert gained(labels, base, uniform, 2)[1:3] == pytest.approx(expected, abs=4e-4)


def test_noise_of_single_texts_counts_once():
    values = draw(3, 30, 3000)
    variance = values.var() / values.size + 2 / 3000**2
    found = used(values)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * math.sqrt(variance), rel=0.35)


def test_ranks_leaves_out_what_no_set_flips_and_counts_what_a_ranking_never_flips_as_all():
    nan = math.nan
    random = np.array([[0.9, nan, 0.5, 0.5]])
    attention = np.array([[0.1, nan, nan, 0.5]])
    smallest = np.array([[0.1, nan, 0.25, 0.25]])
    found = ranks(random, attention, smallest)
    # of gains of .8, .25 and .25 come .8, -.5 and 0
    assert found.value == pytest.approx(0.3 / 1.3)
    assert found.texts == 3


def test_located_by_hand():
    found = located(np.full((2, 3), 0.1), np.full((2, 3), 0.4), np.full((2, 3), 0.5))
    assert found.value == pytest.approx(0.75)
    assert found[3:5] == (2, 3)


def test_no_gain_to_be_had_means_no_bounds():
    random = np.random.default_rng(0)
    falls = random.normal(0, 0.1, (3, 200))
    found = located(falls, falls + random.normal(0, 0.1, (3, 200)), falls + random.normal(0, 0.1, (3, 200)))
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert math.isnan(located(falls, falls, falls).value)


def test_signed_by_hand():
    lead = np.array([[0.2, -0.005, -0.02, math.nan]])
    assert sides(lead, 0.01).tolist()[0][:3] == [1, 0, -1]
    assert signed(sides(lead, 0.01)).value == pytest.approx(1 / 3)
    # an item that hardly moves anything supports nothing
    assert signed(sides(np.array([[0.2, 0.005]]), 0.01)).value == pytest.approx(1 / 2)


def test_learnt_by_hand():
    labels = np.array([0, 0, 0, 1, 1])
    found = learnt(labels, np.array([[0, 0, 0, 1, 1], [0, 0, 1, 1, 0]]))
    assert found.value == pytest.approx((1 + 0.6) / 2 - 0.6)
    assert found[3:5] == (2, 5)


@given(st.integers(0, 100), st.integers(2, 60), st.permutations([0, 1, 2]))
@example(1, 4, [0, 2, 1])
def test_learnt_and_needed_do_not_know_the_names_of_classes(seed, texts, names):
    random = np.random.default_rng(seed)
    labels, base, uniform = (random.integers(0, 3, shape) for shape in (texts, (3, texts), (2, texts)))
    named = np.array(names)
    assert learnt(named[labels], named[base]) == pytest.approx(learnt(labels, base))
    renamed = gained(named[labels], named[base], named[uniform], 3)
    assert renamed == pytest.approx(gained(labels, base, uniform, 3))


def test_an_adversary_goes_further_than_the_furthest_other_training():
    jsd, seeds = np.full(200, 0.3), np.stack([np.full(200, 0.1), np.full(200, 0.25)])
    found = further(jsd, seeds)
    assert found.value == pytest.approx(0.05)
    assert found.low > 0
    assert further(np.full(200, 0.2), seeds).high < 0


def test_unique_is_of_one_training():
    found = unique(np.full(200, 0.1), np.full(200, 0.4))
    assert found.value == pytest.approx(0.75)
    assert found[3:5] == (1, 200)


def test_alike_texts_are_no_certainty():
    found = signed(np.ones((3, 100)))
    assert (found.value, found.high) == (1, 1)
    # 1.96 standard deviations of two texts in 100
    assert found.low == pytest.approx(1 - 0.0277, abs=5e-4)
    assert signed(np.ones((3, 1700))).low > 0.998
    labels = np.arange(100) % 2
    assert gained(labels, np.tile(labels, (3, 1)), np.tile(labels, (3, 1)), 2).high > 0.02


@given(st.integers(0, 300), SIZES)
def test_bounds_are_on_both_sides_and_do_not_depend_on_units(seed, size):
    top, bottom = draw(seed, *size), 0.2 + draw(seed + 1, *size)
    found = quotient(top, bottom)
    assert found.low <= found.value <= found.high
    for once_more in (quotient(10 * top, 10 * bottom), quotient(top[::-1, ::-1], bottom[::-1, ::-1])):
        assert once_more[:3] == pytest.approx(found[:3])


@given(st.integers(0, 100))
def test_bounds_of_a_quotient_are_fiellers(seed):
    top, bottom = draw(seed, 400), 1 + draw(seed + 1, 400)
    low, high = bounds(top.sum(), bottom.sum(), (top, bottom), [], 0.0)
    for bound in (low, high):
        values = top - bound * bottom
        # the quantile is moved for skewness, which is small here
        assert abs(values.mean() / (values.std(ddof=1) / 20)) == pytest.approx(1.966, abs=0.06)


@given(st.floats(-0.4, 0.4), st.floats(-4, 4))
def test_the_quantile_of_a_skewed_mean_inverts_halls_cubic(skewness, normal):
    t = skewed(skewness, normal)
    assert t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6 == pytest.approx(normal, abs=1e-6)


def test_skewed_texts_have_the_longer_side_where_the_rare_ones_are():
    rare = np.zeros((1, 200))
    rare[0, :10] = 0.5
    found = used(rare)
    assert found.high - found.value > 1.15 * (found.value - found.low)
    assert skewed(0.0, NORMAL) == NORMAL


def test_intervals_stay_on_their_scale():
    assert within(Effect(0.5, -0.2, 1.3, 3, 100), 0, 1) == Effect(0.5, 0, 1, 3, 100)
    assert within(Effect(0.5, -math.inf, math.inf, 3, 100), 0, 1) == Effect(0.5, 0, 1, 3, 100)


def test_trainings_count_alike_however_much_can_be_had_in_them():
    bottom = np.array([[1.0] * 4, [0.1] * 4, [1.0, -1.0, 1.0, -1.0]])
    top = np.array([[0.5] * 4, [0.1] * 4, [9.0] * 4])
    # shares of 1/2 and of 1; in the third training nothing can be had
    found = by_training(top, bottom)
    assert (found.value, found.trainings, found.texts) == (pytest.approx(0.75), 2, 4)
    nothing = by_training(top[2:], bottom[2:])
    assert (nothing.low, nothing.high) == (-math.inf, math.inf)
    gaps = by_training(np.where([[True, False, True, True]], top, np.nan), bottom)
    assert (gaps.value, gaps.texts) == (pytest.approx(0.75), 3)


def test_distances_have_intervals_in_proportion():
    found = stretched(Effect(0.5, 0.3, 0.7, 3, 100))
    assert found[1:3] == pytest.approx((0.5 * math.exp(-0.4), 0.5 * math.exp(0.4)))
    for unbounded in (Effect(0.5, -math.inf, math.inf, 3, 100), Effect(0.0, 0.0, 0.1, 3, 100)):
        assert stretched(unbounded) == unbounded
    # what is wider than the value itself goes on in a line
    assert stretched(Effect(0.1, -0.9, 1.1, 3, 100)).high == pytest.approx(0.1 * math.e * 10)


def test_trainings_of_two_models_have_welchs_interval():
    one, other = np.array([0.2, 0.5, 0.3, 0.6]), np.array([0.1, 0.15, 0.05])
    # texts that are all alike, and so many that those which are added do not count
    found = difference(*(np.repeat(values[:, None], 100_000, 1) for values in (one, other)))
    welch = stats.ttest_ind(one, other, equal_var=False).confidence_interval()
    assert (found.low, found.high) == pytest.approx((welch.low, welch.high), abs=1e-4)
    assert found[3:5] == (3, 100_000)


def test_texts_of_two_models_are_compared_in_pairs():
    # deviations that are symmetric, so that no quantile moves
    one, other = np.array([[0.4, 0.6, 0.5, 0.3, 0.7]]), np.array([[0.2, 0.2, 0.2, 0.2, 0.2]])
    squares, added = 5 / 4 * (2 * 0.1**2 + 2 * 0.2**2) / 25, 2 / 25
    half = NORMAL * math.sqrt(squares + added)
    assert difference(one, other)[:3] == pytest.approx((0.3, 0.3 - half, 0.3 + half))
    # two texts and one value less: means are over the values that there are
    missing = difference(np.array([[0.4, 0.6, NAN, NAN]]), np.array([[0.2, NAN, 0.4, NAN]]))
    assert missing.value == pytest.approx(0.5 - 0.3)
    assert missing.texts == 3
    assert np.isnan(difference(np.array([[NAN, NAN]]), np.array([[0.2, 0.3]]))[:3]).all()


def test_a_ratio_of_one_training_each_is_a_quotient():
    one, other = draw(1, 1, 60), draw(2, 1, 60) + 0.3
    assert ratio(one, other) == pytest.approx(quotient(one, other))
    assert ratio(draw(3, 4, 30), draw(4, 2, 30))[3:5] == (2, 30)
    assert np.isnan(ratio(one, np.zeros((1, 60)))[:3]).all()


@pytest.mark.parametrize(("measure", "truth"), [(difference, 0.3), (ratio, 2.5)])
def test_intervals_of_two_models_hold_the_truth(measure, truth):
    random, inside = np.random.default_rng(7), 0
    for _ in range(400):
        ease = 0.1 * random.standard_normal(80)
        one, other = (
            level + 0.05 * random.standard_normal((trainings, 1)) + ease + 0.1 * random.standard_normal((trainings, 80))
            for level, trainings in ((0.5, 3), (0.2, 4))
        )
        found = measure(one, other)
        inside += found.low <= truth <= found.high
    assert 0.93 < inside / 400 < 0.995


def test_what_grows_with_an_effect_has_its_bounds():
    share = Effect(0.75, 0.5, 1.0, 3, 40)
    assert odds(share) == Effect(3, 1, math.inf, 3, 40)
    assert root_of(Effect(0.25, 0.0, 0.49, 3, 40)) == pytest.approx(Effect(0.5, 0.0, 0.7, 3, 40))
    assert mean(np.array([[0.2], [0.4]])) == pytest.approx(Effect(0.3, 0, 1, 2, 1))
