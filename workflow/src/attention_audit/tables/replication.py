"""Published numbers beside this run's: the difference, and whether the choice of seeds explains it.

A published number nearly always comes from one training. So it is compared with the interval in which one more training
of ours would lie with a probability of 95 %. With n seeds of mean m and standard deviation s, this is

    m +- t s sqrt(1 + 1/n),    t = 0.975 quantile of Student's t with n - 1 degrees of freedom

(the prediction interval of one more normal value). `within_seeds` is yes where this interval contains the published
number, or any number that rounds to it. With one seed it is unknown. A property of the data does not depend on seeds:
there, yes means that our number rounds to the published one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, isnan, nan, sqrt
from typing import Any

import pandas as pd
from scipy import stats

from attention_audit.columns.replication import REPLICATION
from attention_audit.names import display_name
from attention_audit.tables.datasets import Records, rebuilt
from attention_audit.tables.erasure import has_encoder
from attention_audit.tables.published import Fact, facts

SOURCES = {
    ("WP2019", "Table 1"): "wp_table1_datasets",
    ("WP2019", "Table 2"): "wp_table2_uniform",
    ("JW2019", "quoted in WP2019 Table 2"): "wp_table2_uniform",
    ("WP2019", "Table 3"): "wp_table3_guides",
    ("SS2019", "Table 1"): "ss_table1_datasets",
    ("SS2019", "Table 2"): "ss_table2_flips",
    ("SS2019", "Table 3"): "ss_table3_accuracy",
    ("SS2019", "Section 5.4"): "ss_table_pairwise",
    ("JW2019", "Table 1"): "jw_table1_performance",
    ("JW2019", "Table 2"): "jw_table2_correlation",
}
"""The table of this package with the counterparts of each published table."""
ENCODERS = "encoders/"
"""The beginning of rows whose number the paper gives for all models with an encoder together."""
TOLERANCE = 1e-9
"""The tolerance when decimals are compared in floating point."""


def single_trainings(mean: float, sd: float, seeds: int) -> tuple[float, float]:
    """The interval that contains 95 % of single trainings; NaN with fewer than two seeds."""
    if seeds < 2 or isnan(sd):
        return nan, nan
    reach = float(stats.t.ppf(0.975, seeds - 1)) * sd * sqrt(1 + 1 / seeds)
    return mean - reach, mean + reach


def of_mean(mean: float, sd: float, seeds: int) -> tuple[float, float]:
    """The 95 % interval of a mean over seeds; NaN with fewer than two seeds."""
    if seeds < 2 or isnan(sd):
        return nan, nan
    reach = float(stats.t.ppf(0.975, seeds - 1)) * sd / sqrt(seeds)
    return mean - reach, mean + reach


def within(fact: Fact, ours: float, seeds: int, low: float, high: float) -> str:
    """Whether seeds explain the difference: yes, no, or unknown. low, high: the interval of single trainings."""
    if seeds == 0:
        low = high = ours
    if isnan(low):
        return "unknown"
    reach = fact.rounding + TOLERANCE
    return "yes" if low - reach <= fact.value <= high + reach else "no"


def compared(key: tuple[str, ...], fact: Fact, cell: Mapping[Any, Any], remarks: list[str]) -> dict[str, Any]:
    """One row of columns.replication: a published number beside its counterpart, a row of columns.table."""
    paper, table, *_ = key
    ours, sd, seeds = float(cell["mean"]), float(cell["sd"]), int(cell["seeds"])
    low, high = float(cell["low"]), float(cell["high"])
    if isnan(low):
        low, high = of_mean(ours, sd, seeds)
    one_low, one_high = single_trainings(ours, sd, seeds)
    at_least = fact.note == "at least"
    if at_least:
        remarks = ["the paper gives a lower bound", *remarks]
    if cell["selection"]:
        remarks = [*remarks, f"our epoch selected on {cell['selection']}"]
    return {
        "paper": paper,
        "table": table,
        "dataset": cell["dataset"],
        "row": cell["row"],
        "metric": cell["metric"],
        "published": fact.value,
        "ours": ours,
        "low": low,
        "high": high,
        "seeds": seeds,
        "difference": ours - fact.value,
        "one_low": one_low,
        "one_high": one_high,
        # our number may be any distance above a lower bound
        "within_seeds": within(fact, ours, seeds, one_low - inf if at_least else one_low, one_high),
        "note": "; ".join(filter(None, ["" if at_least else fact.note, *remarks])),
    }


def counterparts(table: pd.DataFrame, paper: str) -> Iterator[tuple[str, str, str, Mapping[Any, Any]]]:
    """For each row of one of our tables: the paper's data set, row and metric that correspond to it, and the row.

    Numbers that the paper gives for all models with an encoder are compared only on the paper's own data sets.
    """
    own = {key[2] for key in facts() if key[0] == paper}
    for cell in table[table["mean"].notna()].to_dict("records"):
        dataset, row, metric = display_name(str(cell["dataset"])), str(cell["row"]), str(cell["metric"])
        yield dataset, row, metric, cell
        model, _, rest = row.partition("/")
        if rest and dataset in own and has_encoder(model):
            yield "all", f"{ENCODERS}{rest}", metric, cell


def replication(
    tables: Mapping[str, pd.DataFrame],
    records: Mapping[str, Records],
    of_data: Mapping[str, list[str]],
    of_models: Mapping[str, Mapping[str, list[str]]],
) -> pd.DataFrame:
    """Every published number with a counterpart in `tables`, with the columns of columns.replication.

    `tables`: the tables of this run, by the names in SOURCES. `records`: of fetched files, by data set. `of_data`:
    remarks that a reader needs, such as a subset of the texts, by data set. `of_models`: remarks on the models, such as
    other word vectors, by data set and key of the suite; the names of a suite's tables begin with its key.
    """
    rows = []
    known = facts()
    for (paper, number), name in SOURCES.items():
        for dataset, row, metric, cell in counterparts(tables[name], paper) if name in tables else ():
            key = (paper, number, dataset, row, metric)
            if key in known:
                own = str(cell["dataset"])
                trained = of_models.get(own, {}).get(name.partition("_")[0], []) if cell["seeds"] else []
                files = filter(None, [rebuilt(records.get(own, []))])
                remarks = [*files, *of_data.get(own, []), *trained]
                rows.append(compared(key, known[key], cell, remarks))
    return pd.DataFrame(rows, columns=REPLICATION.schema.names)
