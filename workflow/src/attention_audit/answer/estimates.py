"""Estimates of the answer: the mean over trainings of each one's value, with two intervals.

The interval "these trainings" holds the chance of the texts alone; that of the next training holds the spread of the
trainings too. Texts that belong together count as one. docs/method/intervals.md derives both.
"""

from collections.abc import Sequence
from math import hypot, inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from attention_audit.answer.intervals import ADDED, CONFIDENCE, NORMAL, adjust_quantile

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CLEAR = 3.0
"""Standard errors that what can be had in a training must lie above 0, for the training to tell anything of a share."""
FEWEST_TRAININGS = 3
"""Trainings from which on a range of the next one is given."""


class Sample(NamedTuple):
    """What S trainings measured on N texts.

    values (S,): each training's own value; NaN where nothing can be had in it. moved (S, N): what each text moves the
    value by, which is the derivative by the weight of the text; 0 where the text does not count. texts (N,): which
    texts count.
    """

    values: Floats
    moved: Floats
    texts: npt.NDArray[np.bool_]


class Estimate(NamedTuple):
    """The mean over trainings, and what is known of its chance.

    low, high: the 95 % interval of these trainings, in which the texts are the only chance. next_low, next_high: the
    95 % range of one more training; NaN below three trainings. each: the value of each training, NaN where nothing can
    be had in it. each_low, each_high: its own interval. texts: how many count; groups: how many of them are
    independent.
    """

    value: float = nan
    low: float = nan
    high: float = nan
    next_low: float = nan
    next_high: float = nan
    each: Sequence[float] = ()
    each_low: Sequence[float] = ()
    each_high: Sequence[float] = ()
    texts: int = 0
    groups: int = 0

    @property
    def plain(self) -> bool:
        """Whether each text stands for itself."""
        return self.groups == self.texts

    @property
    def trainings(self) -> int:
        """How many trainings the mean is over."""
        return sum(map(isfinite, self.each))


def join(moved: Floats, texts: npt.NDArray[np.bool_], groups: Integers | None) -> Floats:
    """Add up what the texts that count move, group by group: (S, N) -> (S, K)."""
    moved = moved[:, texts]
    if groups is None or not moved.shape[1]:
        return moved
    numbers = np.unique(groups[texts], return_inverse=True)[1]
    joined = np.zeros((len(moved), numbers.max() + 1))
    np.add.at(joined.T, numbers, moved.T)
    return joined


def bound(value: float, moved: Floats, scale: float = 1.0) -> tuple[float, float, float]:
    """Bound a value by the chance of K groups of texts: (K,) -> low, high, variance.

    Two groups at the ends of the scale are added to the variance, and the quantiles follow the skewness (Hall 1992).
    """
    count = len(moved)
    if count < 2:
        return -inf, inf, inf
    apart = moved - moved.mean()
    ratio = count / (count - 1)
    variance = ratio * float(apart @ apart) + ADDED * (scale / count) ** 2
    skewness = float(apart * apart @ apart) / variance**1.5
    low, high = (value - adjust_quantile(skewness, side * NORMAL) * sqrt(variance) for side in (1, -1))
    return low, high, variance


def estimate(
    sample: Sample,
    groups: Integers | None = None,
    limits: tuple[float, float] = (-inf, inf),
    scale: float = 1.0,
    weights: Floats | None = None,
) -> Estimate:
    """Estimate the mean over trainings, with both intervals, within the limits of the scale.

    groups (N,): the same number for texts that belong together; None where each stands for itself. scale: how far one
    text may move the value, times N. weights (S, P): of a sample of P pairs of S trainings, how each training's mean
    with the others is made of them; their spread is stretched by (S - 1) / (S - 2), as a pair is in two of them.
    """
    values, moved, texts = sample
    known = np.isfinite(values)
    each, joined = values, join(moved, texts, groups)
    count = joined.shape[1]
    if not known.any():
        return Estimate(each=each.tolist(), texts=int(texts.sum()), groups=count)

    def limited(number: float) -> float:
        return min(max(number, limits[0]), limits[1])

    value = float(values[known].mean())
    low, high, variance = bound(value, joined[known].mean(0), scale)
    if weights is not None:
        # a pair without a value is no part of its trainings' means
        weights = np.where(known, weights, 0.0)
        with np.errstate(invalid="ignore"):
            weights /= weights.sum(1, keepdims=True)
        each, joined = weights @ np.where(known, values, 0.0), weights @ joined
    trainings = int(np.isfinite(each).sum())
    ends = [
        bound(float(own), moves, scale)[:2] if isfinite(own) else (nan, nan)
        for own, moves in zip(each, joined, strict=True)
    ]
    next_low = next_high = nan
    if trainings >= FEWEST_TRAININGS:
        jackknife = 1.0 if weights is None else (trainings - 1) / (trainings - 2)
        student = float(special.stdtrit(trainings - 1, (1 + CONFIDENCE) / 2))
        spread = jackknife * float(np.nanstd(each, ddof=1))
        half = hypot(student * spread * sqrt(1 + 1 / trainings), NORMAL * sqrt(variance))
        next_low, next_high = limited(value - half), limited(value + half)
    return Estimate(
        value, limited(low), limited(high), next_low, next_high,
        each.tolist(), [limited(low) for low, _ in ends], [limited(high) for _, high in ends],
        int(texts.sum()), count,
    )  # fmt: skip


def clear(bottom: Floats, texts: npt.NDArray[np.bool_], groups: Integers | None) -> npt.NDArray[np.bool_]:
    """Tell in which trainings the sum of `bottom`, (S, N), is clearly above 0: (S,)."""
    joined = join(bottom, texts, groups)
    if joined.shape[1] < 2:
        return np.zeros(len(bottom), bool)
    sums = joined.sum(1)
    found: npt.NDArray[np.bool_] = sums > np.maximum(CLEAR * joined.std(1, ddof=1) * sqrt(joined.shape[1]), 0.0)
    return found
