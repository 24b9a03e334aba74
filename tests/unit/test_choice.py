"""The adversary that answers for all: furthest within the budget, and none that was not trained."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.choice import Candidate, Choice, furthest

POINTS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.69)), max_size=8)


def chosen(points: list[tuple[float, float]], budget: float) -> Choice:
    """Of adversaries whose TVD is the same in every text, so that it is its own upper end."""
    return furthest([Candidate("a", float(x), 1, tvd, tvd, jsd) for x, (tvd, jsd) in enumerate(points)], budget)


@pytest.mark.parametrize(
    ("points", "lambda_", "near"),
    [
        ([(0.01, 0.1), (0.03, 0.5), (0.06, 0.69)], 1.0, 1),
        # at the budget, and at half of it, counts
        ([(0.05, 0.6), (0.025, 0.2), (0.0249, 0.61)], 2.0, 2),
        # of the same JSD, the one that costs less
        ([(0.04, 0.3), (0.03, 0.3)], 1.0, 2),
        ([(0.2, 0.6)], None, 0),
        ([], None, 0),
    ],
)
def test_the_furthest_within_the_budget(points, lambda_, near):
    choice = chosen(points, 0.05)
    assert (choice.chosen.lambda_ if choice.chosen else None) == lambda_
    assert choice.near == near
    assert not choice.searched


def test_three_near_the_budget_are_a_search():
    assert chosen([(0.03, 0.1), (0.04, 0.1), (0.05, 0.1)], 0.05).searched
    assert chosen([(0.2, 0.6), (0.1, 0.5)], 0.05).nearest == 0.1
    assert math.isnan(chosen([], 0.05).nearest)


def test_a_mean_just_within_the_budget_does_not_hold_it():
    row = {"model": "a", "lambda": 0.1, "seed": 1, "texts": 400, "tvd": 0.049, "tvd_sd": 0.1, "jsd": 0.6}
    sure = row | {"lambda": 0.05, "tvd": 0.04, "jsd": 0.5}
    candidates = [Candidate.of(row), Candidate.of(sure)]
    assert candidates[0].upper == pytest.approx(0.049 + 1.96 * 0.1 / 20, abs=1e-5)
    choice = furthest(candidates, 0.05)
    assert (choice.chosen, choice.near) == (candidates[1], 2)


@given(POINTS, st.floats(0, 1))
def test_it_is_one_of_those_that_were_trained_and_nothing_beyond_the_budget_matters(points, budget):
    choice = chosen(points, budget)
    within = [point for point in points if point[0] <= budget]
    assert (choice.chosen is None) == (not within)
    if choice.chosen:
        assert (choice.chosen.tvd, choice.chosen.jsd) in within
        assert choice.chosen.jsd == max(jsd for _, jsd in within)
    alone = chosen(within, budget)
    assert (alone.chosen and alone.chosen[3:], alone.near) == (choice.chosen and choice.chosen[3:], choice.near)
