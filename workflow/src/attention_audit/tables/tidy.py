"""What the tables have in common.

Rows of audits become arrays by training and text, which is what the questions of the answer take. Means over both are
rows of tables, with the 95 % intervals of the answer (answer/estimates.py), the paper's values beside them, and the
declared columns.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate, estimate_mean
from attention_audit.answer.samples import erase
from attention_audit.arrays import Floats, Integers
from attention_audit.columns.tables import OF_ROW, TABLE
from attention_audit.contrasts import EvaluatedModel
from attention_audit.names import display_name

from .published import FACT_KEY, Fact, find_fact, read_published

Subjects = Sequence[EvaluatedModel]
"""The judged models."""
Frames = Mapping[str, pd.DataFrame]
"""Frames by data set or, of audits, by name; those of audits also have the key of the suite as the column `suite`."""


RowValues = dict[str, Any]
"""A row of a table, by column."""


def map_groups(corpus: Frames) -> dict[str, dict[Any, Any]]:
    """Map texts to what they share with others, by data set and id, from the id and group of texts by data set."""
    return {name: texts.dropna(subset="group").set_index("id")["group"].to_dict() for name, texts in corpus.items()}


def number_groups(ids: Sequence[str], groups: Mapping[str, str]) -> Integers | None:
    """Give each text a number, the same for those that share something, (N,); None where none does."""
    keys = [groups.get(id_) for id_ in ids]
    if not any(keys):
        return None
    numbers, _ = pd.factorize(pd.Series(keys, dtype=object))
    alone = numbers < 0
    numbers[alone] = len(ids) + np.arange(alone.sum())
    return numbers.astype(np.int64)


def select_run(rows: pd.DataFrame, model: str, seed: int | None = None, lambda_: float | None = None) -> pd.DataFrame:
    """Select the rows of one model; where seed and lambda are given, those of one training. A lambda of NaN is none."""
    rows = rows[rows["model"] == model]
    if seed is not None:
        rows = rows[rows["seed"] == seed]
    return rows if lambda_ is None or isnan(lambda_) else rows[rows["lambda"] == lambda_]


def select_ranking(rows: pd.DataFrame, ranking: str) -> pd.DataFrame:
    """Select the rows of one ranking."""
    return rows[rows["ranking"] == ranking]


def take_suite(audits: Frames, dataset: str, suite: str) -> dict[str, pd.DataFrame]:
    """Select the rows of one data set and suite of each audit."""
    return {name: rows[(rows["dataset"] == dataset) & (rows["suite"] == suite)] for name, rows in audits.items()}


def split_models(rows: pd.DataFrame, *frames: pd.DataFrame) -> Iterator[tuple[dict[str, str], list[pd.DataFrame]]]:
    """Split rows of audits by data set and model, with both in a dictionary."""
    for dataset, model in rows[["dataset", "model"]].drop_duplicates().itertuples(index=False):
        parts = [select_run(frame[frame["dataset"] == dataset], model) for frame in (rows, *frames)]
        yield {"dataset": dataset, "model": model}, parts


def list_values(rows: pd.DataFrame, name: str) -> list[Any]:
    """List the values of a column that occur, in order of appearance."""
    return list(rows[name].unique())


def make_grid(
    rows: pd.DataFrame, value: str, seeds: Sequence[Any] | None = None, ids: Sequence[Any] | None = None
) -> Floats:
    """Lay a column out by seed and text, (S, N), by default those that occur; NaN where no row is of both."""
    seeds = list_values(rows, "seed") if seeds is None else seeds
    ids = list_values(rows, "id") if ids is None else ids
    # several times faster than a pivot, of which the answers of a run would need a thousand
    wanted = (("seed", seeds), ("id", ids))
    seed, text = (pd.Index(named, dtype=object).get_indexer(rows[name].astype(object)) for name, named in wanted)
    known = (seed >= 0) & (text >= 0)
    grid = np.full((len(seeds), len(ids)), np.nan)
    grid[seed[known], text[known]] = rows[value].to_numpy(np.float64, na_value=np.nan)[known]
    return grid


def make_grids(rows: pd.DataFrame, value: str, by: str) -> dict[str, Floats]:
    """Lay the column `value` out by the values of the column `by`, in order of appearance: (S, N) each, NaN where no
    row is.

    The S seeds are ascending, and the N ids in order of appearance; all arrays have the same.
    """
    seeds, ids = sorted(list_values(rows, "seed")), list_values(rows, "id")
    return {str(key): make_grid(rows[rows[by] == key], value, seeds, ids) for key in list_values(rows, by)}


def make_pair_grids(rows: pd.DataFrame, values: Sequence[str], ids: Sequence[Any]) -> tuple[Integers, list[Floats]]:
    """Find the P pairs of seeds (P, 2) that have rows, and lay columns out by pair and text, (P, N) each."""
    pairs = rows[["seed", "other"]].drop_duplicates().to_numpy(np.int64)
    numbered = rows.assign(seed=rows.groupby(["seed", "other"], sort=False, observed=True).ngroup())
    return pairs, [make_grid(numbered, value, range(len(pairs)), ids) for value in values]


def add_falls(located: pd.DataFrame) -> pd.DataFrame:
    """Add, as `fall`, the mean over the sizes of what the predicted class loses, row by row: `falls` as one number."""
    falls = located.filter(like="falls_").astype(np.float64)
    return located.assign(fall=falls.mean(axis=1, skipna=False))


def estimate_ranks(order: pd.DataFrame, sets: pd.DataFrame) -> Estimate:
    """Estimate `ranks` of one map, from a random order on: from the rows of erasures in its order, and those of
    `ranked_sets` of its model.
    """
    seeds, ids = list_values(order, "seed"), list_values(order, "id")
    orders = (select_ranking(sets, "random"), order, select_ranking(sets, "smallest"))
    random, weighed, smallest = (make_grid(rows, "fraction_removed", seeds, ids) for rows in orders)
    return estimate(erase(random, weighed, smallest))


def list_estimates(about: Mapping[str, Any], cells: Mapping[str, Estimate]) -> list[RowValues]:
    """List the cells of a row of a table by metric, each with what it is about, and the number of its trainings where
    `about` has none.
    """
    return [
        {"mean": cell.value, "sd": cell.spread, "low": cell.low, "high": cell.high, "seeds": cell.trainings}
        | {**about, "metric": metric}
        for metric, cell in cells.items()
    ]


def average_columns(
    rows: pd.DataFrame, by: Sequence[str], metrics: Sequence[str], highest: float = 1.0, signed: Collection[str] = ()
) -> pd.DataFrame:
    """Average each of the columns `metrics` over seeds and texts, with the columns of `TABLE` that the means have.

    One row of a table for each data set and each combination of the columns `by`, which it has too; another metric,
    `texts`, is their number. NaN marks a text without a value. The values are at most `highest`, and at least 0,
    or -`highest` where `signed` names the column.
    """
    lines: list[RowValues] = []
    for (dataset, *parts), group in rows.groupby(["dataset", *by], sort=False, observed=True):
        seeds = sorted(list_values(group, "seed"))
        cells = {
            name: estimate_mean(make_grid(group, name, seeds), -highest if name in signed else 0.0, highest)
            for name in metrics
        }
        about = {"dataset": dataset, **dict(zip(by, parts, strict=True)), "seeds": len(seeds)}
        lines += list_estimates(about, cells | {"texts": Estimate(group["id"].nunique())})
    return pd.DataFrame(lines, columns=["dataset", *by, "seeds", "metric", "mean", "sd", "low", "high"])


def average_seeds(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Average the column `value` by the columns `by`: mean, sd (n - 1; null for one seed) and seeds (their number)."""
    groups = values.groupby(list(by), sort=False, dropna=False)["value"]
    return groups.agg(mean="mean", sd="std", seeds="size").reset_index()


def join_notes(*notes: str) -> str:
    """Join notes that are not empty."""
    return "; ".join(filter(None, notes))


def add_published(rows: pd.DataFrame, table: str, paper: str = "WP2019") -> pd.DataFrame:
    """Add a column for the published value, where the paper's `table` has one, and its note before others."""
    facts = [find_fact(table, row, paper) or Fact(nan, "", nan) for row in rows.to_dict("records")]
    notes = rows.get("note", [""] * len(rows))
    return rows.assign(
        published=[fact.value for fact in facts],
        note=[join_notes(fact.note, note) for fact, note in zip(facts, notes, strict=True)],
    )


def add_first(rows: pd.DataFrame, audit: pd.DataFrame, column: str) -> pd.DataFrame:
    """Add a column of an audit to rows of a table: its first value of each data set and model."""
    values = audit.groupby(["dataset", "model"], observed=True)[column].first()
    return rows.assign(**{column: values.reindex(pd.MultiIndex.from_frame(rows[["dataset", "model"]])).to_numpy()})


def fill_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Take the columns of `TABLE`; those that the rows have not are blank."""
    blank = {name: value for name, value in TABLE.blank.items() if name not in rows}
    return rows.assign(**blank)[TABLE.schema.names]


def list_gaps(reasons: Mapping[str, str], table: str, paper: str = "WP2019") -> pd.DataFrame:
    """Make rows for data sets that were not available: with the paper's values only, or one empty row.

    `reasons` says, by data set, why it was not available. The columns are those of `TABLE`, so that the rows can
    be appended to a table.
    """
    rows: list[RowValues] = []
    for dataset, reason in reasons.items():
        of_paper = (paper, table, display_name(dataset))
        cells = [
            dict(zip(FACT_KEY[3:], key[3:], strict=True), published=fact.value)
            for key, fact in read_published().items()
            if key[:3] == of_paper
        ]
        about = {"dataset": dataset, "note": f"not run: {reason}"}
        rows += [TABLE.blank | cell | about for cell in cells or [{}]]
    return pd.DataFrame(rows, columns=TABLE.schema.names)


def rank_names(names: pd.Series, order: Iterable[str] = ()) -> Integers:
    """Rank names by an order; those that it has not follow, in order of appearance."""
    return pd.Index(dict.fromkeys([*order, *names])).get_indexer(pd.Index(names))


def order_rows(
    rows: pd.DataFrame | Sequence[pd.DataFrame], metrics: Iterable[str] = (), **orders: Iterable[str]
) -> pd.DataFrame:
    """Order rows, of one frame or of several, and give them the columns of `TABLE`: by data set (as they come), then by
    the columns of `orders`, then by what else they are about, by lambda and by metric.

    orders: names by column. Names that an order has not follow, in order of appearance.
    """
    frames = [rows] if isinstance(rows, pd.DataFrame) else rows
    table = pd.concat([*map(fill_columns, frames)], ignore_index=True)
    names = dict.fromkeys(["dataset", *orders, *OF_ROW])
    ranks = [rank_names(table[name], orders.get(name, ())) for name in names]
    keys: list[Any] = [*ranks, table["lambda"].astype(float), rank_names(table["metric"], metrics)]
    return table.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)
