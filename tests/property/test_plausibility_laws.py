"""Laws of measures of marked words: every order of equal scores counts, and the place of a word does not."""

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
