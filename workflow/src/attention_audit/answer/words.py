"""From an effect, its interval and its margin to a word."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from attention_audit.answer.intervals import CONFIDENCE, Effect
from attention_audit.answer.sizes import counted, lacking, spare

YES, NO, UNDECIDED = "yes", "no", "undecided"
NOT_ASKED = "not asked"
"""Instead of a word: the run has no models, or no readouts, that the question needs."""
FLAT = "flat"
"""Instead of a word: the maps weigh all items nearly alike, so that shuffling one hardly changes it."""
TOO_FEW = "too few"
"""Instead of a word: there are fewer texts or trainings than calibration supports a word for."""
NOTHING_NEW = "nothing new"
"""Instead of a word of `unique`: the adversary attends no further away than another training does by itself."""


def above(low: float, high: float, bound: float) -> str:
    """Yes where the whole interval lies above a bound, no where it lies below or at it, else undecided."""
    return YES if low > bound else NO if high <= bound else UNDECIDED


def word(effect: Effect, margin: float, question: str = "") -> str:
    """Whether an effect is above its margin, as `above` says.

    Undecided too where there is no value; too few where calibration supports no word of this question.
    """
    if lacking(question, effect.trainings, effect.independent):
        return TOO_FEW
    return above(effect.low, effect.high, margin)


def said(question: str, margin: float, effect: Effect, these: Effect, each: Sequence[float]) -> tuple[str, bool]:
    """The word of several trainings, and whether it is said of these alone, and not of the next one too.

    It is of the next one where the interval of the effect lies beyond the margin by more than `spare`. Else it is of
    these alone, where their own interval does not hold the margin and none of them lies on the other side of it: then
    the trainings lie apart, and no word is said of them together. these: the same effect, its interval of these
    trainings alone. each: the effect of each training, or pair of trainings; NaN counts for neither side.
    """
    if lacking(question, effect.trainings, effect.independent):
        return TOO_FEW, False
    further = spare(question, margin, effect.trainings)
    if effect.low > margin + further:
        return YES, False
    if effect.high <= margin - further:
        return NO, False
    found = above(these.low, these.high, margin)
    agree = {YES if value > margin else NO for value in each if not isnan(value)} <= {found}
    return (found, True) if agree else (UNDECIDED, False)


def multiplicity(words: Iterable[str]) -> str:
    """How many of many words chance alone may make wrong, in two sentences; "" where none could be a yes or a no.

    An effect exactly at its margin lies beyond a given end of its interval as often as the interval's level allows; it
    may do so in every question that is held against a margin, also where the word came out undecided.
    """
    held = [word for word in words if word in (YES, NO, UNDECIDED, NOTHING_NEW)]
    if not held:
        return ""
    decided, side = sum(word in (YES, NO) for word in held), (1 - CONFIDENCE) / 2
    said = f"{decided} {'is' if decided == 1 else 'are'} yes or no"
    return (
        f"Of {counted(len(held), 'answer')}, {said}. If every effect lay exactly at its margin, chance would make at "
        f"most {len(held)} × {side:.3g} = {len(held) * side:.1f} of these words wrong on average, and fewer the "
        "further the effects lie from their margins."
    )


def by_word(words: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Each word that is said of a question, with its questions, from the word of each question."""
    said = {
        word: [question for question, own in words.items() if own == word]
        for word in (YES, NO, NOTHING_NEW, FLAT, UNDECIDED, TOO_FEW, NOT_ASKED)
    }
    return [(word, questions) for word, questions in said.items() if questions]
