"""How trainings of a population deviate from their mean, and which texts are nearly alike.

A population is infinite: a run draws its trainings with replacement from many, whose deviations are the quantiles of a
law, so that its shares are exact.
"""

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]

NORMAL, SKEW, TWO, RARE = "normal", "skew", "two", "rare"
"""Normal deviations; exponential ones; a fifth of trainings 2.5 standard deviations below all others; normal ones, but
of one training in twenty, which fails: its effect is what chance gives."""
LOWER, FAILING = 0.2, 0.05
"""Shares of the trainings that are lower, and that fail."""
FOUR = 4
"""Texts that are nearly alike."""
GOLDEN = (np.sqrt(5) - 1) / 2


def quantile(number: int) -> float:
    """Where a training stands among all, between 0 and 1: any number of them are spread evenly."""
    return float((number * GOLDEN + 0.5) % 1)


def lower(number: int, share: float) -> bool:
    """Whether a training is among the lowest, which are such a share of all."""
    return quantile(number) < share


def fails(law: str, number: int) -> bool:
    """Whether a training fails."""
    return law == RARE and lower(number, FAILING)


def deviation(law: str, number: int) -> float:
    """How far a training lies from the mean, in standard deviations."""
    at = quantile(number)
    if law == SKEW:
        return float(-np.log1p(-at) - 1)
    if law == TWO:
        return float((LOWER - lower(number, LOWER)) / np.sqrt(LOWER * (1 - LOWER)))
    return float(special.ndtri(at))


def deviations(law: str, trainings: int) -> Floats:
    """Of so many trainings, (trainings, 1)."""
    return np.array([[deviation(law, number)] for number in range(trainings)])


def failing(law: str, trainings: int) -> npt.NDArray[np.bool_]:
    """Which of so many trainings fail, (trainings, 1)."""
    return np.array([[fails(law, number)] for number in range(trainings)])


def in_fours(count: int) -> npt.NDArray[np.int64]:
    """The text that each of `count` texts is like: the first of its four."""
    return np.arange(count) // FOUR * FOUR
