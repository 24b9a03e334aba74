"""Words from intervals and floors, and the verdict over them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.columns.summary import QUESTIONS
from attention_audit.tables.verdict import DOUBTS, FLAT, NO, NOT_ASKED, REASONS, UNDECIDED, YES, gate, verdict, word

NUMBERS = st.floats(-1e6, 1e6)
WIDTHS = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("low", "high", "floor", "above", "below"),
    [
        (0.2, 0.3, 0.1, YES, NO),
        (0.05, 0.3, 0.1, UNDECIDED, UNDECIDED),
        (-0.1, 0.05, 0.1, NO, YES),
        (0.1, 0.3, 0.1, UNDECIDED, NO),
        (0.0, 0.1, 0.1, NO, UNDECIDED),
        (0.0, 0.0, 0.0, NO, NO),
        (math.nan, math.nan, 0.1, UNDECIDED, UNDECIDED),
        (0.2, 0.3, math.nan, UNDECIDED, UNDECIDED),
    ],
)
def test_the_whole_interval_beyond_the_floor_decides(low, high, floor, above, below):
    assert word(low, high, floor, good_above=True) == above
    assert word(low, high, floor, good_above=False) == below


@given(NUMBERS, WIDTHS, WIDTHS, WIDTHS, NUMBERS, st.booleans())
def test_a_wider_interval_never_decides_what_a_narrower_one_left_open(low, width, left, right, floor, above):
    narrow = word(low, low + width, floor, above)
    wide = word(low - left, low + width + right, floor, above)
    assert wide in (narrow, UNDECIDED)


@given(NUMBERS, WIDTHS, NUMBERS, WIDTHS)
def test_a_higher_floor_never_speaks_for_what_must_lie_above_it(low, width, floor, rise):
    order = [NO, UNDECIDED, YES]
    before, after = (word(low, low + width, at, good_above=True) for at in (floor, floor + rise))
    assert order.index(after) <= order.index(before)


@given(NUMBERS, WIDTHS, NUMBERS)
def test_below_is_above_seen_in_a_mirror(low, width, floor):
    assert word(low, low + width, floor, good_above=False) == word(-low - width, -low, -floor, good_above=True)


def told(*words):
    return dict(zip(QUESTIONS, words, strict=True))


@pytest.mark.parametrize(
    ("words", "failed", "said"),
    [
        ((YES,) * 5, "", "may be read as an explanation as far as these tests go"),
        ((NO, YES, YES, YES, NO), "needed", "no: attention is not needed"),
        ((YES, FLAT, NO, YES, YES), "stable", "no: the map is flat"),
        ((UNDECIDED, YES, YES, NO, YES), "unique", "no: a model can attend elsewhere and predict alike"),
        ((YES, YES, YES, UNDECIDED, UNDECIDED), "", "undecided: is it unique?"),
        (
            (NOT_ASKED, NOT_ASKED, YES, NOT_ASKED, NOT_ASKED),
            "",
            "nothing against it, but only this was asked: consequential",
        ),
        ((NOT_ASKED,) * 5, "", "not asked"),
    ],
)  # fmt: skip
def test_the_first_gate_that_fails_is_named(words, failed, said):
    assert gate(told(*words)) == failed
    assert verdict(told(*words)) == said


@given(st.tuples(*[st.sampled_from([YES, NO, UNDECIDED, NOT_ASKED, FLAT])] * 5))
def test_yes_is_never_said_over_a_doubt(words):
    said = verdict(told(*words))
    assert said.startswith("may be read") == (set(words) == {YES})
    assert said.startswith("no:") == bool({NO, FLAT} & set(words)) == bool(gate(told(*words)))


def test_every_question_has_its_words():
    assert set(REASONS) == set(DOUBTS) == set(QUESTIONS)
