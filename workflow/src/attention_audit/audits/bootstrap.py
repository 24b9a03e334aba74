"""Bootstrap intervals: how much a statistic owes to the instances, and to the seeds, that happened to be tested.

Claims: a difference whose interval holds 0 may be due to the choice of instances and seeds. Percentile intervals
(Efron & Tibshirani 1993, chapter 13); with several seeds, of the pigeonhole bootstrap (Owen 2007). Assumes independent
instances. Too narrow with few seeds, since s of them show only (s - 1) / s of the variance between seeds; with one seed
it says nothing of them. Takes any statistic, since it draws the values themselves; tables.resampling is many times
faster where all that is asked follows from means.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Statistic = Callable[..., Floats]
"""One or more samples (..., K), NaN where a value is missing, to one value for each row (...)."""

CELLS = 2**22
"""Values of each sample that are drawn at a time."""


class Interval(NamedTuple):
    """A statistic of all values, and the bounds of its interval."""

    value: float
    low: float
    high: float


def mean(values: Floats) -> Floats:
    """Mean over the last axis, NaN left out; of zeros and ones, a share."""
    result: Floats = np.nanmean(values, axis=-1)
    return result


def median(values: Floats) -> Floats:
    """Median over the last axis, NaN left out."""
    result: Floats = np.nanmedian(values, axis=-1)
    return result


def difference(statistic: Statistic) -> Statistic:
    """A statistic of one sample less the same of another."""
    return lambda one, other: statistic(one) - statistic(other)


def resampled(statistic: Statistic, samples: list[Floats], resamples: int, seed: int) -> Floats:
    """The statistic of `resamples` draws from samples (S, N), (resamples,)."""
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
    """A statistic of samples that hold one value for each instance (N,), or for each seed and instance (S, N).

    A resample draws S seeds and then N instances, each with replacement. All seeds share one draw of instances, as they
    share one test split: what makes an instance hard does not average out over seeds. All samples share both draws, so
    they are compared in pairs. NaN marks an instance that a sample lacks, say since its decision never flips: it is
    drawn, then left out. The statistic is of all values drawn, seeds together; where it is not finite (no value at all,
    a ratio to 0) the resample does not count. Without any value all three are NaN.

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
