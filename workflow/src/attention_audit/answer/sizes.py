"""How many texts and trainings a word needs, and when it is said of the next training too: see docs/calibration.md."""

from collections.abc import Mapping
from math import inf

TEXTS = (100, 350, 1700)
TRAININGS = (3, 5, 9)
"""The sizes at which docs/calibration.md tries the intervals; between two sizes the smaller one counts."""
INSTEAD = 2 * TEXTS[0]
"""Test texts that a word on what to show instead needs: it is chosen on one half and measured on the other."""
LEAST: Mapping[str, int] = {"stable": 3, "transferable": 3}
"""Trainings that a question needs at least: two trainings are one pair, which shows nothing of chance; and what is said
of maps beyond their model must not rest on one or two of them."""
FEWEST: Mapping[str, int] = {"unique": 250}
"""Texts that a question needs at least, where the smallest size does not do: with 100 its interval is too narrow."""
UNSEEN = 3
"""Trainings that were not made, and may all fail: what none of S trainings shows may happen to 3 of S others (the rule
of three; Hanley & Lippman-Hand 1983)."""
FAILED: Mapping[str, float] = {"needed": -0.5, "transferable": -0.5, "signed": 0.5}
"""The effect of a training that fails, which predicts, or has a map, as chance would; 0 for any other question."""
OF_THESE = frozenset({"stable"})
"""Questions whose word is of the trainings at hand alone: pairs of few trainings show nothing of those of others."""


def spare(question: str, margin: float, trainings: int) -> float:
    """How far beyond its margin an interval must lie, so that a word is of the next training too; inf: it never is.

    As if `UNSEEN` more trainings had been made and lay as far on the other side of the margin as one that fails.
    """
    if trainings < TRAININGS[0] or question in OF_THESE:
        return inf
    return UNSEEN / trainings * abs(margin - FAILED.get(question, 0.0))


def counted(number: int, name: str) -> str:
    """A number of things, as a text."""
    return f"{number} {name}{'' if number == 1 else 's'}"


def lacking(question: str, trainings: int, texts: int, what: str = "text") -> str:
    """Why calibration supports no word at this size, with what is there and what is needed; "" where it does. what: is
    counted as texts.

    There are fewer texts or trainings than it tries, or than hold their level. One training has no size of trainings:
    its word is about this training, and says so.
    """
    few = []
    if texts < (fewest := FEWEST.get(question, TEXTS[0])):
        few.append(f"{counted(texts, what)} of the {fewest} needed")
    if trainings < (least := LEAST.get(question, 1)):
        few.append(f"{counted(trainings, 'training')} of the {least} needed")
    return ", ".join(few)
