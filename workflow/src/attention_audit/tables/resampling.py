"""Bootstrap intervals of many means at once, and of statistics that follow from means, such as shares and their ratios.

Seeds and instances are drawn with the same probabilities as in audits.bootstrap, but a resample is a vector of weights:
all means of a model cost one matrix product, and all use the same draws. Weights do not give the drawn values, which
medians need; for these there is audits.bootstrap.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats], Floats]

SEED = 0
TAILS = (0.025, 0.975)
CELLS = 2**22
"""How many weights are drawn at a time, to bound the memory."""


class Estimate(NamedTuple):
    """Statistics of the whole sample, their sd over seeds (n - 1; NaN for one seed), and their intervals' bounds."""

    mean: Floats
    sd: Floats
    low: Floats
    high: Floats


def by_model(rows: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The rows of each model on each data set, with `dataset` and `model` as a dictionary."""
    for (dataset, model), part in rows.groupby(["dataset", "model"], sort=False, observed=True):
        yield {"dataset": str(dataset), "model": str(model)}, part


def cube(rows: pd.DataFrame, value: str, by: Sequence[str]) -> tuple[pd.DataFrame, Floats]:
    """The K combinations of the columns `by` that occur, and the column `value` as an array (S, N, K).

    Combinations and the N ids are in order of appearance, the S seeds ascending. NaN where there is no row.
    """
    seeds, instances = pd.factorize(rows["seed"], sort=True)[0], pd.factorize(rows["id"])[0]
    combinations = rows[list(by)].drop_duplicates(ignore_index=True)
    numbers = rows.groupby(list(by), sort=False, observed=True).ngroup().to_numpy()
    values = np.full((seeds.max() + 1, instances.max() + 1, len(combinations)), np.nan)
    values[seeds, instances, numbers] = rows[value]
    return combinations, values


def resampled_means(values: Floats, resamples: int) -> Floats:
    """Means over seeds and instances of each resample: (S, N, V) -> (resamples, V)."""
    seeds, instances, _ = values.shape
    of_seeds, of_instances = np.random.default_rng(SEED).spawn(2)
    by_instance = values.transpose(1, 0, 2).reshape(instances, -1)
    at_once = max(1, CELLS // instances)
    means = []
    for start in range(0, resamples, at_once):
        draws = min(at_once, resamples - start)
        drawn = of_instances.integers(0, instances, (draws, instances)) + instances * np.arange(draws)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)
        seed_weights = of_seeds.multinomial(seeds, np.full(seeds, 1 / seeds), draws)
        sums = (weights @ by_instance).reshape(draws, seeds, -1)
        means.append(np.einsum("ds,dsv->dv", seed_weights, sums) / (seeds * instances))
    return np.concatenate(means)


def same(means: Floats) -> Floats:
    """The means themselves, for `estimate` where nothing is computed from them."""
    return means


def estimate(values: Floats, resamples: int, statistic: Statistic = same) -> Estimate:
    """Statistics of the means of values (S, N, V), with 95 % percentile intervals over instances and seeds.

    `statistic` computes R statistics (..., R) from means (..., V). A resample in which a statistic is not defined (0/0)
    does not count for that statistic; a ratio to 0 is infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        by_seed = statistic(values.mean(1))
        # quantiles without interpolation, which is not defined between infinite values
        low, high = np.nanquantile(statistic(resampled_means(values, resamples)), TAILS, axis=0, method="inverted_cdf")
        return Estimate(statistic(values.mean((0, 1))), np.std(by_seed, 0, ddof=1), low, high)


def long(keys: pd.DataFrame, metrics: Sequence[str], estimated: Estimate) -> pd.DataFrame:
    """An estimate of K x M statistics as rows: the columns of `keys` (K rows), metric, mean, sd, low, high."""
    rows = keys.loc[keys.index.repeat(len(metrics))].reset_index(drop=True)
    return rows.assign(metric=list(metrics) * len(keys), **estimated._asdict())
