"""Means over trainings and texts as rows of tables, with the 95 % intervals of the answer (answer/intervals.py)."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd

from attention_audit.answer.intervals import Effect, mean
from attention_audit.tables.arrays import Floats, different, grid

Cell = dict[str, float]
"""The columns mean, sd, low and high of columns.table."""


def by_model(rows: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The rows of each model on each data set, with `dataset` and `row`, the model, as a dictionary."""
    for (dataset, model), part in rows.groupby(["dataset", "model"], sort=False, observed=True):
        yield {"dataset": str(dataset), "row": str(model)}, part


def cube(rows: pd.DataFrame, value: str, by: str) -> dict[str, Floats]:
    """The column `value` by the values of the column `by`, in order of appearance: (S, N) each, NaN where no row is.

    The S seeds are ascending, and the N ids in order of appearance; all arrays have the same.
    """
    seeds, ids = sorted(different(rows, "seed")), different(rows, "id")
    return {str(key): grid(rows[rows[by] == key], value, seeds, ids) for key in different(rows, by)}


def cell(effect: Effect, by_training: Floats) -> Cell:
    """An effect with its interval, and the standard deviation (n - 1; NaN for one) of those of the trainings, (S,)."""
    with np.errstate(invalid="ignore"):
        sd = float(np.std(by_training, ddof=1)) if len(by_training) > 1 else np.nan
    return {"mean": effect.value, "sd": sd, "low": effect.low, "high": effect.high}


def of_trainings(values: Floats) -> Floats:
    """The mean of each training, (S,), from values (S, N) with NaN where there is none; NaN for one without any."""
    with np.errstate(invalid="ignore"):
        found: Floats = np.nansum(values, 1) / np.isfinite(values).sum(1)
    return found


def averaged(values: Floats, most: float = 1.0, least: float = 0.0) -> Cell:
    """The mean of values between `least` and `most`, from (S, N) with NaN where there is none."""
    return cell(mean(values, least, most), of_trainings(values))


def means(
    rows: pd.DataFrame, by: Sequence[str], metrics: Sequence[str], most: float = 1.0, signed: Collection[str] = ()
) -> pd.DataFrame:
    """The mean of each of the columns `metrics` over seeds and texts, with the columns of columns.table that it has.

    One row of a table for each data set and each combination of the columns `by`, which names it, parted by /; another
    metric, `texts`, is their number. NaN marks a text without a value. The values are at most `most`, and at least 0,
    or -`most` where `signed` names the column.
    """
    found: list[dict[str, object]] = []
    for (dataset, *parts), own in rows.groupby(["dataset", *by], sort=False, observed=True):
        seeds, ids = sorted(different(own, "seed")), different(own, "id")
        about = {"dataset": str(dataset), "row": "/".join(map(str, parts)), "seeds": len(seeds)}
        for name in metrics:
            values = grid(own, name, seeds, ids)
            found.append({**about, "metric": name, **averaged(values, most, -most if name in signed else 0.0)})
        found.append({**about, "metric": "texts", "mean": float(len(ids))})
    return pd.DataFrame(found, columns=["dataset", "row", "seeds", "metric", "mean", "sd", "low", "high"])
