"""Rows of audits as arrays by training and text, which is what the questions of the answer take; and means over both as
rows of tables, with the 95 % intervals of the answer (answer/estimates.py).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, mean
from attention_audit.arrays import Floats, Integers
from attention_audit.contrasts import Subject

Subjects = Sequence[Subject | Mapping[str, Any]]
"""The judged models."""


Frames = Mapping[str, pd.DataFrame]
"""Frames by data set or, of audits, by name."""
Audits = Frames
"""Rows of audits by name; each frame also has the key of the suite as the column `suite`."""


def groups_of(corpus: Frames) -> dict[str, dict[str, str]]:
    """What texts share with others, by data set and id, from the id and group of texts by data set."""
    known = {name: texts.dropna(subset="group") for name, texts in corpus.items()}
    return {name: dict(zip(texts["id"], texts["group"], strict=True)) for name, texts in known.items()}


def clusters(ids: Sequence[str], groups: Mapping[str, str]) -> Integers | None:
    """A number for each text, the same for those that share something, (N,); None where none does."""
    known = [groups.get(id_) for id_ in ids]
    if not any(known):
        return None
    numbers, _ = pd.factorize(pd.Series(known, dtype=object))
    alone = numbers < 0
    numbers[alone] = len(ids) + np.arange(alone.sum())
    return numbers.astype(np.int64)


def of_suite(rows: pd.DataFrame, dataset: str, suite: str) -> pd.DataFrame:
    """The rows of one data set and suite."""
    return rows[(rows["dataset"] == dataset) & (rows["suite"] == suite)]


def of_run(rows: pd.DataFrame, model: str, seed: int | None = None, lambda_: float | None = None) -> pd.DataFrame:
    """The rows of one model; where seed and lambda are given, those of one training. A lambda of NaN is none."""
    rows = rows[rows["model"] == model]
    if seed is not None:
        rows = rows[rows["seed"] == seed]
    return rows if lambda_ is None or isnan(lambda_) else rows[rows["lambda"] == lambda_]


def take_suite(audits: Audits, subject: Subject) -> dict[str, pd.DataFrame]:
    """Take the rows of the data set and suite of a model."""
    return {name: of_suite(rows, subject.dataset, subject.suite) for name, rows in audits.items()}


def list_subjects(subjects: Subjects, audits: Audits) -> Iterator[tuple[Subject, dict[str, pd.DataFrame]]]:
    """List the judged models, with the rows of each audit on each."""
    for subject in map(Subject.model_validate, subjects):
        yield subject, {name: of_run(rows, subject.model) for name, rows in take_suite(audits, subject).items()}


def different(rows: pd.DataFrame, name: str) -> list[Any]:
    """The values of a column that occur, in order of appearance."""
    return list(rows[name].unique())


def grid(
    rows: pd.DataFrame, value: str, seeds: Sequence[Any] | None = None, ids: Sequence[Any] | None = None
) -> Floats:
    """A column by seed and text, (S, N), by default those that occur; NaN where no row is of both."""
    seeds = different(rows, "seed") if seeds is None else seeds
    ids = different(rows, "id") if ids is None else ids
    at_seed, at_id = pd.Index(seeds).get_indexer(rows["seed"]), pd.Index(ids).get_indexer(rows["id"])
    known = (at_seed >= 0) & (at_id >= 0)
    values = np.full((len(seeds), len(ids)), nan)
    values[at_seed[known], at_id[known]] = rows[value].to_numpy(np.float64, na_value=nan)[known]
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


def list_cells(about: Mapping[str, Any], cells: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    """List the cells of a row of a table by metric, each with what it is about, and the number of its trainings where
    `about` has none.
    """
    return [
        {"mean": found.value, "sd": found.spread, "low": found.low, "high": found.high, "seeds": found.trainings}
        | {**about, "metric": metric}
        for metric, found in cells.items()
    ]


def means(
    rows: pd.DataFrame, by: Sequence[str], metrics: Sequence[str], most: float = 1.0, signed: Collection[str] = ()
) -> pd.DataFrame:
    """The mean of each of the columns `metrics` over seeds and texts, with the columns of `TABLE` that it has.

    One row of a table for each data set and each combination of the columns `by`, which names it, parted by /; another
    metric, `texts`, is their number. NaN marks a text without a value. The values are at most `most`, and at least 0,
    or -`most` where `signed` names the column.
    """
    found: list[dict[str, Any]] = []
    for (dataset, *parts), own in rows.groupby(["dataset", *by], sort=False, observed=True):
        seeds = sorted(different(own, "seed"))
        cells = {name: mean(grid(own, name, seeds), -most if name in signed else 0.0, most) for name in metrics}
        about = {"dataset": str(dataset), "row": "/".join(map(str, parts)), "seeds": own["seed"].nunique()}
        found += list_cells(about, cells | {"texts": Estimate(own["id"].nunique())})
    return pd.DataFrame(found, columns=["dataset", "row", "seeds", "metric", "mean", "sd", "low", "high"])
