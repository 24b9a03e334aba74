"""Rows of audits as arrays by training and text, which is what the questions of the answer take."""

from collections.abc import Sequence
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Audits(NamedTuple):
    """Rows of the audits of these names; each frame also has the key of the suite as the column `suite`."""

    predictions: pd.DataFrame
    stability: pd.DataFrame
    permutation: pd.DataFrame
    ranked_sets: pd.DataFrame
    located: pd.DataFrame
    contributions: pd.DataFrame
    comparison: pd.DataFrame
    consistency: pd.DataFrame
    plausibility: pd.DataFrame

    def of(self, dataset: str, suite: str) -> "Audits":
        """The rows of one data set and suite."""
        return Audits(*(frame[(frame["dataset"] == dataset) & (frame["suite"] == suite)] for frame in self))


def of_run(rows: pd.DataFrame, model: str, seed: int | None = None, lambda_: float | None = None) -> pd.DataFrame:
    """The rows of one model; where seed and lambda are given, those of one training. A lambda of NaN is none."""
    rows = rows[rows["model"] == model]
    if seed is not None:
        rows = rows[rows["seed"] == seed]
    return rows if lambda_ is None or isnan(lambda_) else rows[rows["lambda"] == lambda_]


def different(rows: pd.DataFrame, name: str) -> list[Any]:
    """The values of a column that occur, in order of appearance."""
    return list(rows[name].unique())


def grid(
    rows: pd.DataFrame, value: str, seeds: Sequence[Any] | None = None, ids: Sequence[Any] | None = None
) -> Floats:
    """A column by seed and text, (S, N), by default those that occur; NaN where there is no row of both."""
    seeds = different(rows, "seed") if seeds is None else seeds
    ids = different(rows, "id") if ids is None else ids
    at_seed, at_id = (pd.Index(keys).get_indexer(rows[name]) for name, keys in (("seed", seeds), ("id", ids)))
    known = (at_seed >= 0) & (at_id >= 0)
    values = np.full((len(seeds), len(ids)), nan)
    values[at_seed[known], at_id[known]] = rows[value].to_numpy(np.float64, na_value=nan)[known]
    return values


def by_text(rows: pd.DataFrame, name: str, ids: Sequence[Any]) -> Floats:
    """A column of one training, text by text, (N,); NaN where a text has no row."""
    values: Floats = grid(rows, name, different(rows, "seed")[:1] or [0], ids)[0]
    return values


def by_pair(rows: pd.DataFrame, values: Sequence[str], ids: Sequence[Any]) -> tuple[Integers, list[Floats]]:
    """The P pairs of seeds (P, 2) that have rows, and columns by pair and text, (P, N) each."""
    pairs = rows[["seed", "other"]].drop_duplicates().to_numpy(np.int64)
    numbered = rows.assign(seed=rows.groupby(["seed", "other"], sort=False, observed=True).ngroup())
    return pairs, [grid(numbered, value, range(len(pairs)), ids) for value in values]


def curve(located: pd.DataFrame) -> Floats:
    """The mean over the sizes of what the predicted class loses, row by row: the list `falls` as one number."""
    steps = [name for name in located.columns if name.startswith("falls_")]
    return located[steps].to_numpy(np.float64).mean(1) if steps else np.full(len(located), nan)


def of_ranking(rows: pd.DataFrame, ranking: str) -> pd.DataFrame:
    """The rows of one ranking."""
    return rows[rows["ranking"] == ranking]


def by_ranking(
    rows: pd.DataFrame, value: str, rankings: Sequence[str], ids: Sequence[Any] | None = None
) -> list[Floats]:
    """A column of some rankings by seed and text, (S, N) each, of all seeds and texts that occur, or of `ids`."""
    seeds, ids = different(rows, "seed"), different(rows, "id") if ids is None else ids
    return [grid(of_ranking(rows, ranking), value, seeds, ids) for ranking in rankings]
