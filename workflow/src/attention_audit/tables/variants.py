"""Tables of papers that train models otherwise.

Mohankumar et al. 2020: do states that differ make maps readable? A model's twin is the vanilla LSTM that reads in as
many directions. Pruthi et al. 2020: models that hide words by their attention, beside honest ones. Recursive ROAR
(Madsen et al. 2022): does accuracy fall faster where the words go that an order puts first? Models of this suite are
named <order>_<percent of the words that are masked>, and `base`, in which none is.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate, estimate_mean
from attention_audit.answer.samples import average_texts, take_share
from attention_audit.arrays import Floats
from attention_audit.names import RANKINGS, Names

from .published import RERUN, find_fact
from .tidy import (
    RowValues,
    add_first,
    add_published,
    average_columns,
    average_seeds,
    estimate_ranks,
    join_notes,
    list_estimates,
    make_grid,
    make_grids,
    order_rows,
    select_ranking,
    split_models,
)

RERUNS = ("Table 2, rerun", "Table 2, second rerun")
DIVERSITY = (
    "accuracy", "conicity", "magnitude", "permutation_tvd", "tau_loo", "used", "ranks", "fraction_removed", "texts"
)  # fmt: skip
DECEPTION = ("accuracy_percent", "mass_percent", "uniform_percent", "deleted_percent")
"""accuracy; attention on the impermissible words, and that of uniform weights; accuracy of the same model when these
words are deleted from its input; all in percent of the texts, or of the attention."""
ANONYMISED = "trained and tested without the impermissible words"

Curve = dict[int, Floats]
"""Whether predictions are right, (S, N), by the percent of the words that are masked, ascending from 0."""


def find_twin(model: str) -> str | None:
    """Name the vanilla LSTM that reads in as many directions; None for a vanilla one."""
    kind, _, recurrence = model.partition("_")
    return None if kind == "vanilla" else f"vanilla_{recurrence}"


def mark_right(predictions: pd.DataFrame) -> pd.DataFrame:
    """Add what is right to the rows of `predictions` as a number, `accuracy`."""
    right = predictions["label"].to_numpy() == predictions["prediction"].to_numpy()
    return predictions.assign(accuracy=right.astype(np.float64))


def take_median_share(removed: Floats, resamples: int) -> Estimate:
    """Take the median over texts of the share of items that goes before the decision flips, from (S, N).

    Of each text the mean over trainings counts; where the decision never flips (NaN), all items go. The interval is the
    percentile interval over texts (Efron & Tibshirani 1993, chapter 13).
    """
    shares = np.where(np.isfinite(removed), removed, 1.0).mean(0)
    drawn = np.random.default_rng(0).choice(shares, (resamples, len(shares)))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975))
    return Estimate(float(np.median(shares)), float(low), float(high))


def describe_reruns(row: Mapping[Any, Any]) -> str:
    """Say what the reruns of Mohankumar et al. 2020 have of a model; "" where they have nothing."""
    reruns = []
    for number, table in enumerate(RERUNS, start=1):
        facts = [find_fact(table, {**row, "metric": name}, "MD2020") for name in ("accuracy", "magnitude")]
        values = " and ".join(f"{fact.value:g}" for fact in facts if fact)
        reruns.append(values and f"rerun {number}: accuracy and conicity {values}")
    return join_notes(*reruns)


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
    """Show accuracy and conicity of each model, and what they do to its map: permutation, leave-one-out, `used`,
    `ranks`, and how many items go by attention until the decision flips.

    Means over texts and seeds with the intervals of the answer; `ranks` is from a random order on; of the share of
    items that go, the median, as in the paper's figure 3. The frames hold rows of these audits, of any number of data
    sets; of pairs there are no rows of ranked_sets. The columns are those of `TABLE`. What stands beside `accuracy` and
    `magnitude` is the paper's table 2; notes have its reruns.
    """
    by_loo = correlation[correlation["pair"] == "attention~loo"]
    audits = (mark_right(predictions), conicity, permutation, by_loo, ranked_sets, performance)
    in_order = (rows.sort_values("seed", kind="stable") for rows in audits)
    lines: list[RowValues] = []
    for about, (right, conicities, permuted, ranked, sets, trained) in split_models(*in_order):
        cells = {
            "accuracy": estimate_mean(make_grid(right, "accuracy")),
            "conicity": estimate_mean(make_grid(conicities, "conicity"), -1.0),
            "magnitude": estimate_mean(make_grid(conicities, "magnitude"), -1.0),
            "permutation_tvd": estimate_mean(make_grid(permuted, "median_tvd")),
            "tau_loo": estimate_mean(make_grid(ranked, "tau"), -1.0),
            "used": estimate(average_texts(make_grid(permuted, "mean_tvd")), limits=(0.0, 1.0)),
        }
        order = select_ranking(sets, "attention")
        if len(order):
            removed = make_grid(order, "fraction_removed")
            cells |= {"ranks": estimate_ranks(order, sets), "fraction_removed": take_median_share(removed, resamples)}
        cells["texts"] = Estimate(right["id"].nunique())
        seeds, selection = trained["seed"].nunique(), trained["selection"].iloc[0]
        lines += list_estimates({**about, "seeds": seeds, "selection": selection}, cells)
    rows = pd.DataFrame(lines)
    rows["note"] = [describe_reruns(row) if row["metric"] == "accuracy" else "" for row in lines]
    return order_rows(add_published(rows, "Table 2", "MD2020"), DIVERSITY, model=models)


def describe_rerun(row: Mapping[Any, Any]) -> str:
    """Say what the independent rerun of Pruthi et al. 2020 has for a number; "" where it has none."""
    fact = find_fact(RERUN, row, "PD2020")
    what = "accuracy" if row["metric"] == "accuracy_percent" else "attention on them"
    return f"rerun by Habacker et al. 2021: {what} {fact.value:g} %" if fact else ""


def pd_table_deception(impermissible: pd.DataFrame, performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show accuracy, attention on the impermissible words, and accuracy without them: of the same model, whose input
    lacks them, and of a model that is trained without them (the paper's anonymised input).

    From rows of the audits impermissible and performance, of any number of data sets; the columns are those of
    `TABLE`. Intervals of models that read whole texts are those of the answer; a text of which nothing is left counts
    as wrong. Notes give the number of the independent rerun.
    """
    percents = impermissible.assign(
        accuracy_percent=100.0 * impermissible["right"],
        mass_percent=100.0 * impermissible["mass"],
        uniform_percent=100.0 * impermissible["uniform_mass"],
        deleted_percent=100.0 * impermissible["right_without"].eq(True),
    )
    judged = average_columns(percents, ["model"], DECEPTION, highest=100)
    judged = add_first(judged, impermissible, "lambda")
    retrained = performance[performance["model"].str.endswith("anonymised") & (performance["metric"] == "accuracy")]
    retrained = average_seeds(retrained.assign(value=100.0 * retrained["value"]), ["dataset", "model"])
    rows = pd.concat([judged, retrained.assign(metric="accuracy_percent")], ignore_index=True)
    rows = add_first(rows, performance, "selection")
    rows.loc[rows["metric"] == "texts", "selection"] = ""
    anonymised = rows["model"].str.endswith("anonymised").map({True: ANONYMISED, False: ""})
    rows["note"] = [*map(join_notes, map(describe_rerun, rows.to_dict("records")), anonymised)]
    return order_rows(add_published(rows, "Table 3", "PD2020"), model=models)


def make_curves(predictions: pd.DataFrame) -> dict[str, Curve]:
    """List the curve of each order, in the order of names.RANKINGS, from the rows of one data set."""
    right = make_grids(mark_right(predictions), "accuracy", "model")
    curves: dict[str, Curve] = {}
    for model, values in right.items():
        order, _, percent = model.rpartition("_")
        if order:
            curves.setdefault(order, {0: right["base"]})[int(percent)] = values
    return {order: dict(sorted(curves[order].items())) for order in RANKINGS.arrange(curves)}


def measure_area(curve: Curve) -> Floats:
    """Take the area below a curve by the trapezoidal rule, (S, N), over shares of the words from 0 to 1."""
    return np.trapezoid(np.stack([*curve.values()]), np.array([*curve]) / 100, axis=0)


def roar_table_racu(predictions: pd.DataFrame) -> pd.DataFrame:
    """Estimate RACU of each order but the random one (Madsen et al. 2022): the area between the curves of accuracy of
    random masking and of the order, as a share of what it could be, which is the area above what random masking leaves
    at its end; mean over trainings.

    predictions: rows of the audit of this name, of any number of data sets. The columns are those of `TABLE`.
    """
    rows = []
    for dataset, of_dataset in predictions.groupby("dataset", sort=False, observed=True):
        curves = make_curves(of_dataset)
        random = curves.pop("random")
        below, end = measure_area(random), random[max(random)]
        for order, curve in curves.items():
            racu = estimate(take_share(below - measure_area(curve), below - end))
            about = {"dataset": dataset, "ranking": order, "seeds": len(end)}
            rows += list_estimates(about, {"racu": racu, "texts": Estimate(end.shape[1])})
    return order_rows(pd.DataFrame(rows), ranking=RANKINGS)
