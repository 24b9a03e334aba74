"""The percentile interval of the pigeonhole bootstrap, for statistics that are no quotient of sums: medians.

How far such a statistic depends on which texts and which trainings happened to be tested: the percentile interval
(Efron & Tibshirani 1993, chapter 13) of draws of trainings and of texts (Owen 2007, the pigeonhole bootstrap). Assumes
independent texts. Its limit: with few trainings it is too narrow, since S trainings show only (S - 1) / S of the
variance between trainings; with one it shows none of it. So means, shares and their ratios have the intervals of
`intervals`, which hold their level there.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Statistic = Callable[..., Floats]
"""From one or more samples (..., K), with NaN for missing values, to one value for each row (...)."""

SEED = 0
TAILS = (0.025, 0.975)
CELLS = 2**22
"""How many values of each sample are drawn at a time, to bound the memory."""


class Interval(NamedTuple):
    """The value of a statistic on the whole sample, and the bounds of its interval."""

    value: float
    low: float
    high: float


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


def bootstrap(statistic: Statistic, *samples: npt.ArrayLike, resamples: int, seed: int = SEED) -> Interval:
    """The 95 % interval of a statistic of samples.

    A sample has one value for each text (N,), or for each training and text (S, N). A resample draws S trainings and
    then N texts, each with replacement. All trainings share one draw of texts, as they share one test split: what
    makes a text hard does not average out over trainings. All samples share both draws, so that they are compared in
    pairs. NaN marks a text without a value, for example because its decision never flips: it can be drawn, and is
    then left out. The statistic takes all drawn values of all trainings together. Where the result is not finite (no
    value at all, or a ratio to 0), the resample does not count. Without any value, the value and both bounds are NaN.

    Raises ValueError where the samples differ in shape.
    """
    values = [np.atleast_2d(np.asarray(sample, dtype=np.float64)) for sample in samples]
    if len({sample.shape for sample in values}) != 1:
        raise ValueError(f"samples differ in shape: {[sample.shape for sample in values]}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = float(statistic(*(sample.reshape(-1) for sample in values)))
        estimates = resampled(statistic, values, resamples, seed)
        low, high = np.nanquantile(np.where(np.isfinite(estimates), estimates, np.nan), TAILS)
    return Interval(value, float(low), float(high))
