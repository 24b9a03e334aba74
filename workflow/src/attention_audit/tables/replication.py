"""Published numbers beside this run's: the difference, and whether chance alone could make it.

A published number nearly always comes from one training. So it is compared with the interval in which one more training
of ours would lie with a probability of 95 %. With n seeds of mean m and standard deviation s, this is

    m +- t s sqrt(1 + 1/n),    t = 0.975 quantile of Student's t with n - 1 degrees of freedom

(the prediction interval of one more normal value). Where the published number is known to be of another test split,
the texts of both are a chance too: with v the variance of one text's part in the number, and N and M texts, the
half-width is

    sqrt(t^2 s^2 (1 + 1/n) + 1.96^2 v (1/N + 1/M))

`agreement` is compatible where this interval contains the published number, or any number that rounds to it: a
difference was not shown, which a wide interval makes easy. With one seed, and where the data are not the paper's, it
is unknown. A property of the data does not depend on chance: there, compatible means that our number rounds to the
published one.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isnan, nan, sqrt
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from attention_audit.columns.tables import OF_ROW, REPLICATION
from attention_audit.names import display_name

from .datasets import Records, name_rebuilt
from .papers import ALL_ENCODERS, FLIP_CASES, has_encoder
from .published import Fact, find_fact, read_published
from .tidy import Frames, RowValues, join_notes

SIZES_TABLE = "wp_table1_datasets"
"""The table that has the sizes of our test splits."""
SOURCES: Mapping[Any, str] = pd.read_csv(Path(__file__).with_suffix(".csv"), index_col=["paper", "number"])[
    "table"
].to_dict()
"""The table of this package with the counterparts of each published table."""
TOLERANCE = 1e-9
"""The tolerance when decimals are compared in floating point."""
COMPATIBLE, NOT_COMPATIBLE, UNDECIDED = "compatible", "not compatible", "unknown"
AT_LEAST = "the paper gives a lower bound"
"""The note of a published number that is one."""


def find_half_width(sd: float, seeds: int, of_texts: float = 0.0, freedom: int | None = None) -> float:
    """Find half the width of the interval that contains 95 % of single trainings; NaN with fewer than two seeds.

    of_texts: the variance that other test texts add. freedom: degrees of freedom of `sd`, if it is not of these seeds
    alone.
    """
    if seeds < 2 or isnan(sd):
        return nan
    quantile = stats.t.ppf(0.975, freedom or seeds - 1)
    return sqrt(quantile**2 * sd**2 * (1 + 1 / seeds) + stats.norm.ppf(0.975) ** 2 * of_texts)


def estimate_f1_variance(f1: float, accuracy: float) -> float:
    """Estimate N times the variance of F1 over N test texts, by the delta method; NaN where the accuracy is.

    With t the share of true positives and e that of errors, F1 = 2t / (2t + e), and (t, e) are multinomial.
    """
    if f1 in (0.0, 1.0):
        return 0.0
    error = 1 - accuracy
    true = f1 * error / (2 * (1 - f1))
    by_true, by_error = 2 * error / (2 * true + error) ** 2, -2 * true / (2 * true + error) ** 2
    squares = by_true**2 * true * (1 - true) + by_error**2 * error * (1 - error)
    return squares - 2 * by_true * by_error * true * error


def estimate_text_variance(metric: str, value: float, accuracy: float) -> float:
    """Estimate N times the variance of a number over N test texts; NaN for metrics of which it cannot be told from a
    table.

    accuracy: that of the same model, which F1 needs.
    """
    if metric == "accuracy":
        return value * (1 - value)
    if metric in FLIP_CASES:
        return value * (100 - value)
    return estimate_f1_variance(value, accuracy) if metric == "f1" else nan


def judge_agreement(fact: Fact, ours: float, seeds: int, low: float, high: float) -> str:
    """Judge if the published number could be one of ours. low, high: where single trainings lie, NaN if unknown."""
    if seeds == 0:
        low = high = ours
    if isnan(low):
        return UNDECIDED
    reach = fact.rounding + TOLERANCE
    return COMPATIBLE if low - reach <= fact.value <= high + reach else NOT_COMPATIBLE


def compare(
    fact: Fact, cell: Mapping[Any, Any], remarks: Sequence[str], per_text: float, texts: float, same_data: bool
) -> RowValues:
    """Make one row of `REPLICATION`, but for the paper and table: a number beside its counterpart, a row of `TABLE`.

    per_text: `estimate_text_variance`, over `texts` texts of our test split. same_data: whether the data are
    the paper's.
    """
    ours, sd, low, high = (cell[name] for name in ("mean", "sd", "low", "high"))
    seeds, at_least = cell["seeds"], fact.note == "at least"
    if isnan(low) and seeds > 1:
        spread = stats.t.ppf(0.975, seeds - 1) * sd / sqrt(seeds)
        low, high = ours - spread, ours + spread
    other_texts = fact.test_texts is not None and seeds > 0
    reach = find_half_width(sd, seeds, per_text * (1 / texts + 1 / (fact.test_texts or inf)) if other_texts else 0.0)
    # our number may be any distance above a lower bound
    lowest = ours - reach - (inf if at_least else 0.0)
    return {
        **{name: cell[name] for name in ("dataset", *OF_ROW, "metric")},
        "published": fact.value,
        "ours": ours,
        "low": low,
        "high": high,
        "seeds": seeds,
        "difference": ours - fact.value,
        "one_low": ours - reach,
        "one_high": ours + reach,
        "half_width": reach,
        "chance": "" if isnan(reach) else "seeds and texts" if other_texts else "seeds",
        "agreement": judge_agreement(fact, ours, seeds, lowest, ours + reach) if same_data or not seeds else UNDECIDED,
        "note": join_notes(
            "" if at_least else fact.note,
            f"the paper's {fact.test_texts} test texts are drawn otherwise than ours" if other_texts else "",
            AT_LEAST if at_least else "",
            *remarks,
            f"our epoch selected on {cell['selection']}" if cell["selection"] else "",
        ),
    }


def list_counterparts(table: pd.DataFrame, paper: str, number: str) -> Iterator[tuple[Fact, Mapping[Any, Any]]]:
    """List the paper's numbers that correspond to rows of one of our tables, each with the row.

    Numbers that the paper gives for all models with an encoder are compared only on the paper's own data sets.
    """
    datasets = {key[2] for key in read_published() if key[0] == paper}
    for cell in table[table["mean"].notna()].to_dict("records"):
        if fact := find_fact(number, cell, paper):
            yield fact, cell
        overall = {**cell, "dataset": "all", "model": ALL_ENCODERS}
        is_shared = display_name(cell["dataset"]) in datasets and has_encoder(cell["model"])
        if is_shared and (fact := find_fact(number, overall, paper)):
            yield fact, cell


def read_means(table: pd.DataFrame, metric: str, by: str) -> pd.Series:
    """Take the means of a metric by data set and another column."""
    return table[table["metric"] == metric].set_index(["dataset", by])["mean"].astype(float)


def replication(
    tables: Frames,
    records: Records,
    of_data: Mapping[str, list[str]],
    of_models: Mapping[str, Mapping[str, list[str]]],
) -> pd.DataFrame:
    """List every published number with a counterpart in `tables`, with the columns of `REPLICATION`.

    `tables`: the tables of this run, by the names in SOURCES. `records`: of fetched files, by data set. `of_data`:
    remarks that a reader needs, such as a subset of the texts, by data set. `of_models`: remarks on the models, such as
    other word vectors, by data set and by the key of the suite, with which the names of its tables begin, or by the
    name of a single model.
    """
    rows = []
    has_sizes = SIZES_TABLE in tables
    sizes = read_means(tables[SIZES_TABLE], "instances", "part") if has_sizes else pd.Series(dtype=float)
    for (paper, number), name in SOURCES.items():
        if name not in tables:
            continue
        accuracies = read_means(tables[name], "accuracy", "model")
        for fact, cell in list_counterparts(tables[name], paper, number):
            dataset, model = cell["dataset"], cell["model"]
            about = (name.partition("_")[0], model) if cell["seeds"] else ()
            trained = [remark for each in about for remark in of_models.get(dataset, {}).get(each, [])]
            data = [*filter(None, [name_rebuilt(records, dataset)]), *of_data.get(dataset, [])]
            per_text = estimate_text_variance(cell["metric"], cell["mean"], accuracies.get((dataset, model), nan))
            comparison = compare(fact, cell, [*data, *trained], per_text, sizes.get((dataset, "test"), nan), not data)
            rows.append({"paper": paper, "table": number, **comparison})
    return pd.DataFrame(rows, columns=REPLICATION.schema.names)
