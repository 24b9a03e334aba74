"""Tables of Serrano & Smith 2019: accuracy, decision flips by single weights, and which ranking flips first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.columns.single_weight import DRAWS
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.performance import of_models
from attention_audit.tables.published import published
from attention_audit.tables.resampling import Floats, by_model, cube, estimate, long
from attention_audit.tables.tidy import as_table, beside_paper

PAPER = "SS2019"
CELLS = ("both_flip", "only_top_flips", "only_other_flips", "neither_flips")
EARLIER = ("first_earlier", "second_earlier", "tied", "earlier_ratio")

Pair = tuple[str, str]


def has_encoder(model: str) -> bool:
    """Whether a model has an encoder: Serrano & Smith's are named <han or flan>_<encoder>, or ..._none without one."""
    return not model.endswith("_none")


def pairs_of(rankings: Iterable[str]) -> list[Pair]:
    """Any two of these rankings; by what is known of them, the first of a pair should flip the decision earlier."""
    return list(combinations(reversed(RANKINGS.ordered(rankings)), 2))


def ss_table3_accuracy(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Accuracy on the test split, one row a model.

    From columns.PERFORMANCE rows of any number of data sets; the columns are those of columns.TABLE. Table 3.
    """
    rows = of_models(performance[performance["metric"] == "accuracy"], models, list(models))
    return as_table(beside_paper(rows, "Table 3", PAPER), list(models), ["accuracy"])


def flips(single_weight: pd.DataFrame, resamples: int) -> pd.DataFrame:
    """Percent of the texts in each of CELLS, by dataset, model, ranking and draw; `texts` their number."""
    frames = []
    for identity, rows in by_model(single_weight):
        codes = 2 * ~rows["top_flips"].to_numpy() + ~rows["other_flips"].to_numpy()
        keys, cells = cube(rows.assign(cell=codes), "cell", ["ranking", "draw"])
        seeds, texts, _ = cells.shape
        in_cell = 100.0 * (cells[..., None] == range(len(CELLS)))
        frame = long(keys, CELLS, estimate(in_cell.reshape(seeds, texts, -1), resamples))
        frames.append(frame.assign(**identity, texts=texts, seeds=seeds))
    return pd.concat(frames, ignore_index=True)


def ss_table2_flips(
    single_weight: pd.DataFrame, census: Mapping[str, pd.DataFrame], resamples: int, models: Names
) -> pd.DataFrame:
    """Does the decision flip without the top item, and without another: percent of the texts in all four cases.

    One row a model, ranking that names the top item, and draw of the other; with the number of texts, and of test texts
    excluded since they have one item only. Intervals over instances and seeds. From columns.SINGLE_WEIGHT rows of any
    number of data sets and columns.CENSUS frames by data set; the columns are those of columns.TABLE. Table 2, figures
    9, 12 and 13.
    """
    models.refuse_unknown(single_weight["model"].unique())
    RANKINGS.refuse_unknown(single_weight["ranking"].unique())
    rows = flips(single_weight, resamples)
    rows["row"] = rows["model"] + "/" + rows["ranking"].astype(str) + "/" + rows["draw"].astype(str)
    kept = {name: counts.loc[counts["split"] == "test", "kept"].sum() for name, counts in census.items()}
    counted = rows.drop_duplicates(["dataset", "row"])[["dataset", "row", "texts", "seeds"]]
    counted["excluded"] = counted["dataset"].map(kept) - counted["texts"]
    counts = counted.melt(["dataset", "row", "seeds"], ["texts", "excluded"], "metric", "mean").astype({"mean": float})
    order = ["/".join(parts) for parts in product(models, RANKINGS, DRAWS)]
    return as_table(beside_paper(pd.concat([rows, counts]), "Table 2", PAPER), order, [*CELLS, "texts", "excluded"])


def outcomes(removed: Mapping[str, Floats], pairs: Sequence[Pair]) -> Floats:
    """1 for what became of each pair (first earlier, second earlier, tied), else 0: (S, N) each -> (S, N, 3 pairs).

    `removed`: items erased by each ranking when the decision flips, infinitely many where it never does.
    """
    columns: list[npt.NDArray[np.bool_]] = []
    for first, second in pairs:
        one, other = removed[first], removed[second]
        columns += [one < other, other < one, (one == other) & np.isfinite(one)]
    return np.stack(columns, -1).astype(np.float64)


def shares_and_ratio(means: Floats) -> Floats:
    """Means of `outcomes` to the statistics EARLIER of each pair, (..., 3 pairs) -> (..., 4 pairs)."""
    counts = means.reshape(*means.shape[:-1], -1, 3)
    shares = 100 * counts / counts.sum(-1, keepdims=True)
    ratio = counts[..., :1] / counts[..., 1:2]
    return np.concatenate([shares, ratio], -1).reshape(*means.shape[:-1], -1)


def earlier(ranked_sets: pd.DataFrame, pairs: Sequence[Pair], resamples: int) -> pd.DataFrame:
    """The statistics EARLIER by dataset, model, first and second; `texts` in which at least one of them flips.

    Percent of those texts, and the ratio of first_earlier to second_earlier. A ranking that flips alone is the earlier.
    """
    frames = []
    for identity, rows in by_model(ranked_sets):
        items = rows["removed"].astype(float).replace(-1, np.inf)
        keys, values = cube(rows.assign(removed=items), "removed", ["ranking"])
        removed = {name: values[..., place] for place, name in enumerate(keys["ranking"])}
        became = outcomes(removed, pairs)
        seeds, texts, _ = became.shape
        either = became.reshape(seeds * texts, -1, 3).sum((0, 2)) / seeds
        frame = long(
            pd.DataFrame(pairs, columns=["first", "second"]), EARLIER, estimate(became, resamples, shares_and_ratio)
        )
        frames.append(frame.assign(**identity, texts=np.repeat(either, len(EARLIER)), seeds=seeds))
    return pd.concat(frames, ignore_index=True)


def ss_table_pairwise(ranked_sets: pd.DataFrame, resamples: int, models: Names) -> pd.DataFrame:
    """Which of two rankings flips the decision with fewer erased items: percent of the texts, and their ratio.

    Of the texts in which at least one of the two flips it; one that does so alone is the earlier. One row a model and
    pair. From columns.RANKED_SETS rows of any number of data sets; the columns are those of columns.TABLE. Section 5.4.
    """
    models.refuse_unknown(ranked_sets["model"].unique())
    rows = earlier(ranked_sets, pairs_of(ranked_sets["ranking"].unique()), resamples)
    rows["row"] = rows["model"] + "/" + rows["first"] + "/" + rows["second"]
    claimed = published("Section 5.4", "all", "encoders/gradient/attention", "earlier_ratio", PAPER)
    same = rows["row"].isin([f"{model}/gradient/attention" for model in models if has_encoder(model)])
    rows["note"] = [f"paper: {claimed.note} {claimed.value:g}" if claimed and here else "" for here in same]
    counts = rows.drop_duplicates(["dataset", "row"])[["dataset", "row", "texts", "seeds", "note"]]
    counts = counts.rename(columns={"texts": "mean"}).assign(metric="texts")
    order = ["/".join((model, *pair)) for model, pair in product(models, pairs_of(RANKINGS))]
    return as_table(pd.concat([rows, counts]), order, [*EARLIER, "texts"])
