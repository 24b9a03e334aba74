"""Tables of Serrano & Smith 2019: accuracy, decision flips by single weights, and which ranking flips first."""

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
    """Whether a model of Serrano & Smith's has an encoder; the names of models without one end in `_none`."""
    return not model.endswith("_none")


def pairs_of(rankings: Iterable[str]) -> list[Pair]:
    """Every two of these rankings; the first of a pair is the one that is expected to flip the decision earlier."""
    return list(combinations(reversed(RANKINGS.ordered(rankings)), 2))


def ss_table3_accuracy(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Accuracy on the test split, one row for each model (table 3).

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    columns.table.
    """
    rows = of_models(performance[performance["metric"] == "accuracy"], models, list(models))
    return as_table(beside_paper(rows, "Table 3", PAPER), list(models), ["accuracy"])


def flips(single_weight: pd.DataFrame, resamples: int) -> pd.DataFrame:
    """Percent of the texts in each of CELLS, by dataset, model, ranking and draw; `texts` is the number of texts."""
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
    """Does the decision flip without the top item, and without another item: percent of the texts in all four cases.

    One row for each model, ranking that decides which item is the top, and draw of the other item; with the number of
    texts, and the number of test texts excluded because they have only one item. Intervals are over instances and
    seeds. `single_weight` holds rows of the audit single_weight, of any number of data sets, and `census` is by data
    set; the columns are those of columns.table. Table 2, figures 9, 12 and 13.
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
    """The outcome of each pair (first earlier, second earlier, tied), as 1 and 0: (S, N) each -> (S, N, 3 pairs).

    `removed`: by ranking, how many items it has erased when the decision flips; infinity where it never flips.
    """
    columns: list[npt.NDArray[np.bool_]] = []
    for first, second in pairs:
        one, other = removed[first], removed[second]
        columns += [one < other, other < one, (one == other) & np.isfinite(one)]
    return np.stack(columns, -1).astype(np.float64)


def shares_and_ratio(means: Floats) -> Floats:
    """From means of `outcomes` to the statistics EARLIER of each pair: (..., 3 pairs) -> (..., 4 pairs)."""
    counts = means.reshape(*means.shape[:-1], -1, 3)
    shares = 100 * counts / counts.sum(-1, keepdims=True)
    ratio = counts[..., :1] / counts[..., 1:2]
    return np.concatenate([shares, ratio], -1).reshape(*means.shape[:-1], -1)


def earlier(ranked_sets: pd.DataFrame, pairs: Sequence[Pair], resamples: int) -> pd.DataFrame:
    """The statistics EARLIER, by dataset, model, first and second ranking.

    `texts` is the number of texts in which at least one of the two flips the decision. The statistics are percent of
    these texts, and the ratio of first_earlier to second_earlier. Where only one ranking flips, it is the earlier one.
    """
    frames = []
    for identity, rows in by_model(ranked_sets):
        items = rows["removed"].astype(float).replace(-1, np.inf)
        keys, values = cube(rows.assign(removed=items), "removed", ["ranking"])
        removed = {name: values[..., place] for place, name in enumerate(keys["ranking"])}
        outcome = outcomes(removed, pairs)
        seeds, texts, _ = outcome.shape
        either = outcome.reshape(seeds * texts, -1, 3).sum((0, 2)) / seeds
        frame = long(
            pd.DataFrame(pairs, columns=["first", "second"]), EARLIER, estimate(outcome, resamples, shares_and_ratio)
        )
        frames.append(frame.assign(**identity, texts=np.repeat(either, len(EARLIER)), seeds=seeds))
    return pd.concat(frames, ignore_index=True)


def ss_table_pairwise(ranked_sets: pd.DataFrame, resamples: int, models: Names) -> pd.DataFrame:
    """Which of two rankings flips the decision with fewer erased items: percent of the texts, and their ratio.

    The percentages are of the texts in which at least one of the two flips the decision; where only one does, it is the
    earlier one. One row for each model and pair. `ranked_sets` holds rows of the audit ranked_sets, of any number of
    data sets; the columns are those of columns.table. Section 5.4.
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
