"""How far adversaries move a map at which change of the predictions, and what a budget of change leaves open.

A search tries some adversaries and not those between them. So a budget has a bracket: the furthest adversary within it,
and the frontier's next step beyond it.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_audit.arrays import Floats


def weigh_classes(tvd: Floats, predictions: npt.NDArray[np.integer]) -> float:
    """Average the change of predictions, (N,), so that all predicted classes (N,) count alike.

    Else all of a class that is 2 % of the texts might change within a budget of .05. NaN does not count.
    """
    known = np.isfinite(tvd)
    means = [tvd[known & (predictions == number)].mean() for number in np.unique(predictions[known])]
    return float(np.mean(means)) if means else np.nan


class Adversary(NamedTuple):
    """One adversary, a whole model: its family, lambda and seed; how far its predictions are from the base model's.

    dev, test: the TVD on either split, see `weigh_classes`. value: the similarity of its map to the base model's on
    test, 1 the same map and 0 an unrelated one; low, high: the interval over texts.
    """

    model: str
    lambda_: float
    seed: int
    dev: float
    test: float
    value: float
    low: float
    high: float


class Bracket(NamedTuple):
    """What a budget leaves open: the least similar adversary within it, and the next one beyond; None where none is."""

    budget: float
    within: Adversary | None
    beyond: Adversary | None

    @property
    def interval(self) -> tuple[float, float, float]:
        """The similarity within the budget, and where that of a further search may lie.

        Where no adversary is within the budget, the model's own map is, whose similarity is 1.
        """
        low = self.beyond.low if self.beyond else -inf
        return (self.within.value, low, self.within.high) if self.within else (1.0, low, 1.0)


def bracket(adversaries: Sequence[Adversary], budget: float) -> Bracket:
    """Find the least similar adversary that holds a budget on dev and on test, and the next one beyond it.

    That is the one with the least TVD on test of those that are less similar.
    """
    held = [one for one in adversaries if max(one.dev, one.test) <= budget]
    within = min(held, key=lambda one: (one.value, one.test), default=None)
    further = [one for one in adversaries if one not in held and one.value < (within.value if within else 1.0)]
    return Bracket(budget, within, min(further, key=lambda one: one.test, default=None))
