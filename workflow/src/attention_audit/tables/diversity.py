"""Do states that differ make maps readable? Mohankumar et al. 2020's models beside their twins, whose states are alike.

A model's twin is the vanilla LSTM that reads in as many directions. Both are compared on the same texts.
"""

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate
from attention_audit.answer.samples import average, erase
from attention_audit.names import Names
from attention_audit.tables.arrays import Cell, Floats, cube, means, of_ranking
from attention_audit.tables.published import published
from attention_audit.tables.tidy import as_table, beside_paper

PAPER, TABLE2 = "MD2020", "Table 2"
RERUNS = ("Table 2, rerun", "Table 2, second rerun")
BY_TEXT = ("accuracy", "conicity", "magnitude", "permutation_tvd", "tau_loo")
METRICS = (*BY_TEXT, "used", "ranks", "fraction_removed", "texts")
SIGNED = ("conicity", "magnitude", "tau_gradient", "tau_loo")
"""What may be below 0."""


def twin(model: str) -> str | None:
    """The vanilla LSTM that reads in as many directions; None for a vanilla one."""
    kind, _, recurrence = model.partition("_")
    return None if kind == "vanilla" else f"vanilla_{recurrence}"


def of_dataset(frame: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """The rows of one data set."""
    return frame[frame["dataset"] == dataset]


def correct(predictions: pd.DataFrame) -> pd.DataFrame:
    """The rows of `predictions` with what is right as a number, `accuracy`."""
    right = predictions["label"].to_numpy() == predictions["prediction"].to_numpy()
    return predictions.assign(accuracy=right.astype(np.float64))


def between(correlation: pd.DataFrame, other: str) -> pd.DataFrame:
    """The rows of the correlation of attention with another attribution, with tau as `tau_<other>`."""
    return correlation[correlation["pair"] == f"attention~{other}"].rename(columns={"tau": f"tau_{other}"})


def effects(permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names) -> dict[tuple[str, str], Estimate]:
    """Estimate `used` and `ranks` (from a random order on) by question and model, from the rows of one data set."""
    moved = cube(permutation, "mean_tvd", "model")
    found = {("used", model): estimate(average(moved[model])) for model in models.ordered(moved)}
    random, attention, smallest = (
        cube(of_ranking(ranked_sets, name), "fraction_removed", "model") for name in ("random", "attention", "smallest")
    )
    return found | {
        ("ranks", model): estimate(erase(random[model], attention[model], smallest[model]))
        for model in models.ordered(random)
    }


def take_median(removed: Floats, resamples: int) -> Cell:
    """Take the median over texts of the share of items that goes before the decision flips, from (S, N).

    Of each text the mean over trainings counts; where the decision never flips (NaN), all items go. The interval is the
    percentile interval over texts (Efron & Tibshirani 1993, chapter 13).
    """
    shares = np.where(np.isfinite(removed), removed, 1.0).mean(0)
    drawn = np.random.default_rng(0).choice(shares, (resamples, len(shares)))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975))
    return {"mean": float(np.median(shares)), "low": float(low), "high": float(high)}


def reruns(dataset: str, model: str) -> str:
    """What the reruns of the paper have of a model, in words; "" where they have nothing."""
    said = []
    for number, table in enumerate(RERUNS, start=1):
        facts = [published(table, dataset, model, metric, PAPER) for metric in ("accuracy", "magnitude")]
        values = [f"{fact.value:g}" for fact in facts if fact]
        if values:
            said.append(f"rerun {number}: accuracy and conicity {' and '.join(values)}")
    return "; ".join(said)


def md_table_diversity(
    performance: pd.DataFrame,
    predictions: pd.DataFrame,
    conicity: pd.DataFrame,
    permutation: pd.DataFrame,
    correlation: pd.DataFrame,
    ranked_sets: pd.DataFrame,
    resamples: int,
    models: Names,
) -> pd.DataFrame:
    """Accuracy and conicity of each model, and what they do to its map: permutation, leave-one-out, `used`,
    `ranks`, and how many items go by attention until the decision flips.

    Means over texts and seeds with the intervals of the answer; `used` and `ranks` are those of the summary; of the
    share of items that go, the median, as in the paper's figure 3. The frames
    hold rows of these audits, of any number of data sets; of pairs there are no rows of ranked_sets. The columns are
    those of `TABLE`. What stands beside `accuracy` and `magnitude` is the paper's table 2; notes have its reruns.
    """
    models.refuse_unknown(performance["model"].unique())
    sources = {
        "accuracy": correct(predictions),
        "conicity": conicity,
        "magnitude": conicity,
        "permutation_tvd": permutation.assign(permutation_tvd=permutation["median_tvd"]),
        "tau_loo": between(correlation, "loo"),
    }
    found = pd.concat(means(rows, ["model"], [name], signed=SIGNED) for name, rows in sources.items())
    runs = performance.groupby(["dataset", "model"], sort=False, observed=True)["selection"].first()
    texts = found[found["metric"] == "texts"].groupby("dataset")["mean"].max()
    seeds = performance.groupby("dataset", observed=True)["seed"].nunique()
    cells = [{"dataset": dataset, "row": row, "metric": "texts", "mean": texts[dataset]} for dataset, row in runs.index]
    for dataset in map(str, performance["dataset"].unique()):
        erased = of_dataset(ranked_sets, dataset)
        removed = cube(of_ranking(erased, "attention"), "fraction_removed", "model")
        cells += [
            {"dataset": dataset, "row": model, "metric": "fraction_removed"} | take_median(removed[model], resamples)
            for model in models.ordered(removed)
        ]
        asked = effects(of_dataset(permutation, dataset), erased, models)
        cells += [
            {"dataset": dataset, "row": model, "metric": name, "mean": one.value, "low": one.low, "high": one.high}
            for (name, model), one in asked.items()
        ]
    rows = pd.concat([pd.DataFrame(cells), found[found["metric"] != "texts"]], ignore_index=True)
    rows["seeds"] = rows["dataset"].map(seeds)
    rows["selection"] = [runs.get(key, "") for key in zip(rows["dataset"], rows["row"], strict=True)]
    rows = beside_paper(rows, TABLE2, PAPER)
    first = rows["metric"] == "accuracy"
    named = rows.loc[first, ["dataset", "row"]].itertuples(index=False)
    rows.loc[first, "note"] = [reruns(dataset, model) for dataset, model in named]
    return as_table(rows, list(models), METRICS)
