"""Laws of measures of marked words: every order of equal scores counts, and the place of a word does not."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_words import alone, in_every_order
from sklearn.metrics import average_precision_score


@st.composite
def maps(draw: st.DrawFn, most: int = 6, alike: bool = True) -> tuple[list[int], list[float]]:
    """0 and 1 a word, both at least once; and scores, with or without equals."""
    length = draw(st.integers(2, most))
    marked = draw(st.lists(st.integers(0, 1), min_size=length, max_size=length).filter(lambda x: 0 < sum(x) < len(x)))
    values = st.integers(0, 3 if alike else 10**6)
    return marked, [float(x) for x in draw(st.lists(values, min_size=length, max_size=length, unique=not alike))]


@settings(deadline=None, max_examples=50)
@given(maps())
def test_equal_scores_get_the_mean_over_all_their_orders(drawn: tuple[list[int], list[float]]) -> None:
    assert alone(*drawn) == pytest.approx(in_every_order(*drawn))


@settings(deadline=None, max_examples=50)
@given(maps(most=30, alike=False))
def test_without_equals_auprc_is_average_precision(drawn: tuple[list[int], list[float]]) -> None:
    assert alone(*drawn)["auprc"] == pytest.approx(average_precision_score(*drawn))


@settings(deadline=None, max_examples=50)
@given(maps(most=30), st.randoms(use_true_random=False))
def test_the_order_in_the_text_changes_nothing(drawn: tuple[list[int], list[float]], random: Random) -> None:
    marked, scores = drawn
    order = list(range(len(marked)))
    random.shuffle(order)
    assert alone([marked[i] for i in order], [scores[i] for i in order]) == pytest.approx(alone(marked, scores))


@settings(deadline=None, max_examples=50)
@given(maps(most=30, alike=False))
def test_bounds_and_the_best(drawn: tuple[list[int], list[float]]) -> None:
    marked, scores = drawn
    found = alone(marked, scores)
    assert all(0 <= value <= 1 + 1e-12 for value in found.values())
    assert found["iou"] <= found["f1"] + 1e-12
    k = sum(marked)
    best = np.zeros(len(scores), int)
    best[np.argsort(scores)[-k:]] = 1
    assert alone(best.tolist(), scores) == pytest.approx({"auprc": 1, "f1": 1, "iou": 1})
