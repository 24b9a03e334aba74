"""Tables of Jain & Wallace 2019: does attention rank tokens as gradients do and, if not, what explains it?"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd

from attention_audit.names import ATTRIBUTIONS, Names
from attention_audit.tables.classes import class_names
from attention_audit.tables.performance import METRICS, noted, of_models
from attention_audit.tables.resampling import Floats, by_model, cube, estimate, long
from attention_audit.tables.tidy import as_table, beside_paper
from attention_audit.tables.wording import CLASSES, MOST_CLASSES

PAPER = "JW2019"
STATISTICS = ("tau", "tau_sd", "significant", "top_k_overlap", "texts", "undefined")
LEVEL = 0.05
FLAT = 0.25
"""Attention counts as flat where its largest weight is below this."""
CONTROLS = ("conicity", "largest_weight", "permutation_tvd", "flat", "permutation_tvd_flat", "texts")


def jw_table1_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict the test split, one row for each model (table 1).

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    columns.table. The published values are from the authors' later run, which selects epochs on dev.
    """
    rows = of_models(performance, models, list(models))
    return as_table(noted(rows, "Table 1", PAPER), list(models), METRICS)


def groups_of(predictions: Floats) -> dict[str, Floats]:
    """The groups of texts by predicted class, each as an array of 1 and 0: `overall`, and each class if they are few.

    predictions: NaN where there is none.
    """
    classes = int(np.nanmax(predictions)) + 1
    shown = range(classes if classes <= MOST_CLASSES else 0)
    few = {f"class_{class_}": (predictions == class_).astype(float) for class_ in shown}
    return {"overall": np.isfinite(predictions).astype(float)} | few


def sums(tau: Floats, p: Floats, overlap: Floats, member: Floats) -> Floats:
    """The values whose means `described` needs, (..., 7).

    Every argument is (...); `member` is 1 where the text is of the group, else 0.
    """
    counted, comparable = member * np.isfinite(tau), member * np.isfinite(overlap)
    tau, overlap = np.nan_to_num(tau), np.nan_to_num(overlap)
    of_tau = (counted, counted * tau, counted * tau**2, counted * (p <= LEVEL))
    return np.stack([member, *of_tau, comparable, comparable * overlap], -1)


def described(means: Floats, texts: int) -> Floats:
    """From means of `sums` over a number of texts to STATISTICS: (..., 7 groups) -> (..., 6 groups)."""
    parts = np.moveaxis(means.reshape(*means.shape[:-1], -1, 7), -1, 0)
    member, counted, tau, squares, significant, comparable, overlap = parts
    mean = tau / counted
    sd = np.sqrt(np.maximum(squares / counted - mean**2, 0))
    statistics = (mean, sd, significant / counted, overlap / comparable, texts * member, texts * (member - counted))
    return np.stack(statistics, -1).reshape(*means.shape[:-1], -1)


def without_spread(rows: pd.DataFrame, counts: Sequence[str]) -> pd.DataFrame:
    """`rows` without sd and interval where the metric is one of `counts`."""
    rows.loc[rows["metric"].isin(counts), ["sd", "low", "high"]] = np.nan
    return rows


def correlations(correlation: pd.DataFrame, resamples: int) -> pd.DataFrame:
    """STATISTICS by dataset, model, pair and group of predicted classes; groups without texts are left out."""
    frames = []
    for identity, rows in by_model(correlation):
        keys, predictions = cube(rows, "prediction", ["pair"])
        tau, p, overlap = (cube(rows, name, ["pair"])[1] for name in ("tau", "p", "top_k_overlap"))
        groups = groups_of(predictions)
        values = np.stack([sums(tau, p, overlap, member) for member in groups.values()], -2)
        seeds, texts = values.shape[:2]
        statistics = estimate(values.reshape(seeds, texts, -1), resamples, partial(described, texts=texts))
        named = [(str(pair), group) for pair, group in product(keys["pair"], groups)]
        frame = long(pd.DataFrame(named, columns=["pair", "group"]), STATISTICS, statistics)
        present = np.repeat(frame.loc[frame["metric"] == "texts", "mean"].to_numpy() > 0, len(STATISTICS))
        frames.append(frame[present].assign(**identity, seeds=seeds))
    return without_spread(pd.concat(frames, ignore_index=True), ["texts", "undefined"])


def jw_table2_correlation(
    correlation: pd.DataFrame, census: Mapping[str, pd.DataFrame], resamples: int, models: Names
) -> pd.DataFrame:
    """Kendall's tau of two attributions: its mean and sd over texts, and the share of texts where p is at most LEVEL.

    One row for each model, pair of attributions and group of texts: all texts, and each predicted class where there are
    at most MOST_CLASSES. Texts where tau is not defined count only in `texts` and `undefined`. Intervals are over
    instances and seeds. `correlation` holds rows of the audit correlation, of any number of data sets, and `census` is
    by data set; the columns are those of columns.table. Table 2; the paper has the pairs of attention with gradient and
    with leave-one-out. `models` orders the rows.
    """
    models.refuse_unknown(correlation["model"].unique())
    ATTRIBUTIONS.refuse_unknown(name for pair in correlation["pair"].unique() for name in pair.split("~"))
    rows = correlations(correlation, resamples)
    rows["row"] = rows["model"] + "/" + rows["pair"] + "/" + rows["group"]
    names = {
        (dataset, f"class_{class_}"): name
        for dataset, known in class_names(census).items()
        for class_, name in known.items()
    }
    rows["class_name"] = [names.get(key, "") for key in zip(rows["dataset"], rows["group"], strict=True)]
    groups = ["overall", *CLASSES]
    pairs = map("~".join, combinations(ATTRIBUTIONS, 2))
    order = ["/".join(parts) for parts in product(models, pairs, groups)]
    return as_table(beside_paper(rows, "Table 2", PAPER), order, STATISTICS)


def share_of_flat(means: Floats) -> Floats:
    """Divide the last of five means, which counts flat texts only, by the share of flat texts: (..., 5) -> (..., 5)."""
    return np.concatenate([means[..., :4], means[..., 4:] / means[..., 3:4]], -1)


def jw_table_conicity(conicity: pd.DataFrame, permutation: pd.DataFrame, resamples: int, models: Names) -> pd.DataFrame:
    """How alike the hidden states are, beside what permuting the attention changes: means over texts, by model.

    Permuting cannot change the prediction where the states are alike or attention is flat, that is, its largest weight
    is below FLAT. Intervals are over instances and seeds. The frames hold rows of the audits conicity and permutation,
    of any number of data sets; the columns are those of columns.table.
    """
    models.refuse_unknown(conicity["model"].unique())
    keys = ["dataset", "model", "seed", "id"]
    joined = permutation.merge(conicity, on=keys, validate="one_to_one")
    joined["largest_weight"], joined["permutation_tvd"] = joined["max_attention"], joined["median_tvd"]
    joined["flat"] = (joined["max_attention"] < FLAT).astype(float)
    joined["permutation_tvd_flat"] = joined["flat"] * joined["median_tvd"]
    metrics = list(CONTROLS[:-1])
    frames = []
    for identity, rows in by_model(joined):
        _, values = cube(rows.melt(["seed", "id"], metrics, "metric"), "value", ["metric"])
        seeds, texts, _ = values.shape
        frame = long(pd.DataFrame(index=[0]), metrics, estimate(values, resamples, share_of_flat))
        count = pd.DataFrame({"metric": ["texts"], "mean": [float(texts)]})
        frames.append(pd.concat([frame, count]).assign(**identity, row=identity["model"], seeds=seeds))
    return as_table(pd.concat(frames, ignore_index=True), list(models), CONTROLS)
