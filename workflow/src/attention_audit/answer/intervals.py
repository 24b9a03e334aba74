"""Intervals of means in tables, with two sources of chance: which trainings were made, and which texts were tested.

Means, shares and differences of means have these; the answer's estimates have those of `estimates`, and medians, which
are no sums, that of `bootstrap`. A mean is a sum of parts, one for each of S trainings and N texts. The variance that K
units bring is K / (K - 1) times the sum of the squared deviations of their parts.

- What a text does in one training only is in the parts of the trainings and of the texts. Its variance, from the parts
  without the means of their row and column, is taken off that of the texts (Cameron, Gelbach & Miller 2011).
- There are few trainings and many texts. So the variance of trainings counts with Student's quantile, that of texts
  with a normal one, and the squares add. This holds its level whatever the two variances are (Banerjee 1960), where
  Satterthwaite's degrees of freedom, with three trainings, do not. Two groups of trainings have Welch's quantile.
- Values are often skewed: a few texts have most of the mean. The quantiles of the texts follow the skewness (Hall
  1992).
- Where all tested texts are alike, their variance is 0, and yet the next one may differ. So two texts are added to the
  variance, at the ends of the scale (in the manner of Agresti & Coull 1998).
"""

from collections.abc import Sequence
from math import cbrt, inf, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
NORMAL = float(special.ndtri((1 + CONFIDENCE) / 2))
ADDED = 2
"""Texts that are added to the variance."""


class Effect(NamedTuple):
    """A mean with its 95 % interval, and how many trainings and texts it rests on.

    With one training, the interval holds the chance of the texts only. NaN where there is no value.
    """

    value: float
    low: float
    high: float
    trainings: int
    texts: int


NOTHING = Effect(nan, nan, nan, 0, 0)


def adjust_quantile(skewness: float, normal: float) -> float:
    """Move a normal quantile to that of a studentised mean whose estimate has this skewness.

    Hall 1992: the cubic t + s t^2 / 3 + s^2 t^3 / 27 + s / 6 of a studentised t is nearly normal; this is its inverse.
    """
    if abs(skewness) < 1e-9:
        return normal
    return float(3 / skewness * (cbrt(1 + skewness * (normal - skewness / 6)) - 1))


def estimate_variance(parts: Floats) -> float:
    """Estimate the variance of the sum of K independent parts, (K,)."""
    return len(parts) * float(np.var(parts, ddof=1))


def estimate_joint_variance(parts: Floats) -> float:
    """Estimate the variance that trainings and texts bring together, from parts (S, N) less their means."""
    trainings, texts = parts.shape
    apart = parts - parts.mean(0) - parts.mean(1, keepdims=True) + parts.mean()
    return float(trainings / (trainings - 1) * texts / (texts - 1) * (apart * apart).sum())


def weigh_trainings(groups: Sequence[Floats]) -> float:
    """Estimate the variance of trainings, times the square of Student's quantile, from parts (S, N) of each group."""
    variances = np.array([estimate_variance(parts.sum(1)) for parts in groups])
    total = float(variances.sum())
    if total <= 0:
        return 0.0
    freedom = total**2 / (variances**2 / [len(parts) - 1 for parts in groups]).sum()
    return float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) ** 2 * total


def bound_sum(value: float, texts: Floats, groups: Sequence[Floats], scale: float) -> tuple[float, float]:
    """Bound a sum by the chance of N texts and of trainings: the 95 % interval.

    texts (N,): the part of each text. groups: parts (S, N) of trainings that have nothing to do with one another; those
    of a single training say nothing of chance. scale: how far one text may move the value, times N.
    """
    count = len(texts)
    if count < 2:
        return -inf, inf
    added = ADDED * (scale / count) ** 2
    own, several = estimate_variance(texts), [parts for parts in groups if len(parts) > 1]
    apart = texts - texts.mean()
    skewness = float(apart * apart @ apart) / (own + added) ** 1.5
    alone = max(own - sum(map(estimate_joint_variance, several)), 0.0) + added
    both = weigh_trainings(several) if several else 0.0
    low, high = (value - side * sqrt(both + adjust_quantile(skewness, side * NORMAL) ** 2 * alone) for side in (1, -1))
    return low, high


def split_mean(values: Floats) -> Floats:
    """Split the mean of values (S, N) into the parts of each training and text, (S, N).

    NaN stands where there is no value. Such a text adds the mean itself, so that the parts sum to the mean, and deviate
    as it does (delta method). Trainings without any value are left out.
    """
    values = values[np.isfinite(values).any(1)]
    known = np.isfinite(values)
    own = values[known].mean()
    parts: Floats = np.where(known, values - own, 0.0) / known.sum() + own / values.size
    return parts


def clip_interval(value: float, bounds: tuple[float, float], least: float, most: float) -> tuple[float, float, float]:
    """Clip an interval to the scale of its value."""
    low, high = bounds
    return value, max(low, least), min(high, most)


def mean(values: Floats, least: float = 0.0, most: float = 1.0) -> Effect:
    """Take the mean of values between `least` and `most`, from (S, N), NaN where there is no value."""
    values = values[:, np.isfinite(values).any(0)]
    if not values.size:
        return NOTHING
    parts = split_mean(values)
    value = float(np.nanmean(values))
    return Effect(*clip_interval(value, bound_sum(value, parts.sum(0), [parts], most), least, most), *parts.shape)


def difference(one: Floats, other: Floats, least: float = 0.0, most: float = 1.0) -> Effect:
    """Take the mean of `one` (S1, N) less that of `other` (S2, N), of values between `least` and `most`.

    NaN stands where there is no value. A text counts once for both, and their trainings are independent.
    """
    either = np.isfinite(one).any(0) | np.isfinite(other).any(0)
    if not (np.isfinite(one).any() and np.isfinite(other).any()):
        return NOTHING
    groups = [split_mean(values[:, either]) for values in (one, other)]
    value = float(np.nanmean(one) - np.nanmean(other))
    texts = groups[0].sum(0) - groups[1].sum(0)
    interval = clip_interval(value, bound_sum(value, texts, groups, most), least - most, most - least)
    return Effect(*interval, min(map(len, groups)), len(texts))


def odds(share: Effect) -> Effect:
    """Turn a share into share / (1 - share), which grows with it, so that its bounds are those of the share."""
    value, low, high = (each / (1 - each) if each != 1 else inf for each in share[:3])
    return share._replace(value=value, low=low, high=high)


def root(effect: Effect) -> Effect:
    """Take the square root of an effect that is not below 0, and of its bounds."""
    return effect._replace(value=sqrt(effect.value), low=sqrt(effect.low), high=sqrt(effect.high))
