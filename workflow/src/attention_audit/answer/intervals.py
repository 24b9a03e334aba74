"""Intervals of means in tables, with two sources of chance: which trainings were made, and which texts were tested.

Means and shares have these; the answer's estimates have those of `estimates`. A mean is a sum of parts, one for each of
S trainings and N texts. The variance that K units bring is K / (K - 1) times the sum of the squared deviations of their
parts.

- What a text does in one training only is in the parts of the trainings and of the texts. Its variance, from the parts
  without the means of their row and column, is taken off that of the texts (Cameron, Gelbach & Miller 2011).
- There are few trainings and many texts. So the variance of trainings counts with Student's quantile, that of texts
  with a normal one, and the squares add. This holds its level whatever the two variances are (Banerjee 1960), where
  Satterthwaite's degrees of freedom, with three trainings, do not.
- Values are often skewed: a few texts have most of the mean. The quantiles of the texts follow the skewness (Hall
  1992).
- Where all tested texts are alike, their variance is 0, and yet the next one may differ. So two texts are added to the
  variance, at the ends of the scale (in the manner of Agresti & Coull 1998).
"""

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


def bound_mean(value: float, parts: Floats, scale: float) -> tuple[float, float]:
    """Bound a mean by the chance of its texts and trainings: the 95 % interval.

    parts (S, N): see `split_mean`; those of a single training say nothing of chance. scale: how far one text may move
    the value, times N.
    """
    texts, (trainings, count) = parts.sum(0), parts.shape
    if count < 2:
        return -inf, inf
    added = ADDED * (scale / count) ** 2
    own, joint, both = estimate_variance(texts), 0.0, 0.0
    if trainings > 1:
        joint = estimate_joint_variance(parts)
        both = float(special.stdtrit(trainings - 1, (1 + CONFIDENCE) / 2)) ** 2 * estimate_variance(parts.sum(1))
    apart = texts - texts.mean()
    skewness = float(apart * apart @ apart) / (own + added) ** 1.5
    alone = max(own - joint, 0.0) + added
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


def mean(values: Floats, least: float = 0.0, most: float = 1.0) -> Effect:
    """Take the mean of values between `least` and `most`, from (S, N), NaN where there is no value."""
    values = values[:, np.isfinite(values).any(0)]
    if not values.size:
        return Effect(nan, nan, nan, 0, 0)
    parts = split_mean(values)
    value = float(np.nanmean(values))
    low, high = bound_mean(value, parts, most)
    return Effect(value, max(low, least), min(high, most), *parts.shape)


def odds(share: Effect) -> Effect:
    """Turn a share into share / (1 - share), which grows with it, so that its bounds are those of the share."""
    value, low, high = (each / (1 - each) if each != 1 else inf for each in share[:3])
    return share._replace(value=value, low=low, high=high)


def root(effect: Effect) -> Effect:
    """Take the square root of an effect that is not below 0, and of its bounds."""
    return effect._replace(value=sqrt(effect.value), low=sqrt(effect.low), high=sqrt(effect.high))
