"""Bootstrap intervals: how far a statistic depends on which instances and which seeds happened to be tested.

Claims: a difference whose interval contains 0 may be due to the choice of instances and seeds. The intervals are
percentile intervals (Efron & Tibshirani 1993, chapter 13); with several seeds, of the pigeonhole bootstrap (Owen 2007).
Assumes independent instances. With few seeds the intervals are too narrow, since s seeds show only (s - 1) / s of the
variance between seeds; with one seed they show none of it. This module takes any statistic, since it draws the values
themselves; tables.resampling is many times faster where a statistic follows from means.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Statistic = Callable[..., Floats]
"""From one or more samples (..., K), with NaN for missing values, to one value for each row (...)."""

CELLS = 2**22
"""How many values of each sample are drawn at a time, to bound the memory."""


class Interval(NamedTuple):
    """The value of a statistic on the whole sample, and the bounds of its interval."""

    value: float
    low: float
    high: float


def mean(values: Floats) -> Floats:
    """Mean over the last axis without NaN; the mean of zeros and ones is a share."""
    result: Floats = np.nanmean(values, axis=-1)
    return result


def median(values: Floats) -> Floats:
    """Median over the last axis without NaN."""
    result: Floats = np.nanmedian(values, axis=-1)
    return result


def difference(statistic: Statistic) -> Statistic:
    """The difference of a statistic between two samples: its value on the first minus its value on the second."""
    return lambda one, other: statistic(one) - statistic(other)


def resampled(statistic: Statistic, samples: list[Floats], resamples: int, seed: int) -> Floats:
    """The statistic of each of `resamples` draws from samples (S, N): (resamples,)."""
    seeds, instances = samples[0].shape
    of_seeds, of_instances = np.random.default_rng(seed).spawn(2)
    at_once = max(1, CELLS // samples[0].size)
    values = []
    for start in range(0, resamples, at_once):
        draws = min(at_once, resamples - start)
        rows = of_seeds.integers(0, seeds, (draws, seeds, 1))
        columns = of_instances.integers(0, instances, (draws, 1, instances))
        values.append(statistic(*(sample[rows, columns].reshape(draws, -1) for sample in samples)))
    return np.concatenate(values)


def bootstrap(
    statistic: Statistic, *samples: npt.ArrayLike, seed: int, resamples: int = 1000, confidence: float = 0.95
) -> Interval:
    """The bootstrap interval of a statistic of samples.

    A sample has one value for each instance (N,), or for each seed and instance (S, N). A resample draws S seeds and
    then N instances, each with replacement. All seeds share one draw of instances, as they share one test split: what
    makes an instance hard does not average out over seeds. All samples share both draws, so that they are compared in
    pairs. NaN marks an instance without a value, for example because its decision never flips: it can be drawn, and is
    then left out. The statistic takes all drawn values of all seeds together. Where the result is not finite (no value
    at all, or a ratio to 0), the resample does not count. Without any value, the value and both bounds are NaN.

    Raises ValueError where the samples differ in shape.
    """
    values = [np.atleast_2d(np.asarray(sample, dtype=np.float64)) for sample in samples]
    if len({sample.shape for sample in values}) != 1:
        raise ValueError(f"samples differ in shape: {[sample.shape for sample in values]}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = float(statistic(*(sample.reshape(-1) for sample in values)))
        estimates = resampled(statistic, values, resamples, seed)
        tail = (1 - confidence) / 2
        low, high = np.nanquantile(np.where(np.isfinite(estimates), estimates, np.nan), [tail, 1 - tail])
    return Interval(value, float(low), float(high))
