"""From an effect, its interval and its margin to a word."""

from __future__ import annotations

from collections.abc import Mapping

from attention_audit.answer.intervals import Effect

YES, NO, UNDECIDED = "yes", "no", "undecided"
NOT_ASKED = "not asked"
"""Instead of a word: the run has no models, or no readouts, that the question needs."""
FLAT = "flat"
"""Instead of a word: the maps weigh all items nearly alike, so that shuffling one hardly changes it."""

TEXTS = (100, 350, 1700)
TRAININGS = (3, 5, 9)
"""The sizes at which `calibration` tries the intervals; between two sizes the smaller one counts."""
LEAST: Mapping[str, int] = {"stable": 3, "transferable": 3}
"""Trainings that a question needs at least: two trainings are one pair, which shows nothing of chance; and what is said
of maps beyond their model must not rest on one or two of them."""
WITHHELD: Mapping[str, frozenset[tuple[int, int]]] = {}
"""By question, trainings and texts at which intervals do not hold their level, so that no word is said."""


def withheld(question: str, trainings: int, texts: int) -> bool:
    """Whether calibration supports no word at this size: with fewer texts than it tries, or where it finds failures.

    One training has no size of trainings: its word is about this training, and says so.
    """
    if texts < TEXTS[0] or trainings < LEAST.get(question, 1):
        return True
    size = max(count for count in TEXTS if count <= texts)
    tried = [count for count in TRAININGS if count <= trainings] or TRAININGS[:1]
    return (max(tried), size) in WITHHELD.get(question, frozenset())


def above(low: float, high: float, bound: float) -> str:
    """Yes where the whole interval lies above a bound, no where it lies below or at it, else undecided."""
    return YES if low > bound else NO if high <= bound else UNDECIDED


def word(effect: Effect, margin: float, question: str = "") -> str:
    """Whether an effect is above its margin, as `above` says.

    Undecided too where there is no value, and where calibration withholds the word of this question.
    """
    if withheld(question, effect.trainings, effect.texts):
        return UNDECIDED
    return above(effect.low, effect.high, margin)


def by_word(words: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Each word that is said of a question, with its questions, from the word of each question."""
    said = {
        word: [question for question, own in words.items() if own == word]
        for word in (YES, NO, FLAT, UNDECIDED, NOT_ASKED)
    }
    return [(word, questions) for word, questions in said.items() if questions]
