"""How many texts and trainings a word needs: the sizes at which docs/calibration.md tries the intervals."""

from collections.abc import Mapping

TEXTS = (100, 350, 1700)
TRAININGS = (3, 5, 9)
"""The sizes at which docs/calibration.md tries the intervals; between two sizes the smaller one counts."""
INSTEAD = 2 * TEXTS[0]
"""Test texts that a word on what to show instead needs: it is chosen on one half and measured on the other."""
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
