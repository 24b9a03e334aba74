"""The eight questions that the answer asks of a map: what each means, its zones, and the words for them.

The zones are the same for all data; docs/method/README.md gives the reasons.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Unit = Literal["share", "percent", "probability", "points", "setting"]


class Question(NamedTuple):
    """A question of the answer.

    asks: what a reader wants to know. cuts: the two bounds between its low, middle and high zone. said: the words for
    low, low or middle, middle, middle or high, high. gap: how far two classes must differ to be told apart. unit: how
    its estimate is written. measured: the estimate, in a line.
    """

    asks: str
    cuts: tuple[float, float]
    said: tuple[str, str, str, str, str]
    gap: float
    unit: Unit
    measured: str


EXTENTS = ("hardly", "at most partly", "partly", "at least partly", "largely")
GAINS = ("no gain", "at most a small gain", "a small gain", "at least a small gain", "a clear gain")
QUARTER_CUTS = (0.25, 0.75)

QUESTIONS: Mapping[str, Question] = {
    "located": Question(
        asks="Are top words the words that matter?", cuts=QUARTER_CUTS, said=EXTENTS, gap=0.25, unit="share",
        measured="what the predicted class loses without the first words of the input: attention's way from random "
        "words (0) to those of leave-one-out (1)",
    ),
    "ranks": Question(
        asks="Does more weight mean more important?", cuts=QUARTER_CUTS, said=EXTENTS, gap=0.25, unit="share",
        measured="items erased until the decision flips: the way from shuffled weights (0) to the smallest set (1)",
    ),
    "signed": Question(
        asks="Does the top word speak for the prediction?", cuts=(0.85, 0.95),
        said=(
            "in too few texts", "at best in most texts", "in most texts", "at least in most texts",
            "in nearly all texts",
        ),
        gap=0.10, unit="percent",
        measured="share of texts whose item of the highest weight supports the prediction; and the share of the "
        "exceptions of shuffled weights that it avoids",
    ),
    "used": Question(
        asks="Does the prediction depend on the weights?", cuts=(0.025, 0.10),
        said=("hardly", "at most moderately", "moderately", "at least moderately", "strongly"),
        gap=0.05, unit="probability",
        measured="mean change of the prediction (TVD) under shuffled weights",
    ),
    "stable": Question(
        asks="Does another training show this map?", cuts=QUARTER_CUTS, said=EXTENTS, gap=0.25, unit="share",
        measured="similarity of the maps of two trainings, mean over pairs: 1 the same map, 0 an unrelated one",
    ),
    "unique": Question(
        asks="Does the prediction fix the map?", cuts=QUARTER_CUTS, said=EXTENTS, gap=0.25, unit="share",
        measured="similarity of the map to that of the furthest adversary that predicts as nearly alike as another "
        "training",
    ),
    "needed": Question(
        asks="Does attention help accuracy?", cuts=(0.01, 0.03), said=GAINS, gap=1.0, unit="points",
        measured="macro F1 of the model less that of its twin with uniform weights",
    ),
    "transferable": Question(
        asks="Do the weights help another model?", cuts=(0.01, 0.03), said=GAINS, gap=1.0, unit="points",
        measured="macro F1 of the MLP guided by the model's maps less that of the MLP guided by uniform weights",
    ),
}  # fmt: skip
"""In the order in which they are shown."""

LEAST_TEXTS = 100
"""Texts, or groups of texts, that a statement needs at least."""
LEAST_OF_CLASS = 20
"""Texts, or groups of texts, that a statement on one class needs at least in every training."""
AVOIDED = QUARTER_CUTS
"""The zones of the second part of `signed`: the exceptions avoided, of those of shuffled weights."""
ANY_WEIGHTS = {"ranks": 0.75, "signed": 0.95}
"""From which effect of shuffled weights on the test cannot tell one map from another."""
