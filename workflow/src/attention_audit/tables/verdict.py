"""From numbers to plain words: one rule for every question, and the verdict over all of them.

A question has a value, its 95 % interval, and a noise floor; for some questions a value above the floor is good, for
others a value below. The word is `yes` where the whole interval lies on the good side, and `no` where none of it does.
It is `undecided` where the floor lies within the interval, or where value, interval or floor is unknown because there
are too few seeds or texts. It is `not asked` where the run has no models for the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan
from typing import NamedTuple

YES, NO, UNDECIDED, NOT_ASKED, FLAT = "yes", "no", "undecided", "not asked", "flat"
FAILED = (NO, FLAT)
REASONS = {
    "needed": "attention is not needed",
    "stable": "another seed gives another map",
    "consequential": "other weights predict alike",
    "unique": "a model can attend elsewhere and predict alike",
    "transferable": "its weights do not help a simpler model",
}
"""What the answer no means, by question."""
DOUBTS = {
    "needed": "is attention needed?",
    "stable": "is the map stable?",
    "consequential": "is it consequential?",
    "unique": "is it unique?",
    "transferable": "is it transferable?",
}


class Answer(NamedTuple):
    """A word, and the numbers from which it follows; a number that is unknown is NaN."""

    word: str = NOT_ASKED
    statistic: str = ""
    value: float = nan
    low: float = nan
    high: float = nan
    floor: float = nan
    floor_statistic: str = ""


def word(low: float, high: float, floor: float, good_above: bool) -> str:
    """Whether a value with the interval [low, high] lies on the good side of its floor: yes, no or undecided.

    An interval that ends at the floor is not beyond it.
    """
    if isnan(low) or isnan(high) or isnan(floor):
        return UNDECIDED
    if not good_above:
        low, high, floor = -high, -low, -floor
    return YES if low > floor else NO if high <= floor else UNDECIDED


def gate(words: Mapping[str, str]) -> str:
    """The first question whose answer is no or flat; "" where there is none. `words` has the answers, in order."""
    return next((question for question, answer in words.items() if answer in FAILED), "")


def verdict(words: Mapping[str, str]) -> str:
    """May the map be read as an explanation? `words` has the answers by question, in order.

    The first question that fails decides; else the first that is undecided; else the verdict is yes, as far as
    questions were asked.
    """
    failed = gate(words)
    if failed:
        return "no: the map is flat" if words[failed] == FLAT else f"no: {REASONS[failed]}"
    doubt = next((question for question, answer in words.items() if answer == UNDECIDED), None)
    if doubt:
        return f"undecided: {DOUBTS[doubt]}"
    asked = [question for question, answer in words.items() if answer != NOT_ASKED]
    if len(asked) == len(words):
        return "may be read as an explanation as far as these tests go"
    if not asked:
        return "not asked"
    return f"nothing against it, but only this was asked: {', '.join(asked)}"
