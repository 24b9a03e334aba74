"""What a budget of change leaves open: brackets by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.samples import Adversary, find_bracket, weigh_classes


def adversary(value, test, dev=None, name="a"):
    return Adversary(name, 0.1, 1, test if dev is None else dev, test, value, value - 0.1, value + 0.1)


def test_all_predicted_classes_count_alike():
    tvd, predictions = np.array([0.1, 0.1, 0.1, 0.7]), np.array([0, 0, 0, 1])
    assert weigh_classes(tvd, predictions) == pytest.approx(0.4)
    assert weigh_classes(np.array([0.1, 0.3, math.nan, 0.7]), predictions) == pytest.approx(0.45)
    assert math.isnan(weigh_classes(np.array([math.nan]), np.array([0])))


def test_a_bracket_is_the_furthest_within_and_the_next_beyond():
    near, far, next_one, last = adversary(0.9, 0.01), adversary(0.5, 0.04), adversary(0.2, 0.06), adversary(0.1, 0.09)
    # as far as the one within, and so no step of the frontier
    dear = adversary(0.7, 0.055)
    found = find_bracket([dear, last, near, next_one, far], 0.05)
    assert (found.within, found.beyond) == (far, next_one)
    assert found.interval == (0.5, pytest.approx(0.1), pytest.approx(0.6))


def test_a_budget_is_held_on_dev_and_on_test():
    broken = adversary(0.1, 0.06, dev=0.04), adversary(0.1, 0.04, dev=0.06)
    found = find_bracket([*broken, adversary(0.8, 0.05)], 0.05)
    assert found.within is not None
    assert found.within.value == 0.8
    assert found.beyond == broken[1]


def test_what_was_not_found_leaves_an_end_open():
    assert find_bracket([adversary(0.4, 0.01)], 0.05).interval == (0.4, -math.inf, 0.5)
    # the model's own map holds every budget
    assert find_bracket([adversary(0.4, 0.1)], 0.05).interval == (1.0, pytest.approx(0.3), 1.0)


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 0.2)), min_size=1, max_size=9), st.floats(0, 0.1))
def test_a_larger_budget_never_leaves_less_open(points, budget):
    adversaries = [adversary(*point) for point in points]
    less, more = (find_bracket(adversaries, each).interval[0] for each in (budget, 2 * budget))
    assert more <= less
    found = find_bracket(adversaries, budget)
    if found.beyond:
        assert found.beyond.test > budget
        assert found.beyond.value < found.interval[0]
