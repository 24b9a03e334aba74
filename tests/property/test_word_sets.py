"""Shapley values and LIME of games whose values are known: the axioms, and formulas of their own."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from attention_audit.maps.word_sets import SETS, draw_sets, fit_lime, fit_shapley

NUMBERS = st.floats(-1, 1, width=32)


@st.composite
def draw_pair_games(draw, least=2, most=30):
    """What words add alone, (n,), and in pairs, (n, n), of which the upper half counts."""
    words = draw(st.integers(least, most))
    return draw(arrays(float, words, elements=NUMBERS)), draw(arrays(float, (words, words), elements=NUMBERS))


def play(kept, alone, together):
    """The value of each set: what its words add alone, and each two of them."""
    x = kept.astype(float)
    return x @ alone + np.einsum("si,ij,sj->s", x, np.triu(together, 1), x)


def enumerate_shapley(value, words):
    """What each word adds to those before it, on average over all orders."""
    orders = [*permutations(range(words))]
    found = np.zeros(words)
    for order in orders:
        for place, word in enumerate(order):
            found[word] += value[frozenset(order[: place + 1])] - value[frozenset(order[:place])]
    return found / len(orders)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.sampled_from([2, 3, 50, 77, 200]))
def test_sets_are_different_pairs_within_their_number(words, limit):
    kept = draw_sets(words, limit)
    half = len(kept) // 2
    assert kept[0].all()
    assert (kept[:half] == ~kept[half:]).all()
    assert len(np.unique(kept, axis=0)) == len(kept) == min(limit // 2 * 2, 2**words)


def test_the_smallest_sets_are_all_there_and_of_larger_ones_some():
    """Of 12 words and 99 pairs: parts of 1 / 11 .. 1 / 35, 1 / 72 of the sizes 1 to 6, of which the first has 12."""
    sizes = np.bincount(draw_sets(12, 200).sum(1))
    assert sizes.tolist() == [1, 12, 27, 20, 17, 15, 16, 15, 17, 20, 27, 12, 1]


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_shapley_values_of_up_to_seven_words_are_exact(data):
    words = data.draw(st.integers(1, 7))
    kept = draw_sets(words, SETS)
    values = data.draw(arrays(float, 2**words, elements=NUMBERS))
    value = {frozenset(np.flatnonzero(row).tolist()): number for row, number in zip(kept, values, strict=True)}
    assert_allclose(fit_shapley(kept, values), enumerate_shapley(value, words), atol=1e-9)


def test_shapley_values_of_two_words_by_hand():
    """v() = .1, v(a) = .7, v(b) = .2, v(ab) = .6: a adds .6 first and .4 last, b adds .1 first and -.1 last."""
    kept = draw_sets(2, SETS)
    assert kept.tolist() == [[True, True], [True, False], [False, False], [False, True]]
    assert_allclose(fit_shapley(kept, np.array([0.6, 0.7, 0.1, 0.2])), [0.5, 0.0], atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 60), st.sampled_from([2, 50, 200]), st.integers(0, 2**32 - 1))
def test_shapley_values_sum_to_what_all_words_add(words, limit, seed):
    kept = draw_sets(words, limit)
    values = np.random.default_rng(seed).normal(size=len(kept))
    assert fit_shapley(kept, values).sum() == pytest.approx(values[0] - values[len(kept) // 2], abs=1e-8)


@settings(deadline=None, max_examples=30)
@given(draw_pair_games())
def test_pairs_of_words_share_alike_what_they_add_together(game):
    """As drawn sets say exactly too, since of such a game what is odd is linear."""
    alone, together = game
    kept = draw_sets(len(alone), SETS)
    upper = np.triu(together, 1)
    assert_allclose(fit_shapley(kept, play(kept, *game)), alone + (upper + upper.T).sum(1) / 2, atol=1e-7)


@settings(deadline=None, max_examples=30)
@given(draw_pair_games(least=3), st.data())
def test_a_word_that_adds_nothing_has_nothing_and_alike_words_have_alike(game, data):
    alone, together = game
    together = np.triu(together, 1) + np.triu(together, 1).T
    dummy, one, other = data.draw(st.permutations(range(len(alone))))[:3]
    alone[dummy], together[dummy], together[:, dummy] = 0, 0, 0
    alone[other] = alone[one]
    rest = np.setdiff1d(np.arange(len(alone)), [one, other])
    together[other, rest] = together[rest, other] = together[one, rest]
    kept = draw_sets(len(alone), SETS)
    found = fit_shapley(kept, play(kept, alone, together))
    assert_allclose([found[dummy], found[one] - found[other]], 0, atol=1e-7)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_alike_words_have_alike_in_any_game_of_which_all_sets_are_known(data):
    words = data.draw(st.integers(2, 7))
    kept = draw_sets(words, SETS)
    values = data.draw(arrays(float, (words - 1, 2), elements=NUMBERS))
    # a set is worth what the number of the first two words in it, and the number of all others say
    found = fit_shapley(kept, values[kept[:, 2:].sum(1), kept[:, :2].all(1).astype(int)])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_lime_of_one_word_by_hand():
    """Both sets count 100; none has the distance 1 from all, so the kernel e^-8. By hand, with k = e^-8 / (1 + e^-8):
    variance k (1 - k), of a total weight of 100 (1 + e^-8), and a penalty of 1.
    """
    share = np.exp(-8) / (1 + np.exp(-8))
    spread = 100 * (1 + np.exp(-8)) * share * (1 - share)
    assert_allclose(fit_lime(draw_sets(1, SETS), np.array([0.9, 0.4])), [0.5 * spread / (spread + 1)], rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_lime_is_the_ridge_regression_of_sets_drawn_size_by_size(words, seed):
    """With the intercept as a column without a penalty, and each set written with its weight."""
    kept = draw_sets(words, SETS)
    values = np.random.default_rng(seed).normal(size=len(kept))
    sizes = kept.sum(1)
    weights = [
        SETS / (words + 1) / (sizes == size).sum() * np.exp(-8 * (1 - (size / words) ** 0.5) ** 2) for size in sizes
    ]
    columns = np.c_[kept, np.ones(len(kept))]
    penalty = np.diag([1.0] * words + [0.0])
    solved = np.linalg.solve(columns.T @ np.diag(weights) @ columns + penalty, columns.T @ (weights * values))
    assert_allclose(fit_lime(kept, values), solved[:-1], atol=1e-9)
