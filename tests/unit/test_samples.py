"""What each question takes of trainings and texts: values by hand, and what each text moves them by."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.estimates import Sample
from attention_audit.answer.samples import (
    average,
    compare_pairs,
    compare_scores,
    compare_shuffled,
    erase,
    find_sides,
    place_ranking,
    score_classes,
    take_share,
)
from attention_audit.scores import macro_f1

NAN = math.nan


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


def test_models_are_compared_by_macro_f1_training_by_training():
    labels = np.array([1, 1, 0, 0])
    base = np.array([[1, 1, 0, 0], [1, 1, 0, 1]])
    uniform = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    sample, _ = compare_scores(labels, base, uniform[:2], 2)
    # macro F1: of 1, and of 4/5 and 2/3; of 2/3 and 4/5 with uniform weights
    assert sample.values == pytest.approx([1 - 11 / 15, 0])
    # as many trainings as there are: else means are compared
    means, _ = compare_scores(labels, base, uniform, 2)
    assert means.values == pytest.approx([(1 - 11 / 15) / 2])
    assert means.moved == pytest.approx(sample.moved.mean(0, keepdims=True))


@given(st.integers(0, 100), st.integers(1, 3), st.integers(20, 40))
def test_what_a_text_moves_a_share_by_is_its_derivative(seed, trainings, texts):
    top, bottom = draw(seed, trainings, texts), 1 + draw(seed + 1, trainings, texts)
    found = take_share(top, bottom)
    assert found.values == pytest.approx(top.sum(1) / bottom.sum(1))
    # one text weighs a little more
    weights = np.ones(texts)
    weights[3] += 1e-6
    changed = (top @ weights) / (bottom @ weights)
    assert (changed - found.values) / 1e-6 == pytest.approx(found.moved[:, 3], abs=1e-6)


def test_ranks_leaves_out_what_no_set_flips_and_counts_what_a_ranking_never_flips_as_all():
    random = np.array([[0.9, NAN, 0.5, 0.5]])
    attention = np.array([[0.1, NAN, NAN, 0.5]])
    smallest = np.array([[0.1, NAN, 0.25, 0.25]])
    found = erase(*(np.tile(each, 20) for each in (random, attention, smallest)))
    # of gains of .8, .25 and .25 come .8, -.5 and 0
    assert found.values == pytest.approx([0.3 / 1.3])
    assert found.texts.sum() == 60


def test_a_ranking_lies_between_random_words_and_leave_one_out():
    found = place_ranking(np.full((2, 3), 0.1), np.full((2, 3), 0.4), np.full((2, 3), 0.5))
    assert found.values == pytest.approx([0.75, 0.75])


def test_where_the_best_words_hardly_move_the_prediction_nothing_is_located():
    random, best = np.zeros((2, 50)), np.array([[0.009] * 50, [0.011] * 50])
    assert place_ranking(random, best / 2, best).values == pytest.approx([NAN, 0.5], nan_ok=True)


def test_two_shares_of_what_is_left_are_compared():
    own, by_chance = (Sample(np.array([value, 0.0]), np.zeros((2, 4)), np.ones(4, bool)) for value in (0.2, 0.8))
    found = compare_shuffled(own, by_chance)
    assert found.values == pytest.approx([0.75, NAN], nan_ok=True)


@given(st.integers(0, 100))
def test_what_a_text_moves_the_comparison_by_is_its_derivative(seed):
    parts = [draw(seed + number, 1, 30) + 0.2 for number in range(4)]
    found = compare_shuffled(take_share(*parts[:2]), take_share(*parts[2:]))
    weights = np.ones(30)
    weights[5] += 1e-6
    own, own_bottom, chance, chance_bottom = (float((each @ weights)[0]) for each in parts)
    changed = 1 - own / own_bottom / (chance / chance_bottom)
    assert (changed - found.values[0]) / 1e-6 == pytest.approx(found.moved[0, 5], abs=1e-5)


def test_an_item_that_hardly_moves_anything_is_on_no_side():
    sides = find_sides(np.array([[0.2, -0.005, 0.005, -0.02, NAN]]), 0.01)
    assert sides.tolist()[0][:4] == [1, 0, 0, -1]
    assert math.isnan(sides[0, 4])


def test_values_that_are_not_known_do_not_count():
    found = average(np.array([[0.2, NAN, 0.4], [NAN, NAN, 1.0]]))
    assert found.values == pytest.approx([0.3, 1.0])
    assert found.texts.tolist() == [True, False, True]
    assert found.moved == pytest.approx(np.array([[-0.05, 0, 0.05], [0, 0, 0]]))


def test_similarity_is_of_sums_over_texts():
    found = compare_pairs(np.array([[0.1, 0.3] * 8]), np.array([[0.2, 0.6] * 8]))
    assert found.values == pytest.approx([0.5])
    assert compare_pairs(np.array([[0.3, 0.1] * 8]), np.array([[0.2, 0.6] * 8])).values == pytest.approx([0.5])
