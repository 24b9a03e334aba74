"""From an effect, its interval and its margin to a word."""

from __future__ import annotations

from collections.abc import Mapping

from attention_audit.answer.intervals import Effect

YES, NO, UNDECIDED = "yes", "no", "undecided"
NOT_ASKED = "not asked"
"""Instead of a word: the run has no models, or no readouts, that the question needs."""
FLAT = "flat"
"""Instead of a word: the maps weigh all items nearly alike, so that shuffling one hardly changes it."""
TOO_FEW = "too few"
"""Instead of a word: there are fewer texts or trainings than calibration supports a word for."""
NOTHING_NEW = "nothing new"
"""Instead of a word of `unique`: the adversary attends no further away than another training does by itself."""

TEXTS = (100, 350, 1700)
TRAININGS = (3, 5, 9)
"""The sizes at which `calibration` tries the intervals; between two sizes the smaller one counts."""
LEAST: Mapping[str, int] = {"stable": 3, "transferable": 3}
"""Trainings that a question needs at least: two trainings are one pair, which shows nothing of chance; and what is said
of maps beyond their model must not rest on one or two of them."""
WITHHELD: Mapping[str, frozenset[tuple[int, int]]] = {}
"""By question, trainings and texts at which intervals do not hold their level, so that no word is said."""


def counted(number: int, name: str) -> str:
    """A number of things, as a text."""
    return f"{number} {name}{'' if number == 1 else 's'}"


def lacking(question: str, trainings: int, texts: int) -> str:
    """Why calibration supports no word at this size, with what is there and what is needed; "" where it does.

    There are fewer texts or trainings than it tries, or it finds failures. One training has no size of trainings: its
    word is about this training, and says so.
    """
    few = []
    if texts < TEXTS[0]:
        few.append(f"{counted(texts, 'text')} of the {TEXTS[0]} needed")
    if trainings < (least := LEAST.get(question, 1)):
        few.append(f"{counted(trainings, 'training')} of the {least} needed")
    if few:
        return ", ".join(few)
    size = max(count for count in TEXTS if count <= texts)
    tried = max([count for count in TRAININGS if count <= trainings] or TRAININGS[:1])
    if (tried, size) in WITHHELD.get(question, frozenset()):
        return f"with {counted(tried, 'training')} and {counted(size, 'text')} its intervals do not hold their level"
    return ""


def above(low: float, high: float, bound: float) -> str:
    """Yes where the whole interval lies above a bound, no where it lies below or at it, else undecided."""
    return YES if low > bound else NO if high <= bound else UNDECIDED


def word(effect: Effect, margin: float, question: str = "") -> str:
    """Whether an effect is above its margin, as `above` says.

    Undecided too where there is no value; too few where calibration supports no word of this question.
    """
    if lacking(question, effect.trainings, effect.texts):
        return TOO_FEW
    return above(effect.low, effect.high, margin)


def by_word(words: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Each word that is said of a question, with its questions, from the word of each question."""
    said = {
        word: [question for question, own in words.items() if own == word]
        for word in (YES, NO, NOTHING_NEW, FLAT, UNDECIDED, TOO_FEW, NOT_ASKED)
    }
    return [(word, questions) for word, questions in said.items() if questions]
