"""Estimates with their 95 % intervals: of the questions (`estimate`), and of means in tables (`estimate_mean`).

The answer has two. The interval "these trainings" holds the chance of the texts alone; that of the next training holds
the spread of the trainings too. Texts that belong together count as one. docs/method/README.md derives both.

Means and shares in tables have one, with two sources of chance: which trainings were made, and which texts were tested.
A mean is a sum of parts, one for each of S trainings and N texts. The variance that K units bring is K / (K - 1) times
the sum of the squared deviations of their parts.

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

from collections.abc import Sequence
from math import cbrt, hypot, inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy import special

from attention_audit.arrays import Flags, Floats, Integers

CONFIDENCE = 0.95
NORMAL = float(special.ndtri((1 + CONFIDENCE) / 2))
ADDED_TEXTS = 2
"""Texts that are added to the variance."""
MIN_STANDARD_ERRORS = 3.0
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
    texts: Flags


class Estimate(NamedTuple):
    """The mean over trainings, and what is known of its chance.

    low, high: the 95 % interval of these trainings, in which the texts are the only chance; of `estimate_mean`, the
    trainings too. next_low, next_high: the 95 % range of one more training; NaN below three trainings. each: the value
    of each training, NaN where nothing can be had in it. each_low, each_high: its own interval. texts: how many count;
    groups: how many of them are independent. Of `estimate_mean`, what is not said here is not known.
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
    def trainings(self) -> int:
        """Count the trainings that the mean is over."""
        return sum(map(isfinite, self.each))

    @property
    def spread(self) -> float:
        """Return the sd (n - 1) of the trainings; NaN below two."""
        with np.errstate(invalid="ignore"):
            return float(np.std(self.each, ddof=1)) if len(self.each) > 1 else nan


def adjust_quantile(skewness: float, normal: float) -> float:
    """Move a normal quantile to that of a studentised mean whose estimate has this skewness.

    Hall 1992: the cubic t + s t^2 / 3 + s^2 t^3 / 27 + s / 6 of a studentised t is nearly normal; this is its inverse.
    """
    if abs(skewness) < 1e-9:
        return normal
    return float(3 / skewness * (cbrt(1 + skewness * (normal - skewness / 6)) - 1))


def join(shifts: Floats, texts: Flags, groups: Integers | None) -> Floats:
    """Add up what the texts that count move, group by group: (S, N) -> (S, K)."""
    shifts = shifts[:, texts]
    if groups is None or not shifts.shape[1]:
        return shifts
    numbers = np.unique(groups[texts], return_inverse=True)[1]
    joined = np.zeros((len(shifts), numbers.max() + 1))
    np.add.at(joined.T, numbers, shifts.T)
    return joined


def find_bounds(value: float, shifts: Floats, scale: float = 1.0) -> tuple[float, float, float]:
    """Find the bounds of a value by the chance of K groups of texts: (K,) -> low, high, variance.

    Two groups at the ends of the scale are added to the variance, and the quantiles follow the skewness (Hall 1992).
    """
    count = len(shifts)
    if count < 2:
        return -inf, inf, inf
    deviations = shifts - shifts.mean()
    ratio = count / (count - 1)
    variance = ratio * float(deviations @ deviations) + ADDED_TEXTS * (scale / count) ** 2
    skewness = float(deviations * deviations @ deviations) / variance**1.5
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
    values, shifts, texts = sample
    finite = np.isfinite(values)
    each, joined = values, join(shifts, texts, groups)
    counts = {"texts": int(texts.sum()), "groups": joined.shape[1]}
    if not finite.any():
        return Estimate(each=each.tolist(), **counts)
    value = float(values[finite].mean())
    low, high, variance = find_bounds(value, joined[finite].mean(0), scale)
    if weights is not None:
        # a pair without a value is no part of its trainings' means
        weights = np.where(finite, weights, 0.0)
        with np.errstate(invalid="ignore"):
            weights /= weights.sum(1, keepdims=True)
        each, joined = weights @ np.where(finite, values, 0.0), weights @ joined
    trainings, half = int(np.isfinite(each).sum()), nan
    if trainings >= FEWEST_TRAININGS:
        jackknife = 1.0 if weights is None else (trainings - 1) / (trainings - 2)
        student = float(special.stdtrit(trainings - 1, (1 + CONFIDENCE) / 2))
        spread = jackknife * float(np.nanstd(each, ddof=1))
        half = hypot(student * spread * sqrt(1 + 1 / trainings), NORMAL * sqrt(variance))
    ends = [find_bounds(float(centre), moves, scale)[:2] for centre, moves in zip(each, joined, strict=True)]
    limited = np.clip([(low, high), (value - half, value + half), *ends], *limits).T.tolist()
    (low, next_low, *lows), (high, next_high, *highs) = limited
    return Estimate(value, low, high, next_low, next_high, each.tolist(), lows, highs, **counts)


def is_clear(bottom: Floats, texts: Flags, groups: Integers | None) -> Flags:
    """Tell in which trainings the sum of `bottom`, (S, N), is clearly above 0: (S,)."""
    joined = join(bottom, texts, groups)
    if joined.shape[1] < 2:
        return np.zeros(len(bottom), bool)
    sums = joined.sum(1)
    return sums > np.maximum(MIN_STANDARD_ERRORS * joined.std(1, ddof=1) * sqrt(joined.shape[1]), 0.0)


def estimate_joint_variance(parts: Floats) -> float:
    """Estimate the variance that trainings and texts bring together, from parts (S, N) less their means."""
    trainings, texts = parts.shape
    residuals = parts - parts.mean(0) - parts.mean(1, keepdims=True) + parts.mean()
    return float(trainings / (trainings - 1) * texts / (texts - 1) * (residuals * residuals).sum())


def find_mean_bounds(value: float, parts: Floats, scale: float) -> tuple[float, float]:
    """Find the bounds of a mean by the chance of its texts and trainings: the 95 % interval.

    parts (S, N): see `split_mean`; those of a single training say nothing of chance. scale: how far one text may move
    the value, times N.
    """
    texts, (trainings, count) = parts.sum(0), parts.shape
    if count < 2:
        return -inf, inf
    added = ADDED_TEXTS * (scale / count) ** 2
    text_variance, joint, spread = count * float(np.var(texts, ddof=1)), 0.0, 0.0
    if trainings > 1:
        joint = estimate_joint_variance(parts)
        student = float(special.stdtrit(trainings - 1, (1 + CONFIDENCE) / 2))
        spread = student**2 * (trainings * float(np.var(parts.sum(1), ddof=1)))
    deviations = texts - texts.mean()
    skewness = float(deviations * deviations @ deviations) / (text_variance + added) ** 1.5
    alone = max(text_variance - joint, 0.0) + added
    low, high = (
        value - side * sqrt(spread + adjust_quantile(skewness, side * NORMAL) ** 2 * alone) for side in (1, -1)
    )
    return low, high


def split_mean(values: Floats) -> Floats:
    """Split the mean of values (S, N) into the parts of each training and text, (S, N).

    NaN stands where there is no value. Such a text adds the mean itself, so that the parts sum to the mean, and deviate
    as it does (delta method). Trainings without any value are left out.
    """
    values = values[np.isfinite(values).any(1)]
    finite = np.isfinite(values)
    mean = values[finite].mean()
    return np.where(finite, values - mean, 0.0) / finite.sum() + mean / values.size


def average_trainings(values: Floats) -> Floats:
    """Average the values of each training, (S, N) -> (S,), with NaN where there is none; NaN for one without any."""
    with np.errstate(invalid="ignore"):
        means: Floats = np.nansum(values, 1) / np.isfinite(values).sum(1)
    return means


def estimate_mean(values: Floats, lowest: float = 0.0, highest: float = 1.0) -> Estimate:
    """Take the mean of values between `lowest` and `highest`, from (S, N), NaN where there is no value."""
    each = average_trainings(values).tolist()
    values = values[:, np.isfinite(values).any(0)]
    if not values.size:
        return Estimate(each=each)
    value, count = float(np.nanmean(values)), values.shape[1]
    low, high = find_mean_bounds(value, split_mean(values), highest)
    return Estimate(value, max(low, lowest), min(high, highest), each=each, texts=count, groups=count)


def convert_to_odds(share: Estimate) -> Estimate:
    """Convert a share to share / (1 - share), which grows with it, so that its bounds are those of the share."""
    value, low, high = (each / (1 - each) if each != 1 else inf for each in share[:3])
    return share._replace(value=value, low=low, high=high)


def take_root(effect: Estimate) -> Estimate:
    """Take the square root of an effect that is not below 0, and of its bounds."""
    return effect._replace(value=sqrt(effect.value), low=sqrt(effect.low), high=sqrt(effect.high))
