"""What each question takes of trainings and texts, and what a budget leaves open: by hand, and by definition."""

import importlib
import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.estimates import Sample
from attention_audit.answer.samples import (
    AdversaryResult,
    Budget,
    average_classes,
    average_texts,
    bracket_budget,
    compare_pairs,
    compare_shuffled,
    erase,
    find_sides,
    measure_scores,
    place_ranking,
    score_classes,
    take_share,
    weigh_classes,
)
from attention_audit.scores import accuracy, compute_f1, macro_f1, roc_auc

NAN = math.nan
# which the scores import when they need it: within a drawn case, that takes longer than hypothesis allows
importlib.import_module("sklearn.metrics")


def draw(seed, *shape):
    return np.random.default_rng(seed).random(shape)


@given(st.integers(0, 200), st.integers(2, 4), st.integers(1, 3), st.integers(1, 40))
def test_f1_is_that_of_the_scores(seed, classes, trainings, texts):
    random = np.random.default_rng(seed)
    labels, predictions = random.integers(0, classes, texts), random.integers(0, classes, (trainings, texts))
    values, moved, error = score_classes(labels, predictions, classes)
    assert values == pytest.approx([macro_f1(labels, row) for row in predictions])
    assert moved.sum(1) == pytest.approx(0, abs=1e-9)
    assert 0 <= error <= 1


def test_one_error_moves_a_perfect_f1_by_one_text():
    labels = np.arange(80) % 8
    wrong = labels.copy()
    wrong[0] = 1
    _, _, error = score_classes(labels, labels[None], 8)
    assert error == pytest.approx(1 / 80)
    assert 1 - macro_f1(labels, wrong) == pytest.approx(error, rel=0.06)


def test_what_a_text_moves_is_the_derivative_of_f1():
    random = np.random.default_rng(3)
    labels, predictions = random.integers(0, 3, 3000), random.integers(0, 3, (2, 3000))
    _, moved, _ = score_classes(labels, predictions, 3)
    for text in (0, 7, 2999):
        without = np.delete(np.arange(3000), text)
        gone = [macro_f1(labels[without], row[without]) - macro_f1(labels, row) for row in predictions]
        assert gone == pytest.approx(-moved[:, text], rel=0.02, abs=1e-8)


def test_a_score_is_macro_f1_training_by_training():
    labels = np.array([1, 1, 0, 0])
    sample, scale = measure_scores(labels, np.array([[1, 1, 0, 0], [1, 1, 0, 1]]), 2)
    # of 1, and of 4/5 and 2/3
    assert sample.values == pytest.approx([1, 11 / 15])
    assert sample.texts.all()
    # one error of the first costs 1 - 11/15, of the mean about that
    assert scale / 4 == pytest.approx(4 / 15, rel=0.2)


@given(st.integers(0, 100), st.integers(1, 3), st.integers(20, 40))
def test_what_a_text_moves_a_share_or_a_comparison_by_is_its_derivative(seed, trainings, texts):
    # of a ranking, and of shuffled weights
    tops, bottoms = 0.2 + draw(seed, 2, 2, trainings, texts)
    share, chance = map(take_share, tops, bottoms)
    assert share.values == pytest.approx(tops[0].sum(1) / bottoms[0].sum(1))
    # one text weighs a little more
    weights = np.ones(texts)
    weights[3] += 1e-6
    own, other = (tops @ weights) / (bottoms @ weights)
    for found, changed, near in ((share, own, 1e-6), (compare_shuffled(share, chance), 1 - own / other, 1e-5)):
        assert (changed - found.values) / 1e-6 == pytest.approx(found.moved[:, 3], abs=near)


def test_ranks_leaves_out_what_no_set_flips_and_counts_what_a_ranking_never_flips_as_all():
    random = np.array([[0.9, NAN, 0.5, 0.5]])
    attention = np.array([[0.1, NAN, NAN, 0.5]])
    smallest = np.array([[0.1, NAN, 0.25, 0.25]])
    found = erase(*(np.tile(each, 20) for each in (random, attention, smallest)))
    # of gains of .8, .25 and .25 come .8, -.5 and 0
    assert found.values == pytest.approx([0.3 / 1.3])
    assert found.texts.sum() == 60


def test_where_the_best_words_hardly_move_the_prediction_nothing_is_located():
    random, best = np.zeros((2, 50)), np.array([[0.009] * 50, [0.011] * 50])
    assert place_ranking(random, best / 2, best).values == pytest.approx([NAN, 0.5], nan_ok=True)


def test_two_shares_of_what_is_left_are_compared():
    own, by_chance = (Sample(np.array([value, 0.0]), np.zeros((2, 4)), np.ones(4, bool)) for value in (0.2, 0.8))
    found = compare_shuffled(own, by_chance)
    assert found.values == pytest.approx([0.75, NAN], nan_ok=True)


def test_an_item_that_hardly_moves_anything_is_on_no_side():
    sides = find_sides(np.array([[0.2, -0.005, 0.005, -0.02, NAN]]), 0.01)
    assert sides.tolist()[0][:4] == [1, 0, 0, -1]
    assert math.isnan(sides[0, 4])


def test_values_that_are_not_known_do_not_count():
    found = average_texts(np.array([[0.2, NAN, 0.4], [NAN, NAN, 1.0]]))
    assert found.values == pytest.approx([0.3, 1.0])
    assert found.texts.tolist() == [True, False, True]
    assert found.moved == pytest.approx(np.array([[-0.05, 0, 0.05], [0, 0, 0]]))


def test_similarity_is_of_sums_over_texts():
    assert compare_pairs(np.array([[0.3, 0.1] * 8]), np.array([[0.2, 0.6] * 8])).values == pytest.approx([0.5])


def adversary(value, test, dev=None, name="a", moved=(0.0, 0.0)):
    moved = np.array(moved)
    return AdversaryResult(name, 0.1, 1, test if dev is None else dev, test, value, value - 0.1, value + 0.1, moved)


def tolerate(*tolerances):
    return [Budget(each, each, np.zeros(2)) for each in tolerances]


def list_found(bracket):
    return [each and each.value for each in (bracket.within, bracket.beyond)]


def test_all_predicted_classes_count_alike():
    tvd, predictions = np.array([0.1, 0.1, 0.1, 0.7]), np.array([0, 0, 0, 1])
    assert weigh_classes(tvd, predictions) == pytest.approx(0.4)
    assert weigh_classes(np.array([0.1, 0.3, math.nan, 0.7]), predictions) == pytest.approx(0.45)
    assert math.isnan(weigh_classes(np.array([math.nan]), np.array([0])))


@given(st.integers(0, 100))
def test_what_a_text_moves_the_mean_of_classes_by_is_its_derivative(seed):
    tvd, predictions = draw(seed, 12), np.arange(12) % 3
    weights = np.ones(12)
    weights[5] += 1e-6
    more = np.mean([np.average(tvd[predictions == k], weights=weights[predictions == k]) for k in range(3)])
    sample = average_classes(tvd, predictions)
    assert (more - sample.values[0]) / 1e-6 == pytest.approx(sample.moved[0, 5], abs=1e-4)


def test_a_bracket_is_the_furthest_within_and_the_next_beyond():
    near, far, next_one, last = adversary(0.9, 0.01), adversary(0.5, 0.04), adversary(0.2, 0.06), adversary(0.1, 0.09)
    # as far as the one within, and so no step of the frontier
    dear = adversary(0.7, 0.055)
    found = bracket_budget([dear, last, near, next_one, far], tolerate(0.05))
    assert list_found(found) == [0.5, 0.2]
    assert found.interval == (0.5, pytest.approx(0.1), pytest.approx(0.6))


def test_a_budget_is_held_on_dev_and_on_test():
    broken = adversary(0.1, 0.06, dev=0.04), adversary(0.1, 0.04, dev=0.06)
    found = bracket_budget([*broken, adversary(0.8, 0.05)], tolerate(0.05))
    # one that may be within on test leaves nothing beyond it that is less similar
    assert list_found(found) == [0.8, None]


def test_a_budget_has_the_chance_of_its_texts():
    # two groups, each of which moves the TVD by .01 or -.01: a standard error of sqrt(2 * 2 * .01^2) = .02
    unsure = adversary(0.5, 0.04, moved=(0.01, -0.01))
    assert list_found(bracket_budget([unsure], tolerate(0.0599))) == [None, None]
    assert list_found(bracket_budget([unsure], tolerate(0.0601))) == [0.5, None]
    assert list_found(bracket_budget([unsure], tolerate(0.0199))) == [None, 0.5]
    # what moves the budget alike says nothing of the difference
    others = [Budget(0.041, 0.041, np.array([0.01, -0.01]))]
    assert list_found(bracket_budget([unsure], others)) == [0.5, None]
    # the one that leaves more room counts
    assert list_found(bracket_budget([unsure], [*tolerate(0.001), *others])) == [0.5, None]
    assert bracket_budget([unsure], [*tolerate(0.05), *others]).budget == 0.05


def test_what_was_not_found_leaves_an_end_open():
    assert bracket_budget([adversary(0.4, 0.01)], tolerate(0.05)).interval == (0.4, -math.inf, 0.5)
    # the model's own map holds every budget
    assert bracket_budget([adversary(0.4, 0.1)], tolerate(0.05)).interval == (1.0, pytest.approx(0.3), 1.0)


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 0.2)), min_size=1, max_size=9), st.floats(0, 0.1))
def test_a_larger_budget_never_leaves_less_open(points, budget):
    adversaries = [adversary(*point) for point in points]
    less, more = (bracket_budget(adversaries, tolerate(each)).interval[0] for each in (budget, 2 * budget))
    assert more <= less
    found = bracket_budget(adversaries, tolerate(budget))
    if found.beyond:
        assert found.beyond.test > budget
        assert found.beyond.value < found.interval[0]


@st.composite
def predicted(draw):
    """Labels and predictions, (N,), and distributions, (N, classes), some of them equal; classes may be missing."""
    count, classes = draw(st.integers(1, 60)), draw(st.integers(2, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    used = draw(st.integers(1, classes))
    labels, predictions = random.integers(0, used, count), random.integers(0, draw(st.integers(1, classes)), count)
    shares = random.dirichlet(np.ones(classes), count).round(draw(st.sampled_from([1, 2, 17])))
    return labels, predictions, shares.astype(draw(st.sampled_from([np.float32, np.float64]))), classes


def rank_pairs(positive, scores):
    """Return the share of pairs of a positive and another text whose scores have the right order; equal ones: half."""
    pairs = np.sign(scores[positive][:, None] - scores[~positive])
    return float((pairs.mean() + 1) / 2)


def score_class(number, labels, predictions):
    """Compute F1 from precision and recall; 0 where one of them is undefined or both are 0."""
    hits = (labels == number) & (predictions == number)
    if not hits.any():
        return 0.0
    precision, recall = hits.sum() / (predictions == number).sum(), hits.sum() / (labels == number).sum()
    return float(2 * precision * recall / (precision + recall))


@given(predicted())
def test_scores_are_what_they_are_defined_as(drawn):
    labels, predictions, shares, classes = drawn
    positive = [labels == number for number in range(1 if classes == 2 else 0, classes)]
    areas = [
        rank_pairs(own, shares[:, -1 if classes == 2 else at])
        for at, own in enumerate(positive)
        if own.any() and not own.all()
    ]
    assert roc_auc(labels, shares) == pytest.approx(fmean(areas) if areas else np.nan, nan_ok=True)
    macro = fmean(score_class(number, labels, predictions) for number in np.union1d(labels, predictions))
    assert macro_f1(labels, predictions) == pytest.approx(macro)
    own = score_class(1, labels, predictions) if classes == 2 else macro
    assert compute_f1(labels, predictions, classes) == pytest.approx(own)
    assert accuracy(labels, predictions) == pytest.approx(sum(labels == predictions) / len(labels))
