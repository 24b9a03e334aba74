"""Verdicts: which zones an interval touches, and what is said of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.estimates import Estimate, Sample
from attention_audit.answer.verdicts import (
    BY_CLASS,
    CANNOT_TELL,
    NONE,
    NOTHING_TO_FIND,
    Part,
    conclude,
    find_apart,
    list_touched,
    take_lower,
)
from attention_audit.questions import QUESTIONS, VERDICTS

CUTS = (0.25, 0.75)


def part(value, low, high, texts=500, name="", **more):
    counts = {"texts": texts, "groups": texts, "trainings": 3, "made": 3}
    found = Estimate(value, low, high, each=[value], each_low=[low], each_high=[high], **counts)
    sample = Sample(np.full(3, value), np.zeros((3, 1)), np.ones(1, bool))
    return Part(found, name=name, fewest=texts if name else None, **{"sample": sample, **more})


def differ_by(half):
    """Estimate differences whose intervals have this half-width; a list of the confidences that were asked for."""
    asked = []

    def differ(difference, confidence):
        asked.append(confidence)
        value = difference.values.mean()
        return Estimate(value, value - half, value + half)

    return differ, asked


@pytest.mark.parametrize(
    ("low", "high", "zones", "said"),
    [
        (-0.2, 0.25, "1", "no"),
        (-math.inf, 0.2, "1", "no"),
        (0.2, 0.3, "12", "at most in part"),
        (0.25, 0.3, "12", "at most in part"),
        (0.3, 0.7, "2", "in part"),
        (0.3, 0.8, "23", "at least in part"),
        (0.76, 1.2, "3", "yes"),
        (0.2, 0.8, "123", CANNOT_TELL),
    ],
)
def test_a_verdict_names_the_zones_that_the_interval_touches(low, high, zones, said):
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
    def say(avoided, chance="shuffled weights"):
        found = part(*avoided).estimate
        return conclude("signed", part(0.97, 0.96, 0.98, avoided=found, shuffled=0.8, chance=chance))

    assert (say((0.8, 0.76, 0.9)).zones, say((0.8, 0.76, 0.9)).said) == ("3", "yes")
    cell = say((0.1, 0.0, 0.2))
    assert (cell.zones, cell.said) == ("1", "no, not beyond shuffled weights")
    cell = say((0.4, 0.3, 0.8), "a random item")
    assert (cell.zones, cell.said) == ("23", "at least in part, beyond a random item (80 %)")
    assert say((math.nan, math.nan, math.nan)).zones == "3"
    assert (say((0.5, 0.1, 0.9)).zones, say((0.5, 0.1, 0.9)).said) == ("123", CANNOT_TELL)


@pytest.mark.parametrize(("high", "said"), [(-0.011, "no, it harms"), (-0.01, "no"), (0.005, "no")])
def test_what_lies_below_minus_the_first_cut_harms(high, said):
    for question in ("needed", "transferable"):
        assert conclude(question, part(-0.03, -0.05, high)).said == said
    assert conclude("located", part(-0.6, -0.8, -0.5)).said == "no"


def test_one_or_two_trainings_speak_for_themselves():
    def make(made, trainings):
        return Part(part(0.9, 0.85, 0.95).estimate._replace(made=made, trainings=trainings))

    assert [conclude("used", make(made, made)).said for made in (1, 2, 3)] == [
        "yes, in this training", "yes, in these two", "yes",
    ]  # fmt: skip
    # an adversary is of one training whatever there are
    assert conclude("unique", make(1, 1)).said == "yes"
    # a training that is lost shortens no interval
    assert conclude("used", make(5, 2)).reason == "nothing to be had in 3 of 5 trainings"
    assert conclude("used", make(5, 3)).said == "yes"


def test_there_is_no_verdict_without_texts_or_where_any_weights_would_do():
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
    differ, asked = differ_by(0.5)
    cell = conclude("located", part(0.1, 0.0, 0.2), [high, low], differ)
    assert (cell.zones, cell.said, asked) == (BY_CLASS, "neg no; pos in part", [0.95])
    # alike, or too near to one another, or too few
    assert conclude("located", part(0.1, 0.0, 0.2), [part(0.3, 0.2, 0.4, name="pos"), low], differ).zones == "1"
    near = [part(0.2, 0.15, 0.25, name="neg"), part(0.3, 0.26, 0.35, name="pos")]
    assert conclude("located", part(0.25, 0.2, 0.3), near, differ_by(0.05)[0]).zones == "12"
    for fewest in (19, 0):
        few = replace(high, fewest=fewest)
        cell = conclude("located", part(0.1, 0.0, 0.2), [low, few], differ)
        assert (cell.zones, cell.classes) == ("1", [(low, "1"), (few, "")])
    # of several, the lowest and the highest are named
    middle = part(0.2, 0.1, 0.24, name="mid")
    assert conclude("located", part(0.1, 0.0, 0.2), [high, middle, low], differ).said == "neg no; pos in part"


def test_classes_lie_apart_only_where_their_difference_excludes_0():
    low, high = part(-0.2, -0.3, -0.1, name="neg"), part(0.4, 0.3, 0.5, name="pos")
    assert conclude("located", part(0.1, 0.0, 0.2), [high, low], differ_by(0.61)[0]).zones == "1"
    # of all pairs of classes, one in twenty may be told apart by chance
    differ, asked = differ_by(0.5)
    others = [part(value, value - 0.02, value + 0.02, name=str(value)) for value in (0.1, 0.2)]
    assert find_apart("located", [(each, "1") for each in (low, *others)] + [(high, "2")], differ) == (low, high)
    assert asked == [pytest.approx(1 - 0.05 / 6)]
    assert find_apart("located", [(low, "1")], differ) == ()


def test_trainings_that_lie_in_other_zones_are_listed():
    found = Estimate(
        0.9, 0.85, 0.95, each=[0.9, 0.95, 0.5], each_low=[0.8, 0.9, 0.4], each_high=[1, 1, 0.6], groups=300,
        trainings=3, made=3,
    )  # fmt: skip
    assert conclude("located", Part(found)).apart == [2]


def test_every_question_has_words_for_a_clear_verdict():
    assert len({*VERDICTS}) == 5
    for question in QUESTIONS.values():
        assert question.holds != question.fails
        assert question.span[0] < question.cuts[0] < question.cuts[1] < question.span[1]
