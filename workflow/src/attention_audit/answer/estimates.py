"""Estimates with their 95 % intervals: of the questions (`estimate`), and of means in tables (`estimate_mean`).

What is estimated is a mean over all trainings of a recipe, of which S were made, and all texts like these, of which N
were tested. From three trainings on, its interval has both sources of chance; one or two trainings say nothing of
others, and their interval is of these alone. docs/method/README.md derives it.

A mean is a sum of parts, one for each of S trainings and N texts. The variance that K units bring is K / (K - 1) times
the sum of the squared deviations of their parts.

- What a text does in one training only is in the parts of the trainings and of the texts. Its variance, from the parts
  without the means of their row and column, is taken off that of the texts (Cameron, Gelbach & Miller 2011).
- There are few trainings and many texts. So the variance of trainings counts with Student's quantile, that of texts
  with a normal one, and the squares add. This holds its level whatever the two variances are (Banerjee 1960), where
  Satterthwaite's degrees of freedom, with three trainings, do not.
- A mean over pairs of trainings moves by twice what a mean over trainings would, since each training is in two of the
  ends of what pairs share. The deviation of a training's mean with the others is stretched by (S - 1) / (S - 2).
- Values are often skewed: a few texts have most of the mean. The quantiles of the texts follow the skewness (Hall
  1992).
- What is compared with shuffled weights is one less a ratio, both of whose terms have chance. Its bounds are those of
  the ratio's logarithm, which is less skewed.
- Where all tested texts are alike, their variance is 0, and yet the next one may differ. So two texts are added to the
  variance, at the ends of the scale (in the manner of Agresti & Coull 1998).
- Texts that belong together count as one.
"""

from collections.abc import Sequence
from math import cbrt, exp, expm1, hypot, inf, nan, sqrt
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
MAX_STRETCH = 1.5
"""How many times further than on its own scale the lower bound of one less a ratio may lie: near 0, a ratio's logarithm
knows no bound."""
FEWEST_TRAININGS = 3
"""Trainings from which on something is said of others than those that were made."""


class Sample(NamedTuple):
    """What S trainings measured on N texts.

    values (S,): each training's own value; NaN where nothing can be had in it. moved (S, N): what each text moves the
    value by, which is the derivative by the weight of the text; 0 where the text does not count. texts (N,): which
    texts count. ratio: whether a value is one less a ratio of two measured numbers, which are not below 0.
    """

    values: Floats
    moved: Floats
    texts: Flags
    ratio: bool = False


class Estimate(NamedTuple):
    """The mean over trainings, and what is known of its chance.

    low, high: the 95 % interval, in which trainings and texts are the sources of chance; of one or two trainings, the
    texts alone. next_low, next_high: the 95 % range of one more training; NaN below three trainings. each: the value of
    each training, NaN where nothing can be had in it. each_low, each_high: its own interval. texts: how many count;
    groups: how many of them are independent. trainings: how many have a value, of those that were made. Of
    `estimate_mean`, what is not said here is not known.
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
    trainings: int = 0
    made: int = 0

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


def estimate_joint_variance(parts: Floats) -> float:
    """Estimate the variance that trainings and texts bring together, from parts (S, N) less their means."""
    trainings, texts = parts.shape
    residuals = parts - parts.mean(0) - parts.mean(1, keepdims=True) + parts.mean()
    return float(trainings / (trainings - 1) * texts / (texts - 1) * (residuals * residuals).sum())


def find_student(trainings: int, confidence: float = CONFIDENCE) -> float:
    """Find the quantile of Student's t of S trainings."""
    return float(special.stdtrit(trainings - 1, (1 + confidence) / 2))


def bend_bounds(value: float, low: float, high: float) -> tuple[float, float]:
    """Move the bounds of one less a ratio to those of the ratio's logarithm."""
    ratio = max(1 - value, 1e-9)
    # the quotient grows with the relative half-width: 1 at 0, above `MAX_STRETCH` at 1
    relative = max(min((value - low) / ratio, 1.0), 1e-9)
    stretch = min(expm1(relative) / relative, MAX_STRETCH)
    return value - stretch * (value - low), 1 - ratio * exp((value - high) / ratio)


def find_bounds(
    value: float,
    parts: Floats,
    scale: float = 1.0,
    spread: float = 0.0,
    confidence: float = CONFIDENCE,
    ratio: bool = False,
) -> tuple[float, float, float]:
    """Find the bounds of a mean by the chance of its texts and trainings: (S, K) -> low, high, variance of the texts.

    parts: of each training and group of texts. scale: how far one text may move the value, times N. spread: the
    half-width that the trainings bring alone; where it is not 0, what they bring together with the texts is taken off
    the texts' part. ratio: see `Sample`.
    """
    texts, (trainings, count) = parts.sum(0), parts.shape
    if count < 2:
        return -inf, inf, inf
    deviations = texts - texts.mean()
    text_variance, added = count / (count - 1) * float(deviations @ deviations), ADDED_TEXTS * (scale / count) ** 2
    variance = text_variance + added
    skewness = float(deviations * deviations @ deviations) / variance**1.5
    joint = estimate_joint_variance(parts) if spread and trainings > 1 else 0.0
    alone, normal = max(text_variance - joint, 0.0) + added, float(special.ndtri((1 + confidence) / 2))
    low, high = (
        value - side * hypot(spread, adjust_quantile(skewness, side * normal) * sqrt(alone)) for side in (1, -1)
    )
    return *(bend_bounds(value, low, high) if ratio else (low, high)), variance


def select_pairs(members: Flags, finite: Flags) -> Flags:
    """Select the pairs of trainings that count, (P,): a training in a pair without a value is left out, that with the
    most of them first, until no pair of those that are left lacks one.

    members (S, P): which trainings are in which pair. finite (P,): which pairs have a value.
    """
    remaining = np.asarray(members.any(1))
    while True:
        among: Flags = np.asarray(members[remaining].sum(0) == 2)
        missing_counts = members[:, among & ~finite].sum(1)
        if not missing_counts.any():
            return among
        remaining[missing_counts.argmax()] = False


def estimate(
    sample: Sample,
    groups: Integers | None = None,
    limits: tuple[float, float] = (-inf, inf),
    scale: float = 1.0,
    members: Flags | None = None,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Estimate the mean over trainings, with its interval and the range of one more, within the limits of the scale.

    groups (N,): the same number for texts that belong together; None where each stands for itself. scale: how far one
    text may move the value, times N. members (S, P): which of S trainings are in which of the P pairs of the sample;
    None where the sample is of trainings. confidence: of the interval; the range is of 95 %.
    """
    values, shifts, texts, ratio = sample
    counted = np.isfinite(values)
    each, joined, factor = values, join(shifts, texts, groups), 1.0
    parts = joined[counted] / max(int(counted.sum()), 1)
    if members is not None:
        counted = select_pairs(members, counted)
        shares = np.where(counted, members, 0.0)
        with np.errstate(invalid="ignore"):
            shares /= shares.sum(1, keepdims=True)
        each, parts = shares @ np.where(counted, values, 0.0), joined[counted].sum(0, keepdims=True)
        parts, joined, factor = parts / max(int(counted.sum()), 1), shares @ joined, 2.0
    trainings = int(np.isfinite(each).sum())
    counts = {"texts": int(texts.sum()), "groups": joined.shape[1], "trainings": trainings, "made": len(each)}
    if not trainings:
        return Estimate(each=each.tolist(), **counts)
    value, spread = float(values[counted].mean()), 0.0
    if trainings >= FEWEST_TRAININGS:
        # each pair is in the means of two trainings
        stretch = 1.0 if members is None else (trainings - 1) / (trainings - 2)
        spread = stretch * float(np.nanstd(each, ddof=1))
    half = factor * find_student(trainings, confidence) * spread / sqrt(trainings) if spread else 0.0
    low, high, variance = find_bounds(value, parts, scale, half, confidence, ratio)
    range_half = nan
    if trainings >= FEWEST_TRAININGS:
        range_half = hypot(find_student(trainings) * spread * sqrt(1 + 1 / trainings), NORMAL * sqrt(variance))
    ends = [
        find_bounds(float(centre), moves[None], scale, ratio=ratio)[:2]
        for centre, moves in zip(each, joined, strict=True)
    ]
    limited = np.clip([(low, high), (value - range_half, value + range_half), *ends], *limits).T.tolist()
    (low, next_low, *lows), (high, next_high, *highs) = limited
    return Estimate(value, low, high, next_low, next_high, each.tolist(), lows, highs, **counts)


def subtract(minuend: Sample, subtrahend: Sample) -> Sample:
    """Subtract what the same trainings measured from one another."""
    return Sample(
        minuend.values - subtrahend.values, minuend.moved - subtrahend.moved, minuend.texts | subtrahend.texts
    )


def estimate_unpaired(
    minuend: Sample, subtrahend: Sample, groups: Integers | None, limits: tuple[float, float], scale: float
) -> Estimate:
    """Estimate the mean of some trainings less that of others, none of which belong together; see `estimate`."""
    samples = minuend, subtrahend
    count = min(len(sample.values) for sample in samples)
    (value,), shifts, texts, _ = subtract(
        *(
            Sample(sample.values.mean(keepdims=True), sample.moved.mean(0, keepdims=True), sample.texts)
            for sample in samples
        )
    )
    parts = join(shifts, texts, groups)
    spread, range_spread = 0.0, nan
    if count >= FEWEST_TRAININGS:
        variances = [(float(np.var(sample.values, ddof=1)), len(sample.values)) for sample in samples]
        spread = find_student(count) * sqrt(sum(variance / number for variance, number in variances))
        range_spread = find_student(count) * sqrt(sum(variance * (1 + 1 / number) for variance, number in variances))
    low, high, variance = find_bounds(value, parts, scale, spread)
    half = hypot(range_spread, NORMAL * sqrt(variance))
    (low, next_low), (high, next_high) = np.clip([(low, high), (value - half, value + half)], *limits).T.tolist()
    counts = {"texts": int(texts.sum()), "groups": parts.shape[1], "trainings": count, "made": count}
    return Estimate(value, low, high, next_low, next_high, **counts)


def is_clear(bottom: Floats, texts: Flags, groups: Integers | None) -> Flags:
    """Tell in which trainings the sum of `bottom`, (S, N), is clearly above 0: (S,)."""
    joined = join(bottom, texts, groups)
    if joined.shape[1] < 2:
        return np.zeros(len(bottom), bool)
    sums = joined.sum(1)
    return sums > np.maximum(MIN_STANDARD_ERRORS * joined.std(1, ddof=1) * sqrt(joined.shape[1]), 0.0)


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
    value, count, parts = float(np.nanmean(values)), values.shape[1], split_mean(values)
    trainings, spread = len(parts), 0.0
    if trainings >= FEWEST_TRAININGS:
        spread = find_student(trainings) * sqrt(trainings * float(np.var(parts.sum(1), ddof=1)))
    low, high, _ = find_bounds(value, parts, highest, spread)
    counts = {"texts": count, "groups": count, "trainings": trainings, "made": len(each)}
    return Estimate(value, max(low, lowest), min(high, highest), each=each, **counts)


def convert_to_odds(share: Estimate) -> Estimate:
    """Convert a share to share / (1 - share), which grows with it, so that its bounds are those of the share."""
    value, low, high = (each / (1 - each) if each != 1 else inf for each in share[:3])
    return share._replace(value=value, low=low, high=high)


def take_root(effect: Estimate) -> Estimate:
    """Take the square root of an effect that is not below 0, and of its bounds."""
    return effect._replace(value=sqrt(effect.value), low=sqrt(effect.low), high=sqrt(effect.high))
