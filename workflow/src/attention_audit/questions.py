"""The eight claims that people make of a map, as the questions of the answer: what each means, its zones, its words.

The zones and the verdicts are the same for all data; docs/method/README.md gives the reasons.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Unit = Literal["share", "percent", "probability", "points", "setting"]


class Question(NamedTuple):
    """A question of the answer, asked as a claim.

    claim: what a reader concludes from a map. span: the low and the high end of its scale; ends: what they are called.
    holds, fails: the claim in a sentence, where it is clear. cuts: the two bounds between its low, middle and high
    zone. gap: how far two classes must differ to be told apart. unit: how its estimate is written. measured: the
    estimate, in a line. harms: the sentence where the interval lies below minus the first cut; "" where no estimate
    says so.
    """

    claim: str
    span: tuple[float, float]
    ends: tuple[str, str]
    holds: str
    fails: str
    cuts: tuple[float, float]
    gap: float
    unit: Unit
    measured: str
    harms: str = ""


VERDICTS = ("no", "at most in part", "in part", "at least in part", "yes")
"""Of an interval in the low zone, the low and the middle one, the middle one, the middle and the high one, the high
one."""
HARMS = "no, it harms"
SHARES, QUARTER_CUTS = (0.0, 1.0), (0.25, 0.75)

QUESTIONS: Mapping[str, Question] = {
    "located": Question(
        claim="Top words are the words that matter", span=SHARES, ends=("random words", "best single words"),
        holds="top words are the words that matter", fails="top words are hardly better than random ones",
        cuts=QUARTER_CUTS, gap=0.25, unit="share",
        measured="how far the predicted class's probability falls when the top words are deleted: from random words "
        "(0) to the best single words, those of leave-one-out (1)",
    ),
    "ranks": Question(
        claim="More weight means more important", span=SHARES, ends=("shuffled map", "best order"),
        holds="more weight means more important", fails="more weight does not mean more important",
        cuts=QUARTER_CUTS, gap=0.25, unit="share",
        measured="items erased until the decision flips: from shuffled weights (0) to the smallest set (1)",
    ),
    "signed": Question(
        claim="The top word speaks for the prediction", span=(0.5, 1.0), ends=("half of texts", "every text"),
        holds="the top word speaks for the prediction", fails="the top word often does not speak for the prediction",
        cuts=(0.85, 0.95), gap=0.10, unit="percent",
        measured="share of texts whose item of the highest weight supports the prediction; and how much more often it "
        "does than under shuffled weights (0: as often, 1: always)",
    ),
    "used": Question(
        claim="The prediction depends on the weights", span=(0.0, 0.25),
        ends=("no change", "quarter of the probability"),
        holds="the prediction depends on the weights", fails="the prediction hardly depends on the weights",
        cuts=(0.025, 0.10), gap=0.05, unit="probability",
        measured="mean change of the prediction (TVD) under shuffled weights",
    ),
    "stable": Question(
        claim="Another training shows this map", span=SHARES, ends=("unrelated map", "same map"),
        holds="another training shows this map", fails="another training shows another map",
        cuts=QUARTER_CUTS, gap=0.25, unit="share",
        measured="similarity of the maps of two trainings, mean over pairs: 1 the same map, 0 an unrelated one",
    ),
    "unique": Question(
        claim="No other map gives these predictions", span=SHARES,
        ends=("one that shares nothing does", "no other does"),
        holds="no other map gives these predictions", fails="another map gives the same predictions",
        cuts=QUARTER_CUTS, gap=0.25, unit="share",
        measured="similarity of the map to that of the furthest adversary whose predictions move no further than those "
        "of another training, or than the tolerance: the larger of the two counts",
    ),
    "needed": Question(
        claim="Attention helps the predictions (macro F1)", span=(-0.03, 0.06), ends=("−3 points", "+6 points"),
        holds="attention helps the predictions (macro F1)", fails="attention does not help the predictions (macro F1)",
        cuts=(0.01, 0.03), gap=1.0, unit="points",
        measured="macro F1 of the model less that of its twin with uniform weights",
        harms="attention harms the predictions",
    ),
    "transferable": Question(
        claim="Its weights help another model", span=(-0.03, 0.06), ends=("−3 points", "+6 points"),
        holds="its weights help another model", fails="its weights do not help another model",
        cuts=(0.01, 0.03), gap=1.0, unit="points",
        measured="macro F1 of the MLP guided by the model's maps less that of the MLP guided by uniform weights",
        harms="its weights harm another model",
    ),
}  # fmt: skip
"""In the order in which they are shown."""

LEAST_TEXTS = 100
"""Texts, or groups of texts, that a verdict needs at least."""
LEAST_OF_CLASS = 20
"""Texts, or groups of texts, that a verdict on one class needs at least in every training."""
AVOIDED = QUARTER_CUTS
"""The zones of the second part of `signed`: the exceptions avoided, of those of shuffled weights."""
ANY_WEIGHTS = {"ranks": 0.75, "signed": 0.95}
"""From which effect of shuffled weights on the test cannot tell one map from another."""
