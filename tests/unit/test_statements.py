"""Statements: which zones an interval touches, and what is said of them."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.estimates import Estimate
from attention_audit.answer.statements import (
    BY_CLASS,
    CANNOT_TELL,
    NONE,
    NOTHING_TO_FIND,
    Part,
    conclude,
    list_touched,
    take_lower,
)
from attention_audit.questions import QUESTIONS

CUTS = (0.25, 0.75)


def part(value, low, high, texts=500, name="", **more):
    found = Estimate(value, low, high, each=[value], each_low=[low], each_high=[high], texts=texts, groups=texts)
    return Part(found, name=name, fewest=texts if name else None, **more)


@pytest.mark.parametrize(
    ("low", "high", "zones", "said"),
    [
        (-0.2, 0.25, "1", "hardly"),
        (-math.inf, 0.2, "1", "hardly"),
        (0.2, 0.3, "12", "at most partly"),
        (0.25, 0.3, "12", "at most partly"),
        (0.3, 0.7, "2", "partly"),
        (0.3, 0.8, "23", "at least partly"),
        (0.76, 1.2, "3", "largely"),
        (0.2, 0.8, "123", CANNOT_TELL),
    ],
)
def test_a_statement_names_the_zones_that_the_interval_touches(low, high, zones, said):
    cell = conclude("located", part((low + high) / 2 if low > -1 else 0.1, low, high))
    assert (cell.zones, cell.said, cell.reason) == (zones, said, "")


@given(st.floats(-2, 2), st.floats(0, 2))
def test_zones_are_neighbours_and_grow_with_the_interval(low, width):
    zones = list_touched(low, low + width, CUTS)
    assert zones in "123"
    assert {*zones} <= {*list_touched(low - 0.1, low + width + 0.1, CUTS)}


def test_a_value_that_is_not_known_has_no_zone():
    assert list_touched(math.nan, math.nan, CUTS) == ""


@pytest.mark.parametrize(
    ("one", "other", "lower"),
    [("1", "3", "1"), ("3", "3", "3"), ("23", "12", "12"), ("3", "123", "123"), ("3", "", "3")],
)
def test_the_lower_of_two_values_has_the_lower_zones(one, other, lower):
    assert take_lower(one, other) == lower


def test_signed_has_the_lower_of_its_two_parts():
    def say(avoided):
        found = part(*avoided).estimate
        return conclude("signed", part(0.97, 0.96, 0.98, avoided=found, shuffled=0.8))

    assert (say((0.8, 0.76, 0.9)).zones, say((0.8, 0.76, 0.9)).said) == ("3", "in nearly all texts")
    cell = say((0.1, 0.0, 0.2))
    assert (cell.zones, cell.said) == ("1", "in nearly all texts, hardly more than shuffled weights")
    assert say((math.nan, math.nan, math.nan)).zones == "3"
    assert (say((0.5, 0.1, 0.9)).zones, say((0.5, 0.1, 0.9)).said) == ("123", CANNOT_TELL)


def test_nothing_is_stated_without_texts_or_where_any_weights_would_do():
    few = conclude("used", part(0.3, 0.2, 0.4, texts=99))
    assert (few.zones, few.said, few.reason) == (NONE, "", "99 of the 100 texts needed")
    assert few.part.estimate.value == 0.3
    groups = Part(Estimate(0.3, 0.2, 0.4, texts=300, groups=30))
    assert conclude("used", groups).reason == "30 of the 100 groups of texts needed"
    assert conclude("ranks", Part()).reason == NOTHING_TO_FIND
    # of a few texts, nothing is known of what can be had
    assert conclude("ranks", Part(Estimate(texts=2, groups=2))).reason == "2 of the 100 texts needed"
    assert conclude("ranks", part(0.9, 0.8, 1, shuffled=0.75)).reason == "any weights would do"
    assert conclude("ranks", part(0.9, 0.8, 1, shuffled=0.74)).zones == "3"
    assert conclude("used", part(0.3, 0.2, 0.4), reason="no").reason == "no"


def test_classes_that_lie_apart_are_told_apart():
    low, high = part(-0.2, -0.3, -0.1, name="neg"), part(0.4, 0.3, 0.5, name="pos")
    cell = conclude("located", part(0.1, 0.0, 0.2), [high, low])
    assert (cell.zones, cell.said) == (BY_CLASS, "neg hardly; pos partly")
    # alike, or too near to one another, or too few
    assert conclude("located", part(0.1, 0.0, 0.2), [part(0.3, 0.2, 0.4, name="pos"), low]).zones == "1"
    near = [part(0.2, 0.15, 0.25, name="neg"), part(0.3, 0.26, 0.35, name="pos")]
    assert conclude("located", part(0.25, 0.2, 0.3), near).zones == "12"
    for fewest in (19, 0):
        few = replace(high, fewest=fewest)
        cell = conclude("located", part(0.1, 0.0, 0.2), [low, few])
        assert (cell.zones, cell.classes) == ("1", [(low, "1"), (few, "")])
    # of several, the lowest and the highest are named
    middle = part(0.2, 0.1, 0.24, name="mid")
    assert conclude("located", part(0.1, 0.0, 0.2), [high, middle, low]).said == "neg hardly; pos partly"


def test_trainings_that_lie_in_other_zones_are_counted():
    found = Estimate(
        0.9, 0.85, 0.95, each=[0.9, 0.95, 0.5], each_low=[0.8, 0.9, 0.4], each_high=[1, 1, 0.6], groups=300
    )
    assert conclude("located", Part(found)).apart == 1


def test_every_question_has_words_for_all_zones():
    for question in QUESTIONS.values():
        assert len({*question.said}) == 5
        assert question.cuts[0] < question.cuts[1]
