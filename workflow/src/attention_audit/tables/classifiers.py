"""The tables of fine-tuned Transformer classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.intervals import Effect
from attention_audit.names import Names
from attention_audit.tables.adversary import by_run
from attention_audit.tables.arrays import Floats, different, grid, of_ranking, of_run
from attention_audit.tables.performance import METRICS, of_models
from attention_audit.tables.tidy import as_table, over_seeds
from attention_audit.tables.wording import HEADS

MOVED = ("f1", "tvd", "jsd", "decision_flip_rate")
ASKED = ("used", "flips", "ranks")
CUT = "cut"
UNASKED = "(imposed|uniform|adversaries|adversary|continuation|continuation_chosen|guide_.*)$"
"""The names of models that no attention of theirs is asked of."""


def hf_table_performance(performance: pd.DataFrame, cut_texts: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict, and how many texts they read in part, one row a model.

    From columns.PERFORMANCE and columns.CUT_TEXTS rows of any number of data sets; the columns are those of
    columns.TABLE. Trainings of a model read the same words.
    """
    rows = of_models(performance, models, list(models))
    counts = cut_texts.groupby(["dataset", "model"], observed=True)["id"].nunique()
    cut = rows.drop_duplicates(["dataset", "row"])[["dataset", "row", "selection", "seeds"]]
    keys = zip(cut["dataset"], cut["row"], strict=True)
    cut = cut.assign(metric=CUT, mean=[float(counts.get(key, 0)) for key in keys])
    # models that others are held against are asked less
    judged = cut["row"].isin(performance["model"].unique()) & ~cut["row"].str.match(UNASKED)
    return as_table(pd.concat([rows, cut[judged]], ignore_index=True), list(models), (*METRICS, CUT))


def hf_table_comparison(performance: pd.DataFrame, comparison: pd.DataFrame, models: Names) -> pd.DataFrame:
    """F1, and means over texts of TVD, JSD (nats) and flips against the first training of the model, one row a model.

    From columns.PERFORMANCE and columns.COMPARISON rows of any number of data sets; the columns are those of
    columns.TABLE.
    """
    runs = by_run(comparison, performance).rename(columns={"model": "row"})
    rows = over_seeds(runs, ["dataset", "row", "lambda", "selection", "metric"])
    return as_table(rows, list(models), MOVED)


def asked(moved: pd.DataFrame, order: pd.DataFrame, sets: pd.DataFrame) -> Iterator[tuple[str, Effect]]:
    """The effects of one map: from its rows of permutations, of erasures in its order, and of `ranked_sets`."""
    seeds, ids = different(moved, "seed"), different(moved, "id")
    yield "used", questions.used(grid(moved, "mean_tvd", seeds, ids))
    yield "flips", questions.average(grid(moved, "flips", seeds, ids))
    both: list[Floats] = [
        grid(of_ranking(sets, name), "fraction_removed", seeds, ids) for name in ("random", "smallest")
    ]
    yield "ranks", questions.ranks(both[0], grid(order, "fraction_removed", seeds, ids), both[1])


def hf_table_heads(
    heads: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names
) -> pd.DataFrame:
    """The questions `used` and `ranks` of each head by itself, below those of the mean of the heads.

    `used`: how far shuffling the weights of this head alone moves the prediction; of the mean map, of all heads alike.
    `ranks`: where erasing in the order of this head's weights lies between chance (0) and the smallest set found (1).
    From columns.HEADS, columns.PERMUTATION and columns.RANKED_SETS rows of any number of data sets; the columns are
    those of columns.TABLE, with intervals over texts and trainings.
    """
    models.refuse_unknown(heads["model"].unique())
    rows: list[dict[str, Any]] = []
    for dataset in heads["dataset"].unique():
        frames = [frame[frame["dataset"] == dataset] for frame in (heads, permutation, ranked_sets)]
        for model in frames[0]["model"].unique():
            own, shuffled, sets = (of_run(frame, model) for frame in frames)
            maps = {HEADS[0]: (shuffled, of_ranking(sets, "attention"))}
            maps |= {f"head_{number}": (own[own["head"] == number],) * 2 for number in sorted(own["head"].unique())}
            for name, (moved, order) in maps.items():
                for metric, effect in asked(moved, order, sets):
                    about = {"dataset": dataset, "row": f"{model}/{name}", "metric": metric, "seeds": effect.trainings}
                    rows.append(about | {"mean": effect.value, "low": effect.low, "high": effect.high})
    frame = pd.DataFrame(rows, columns=["dataset", "row", "metric", "seeds", "mean", "low", "high"])
    order_of_rows = [f"{model}/{name}" for model in models for name in HEADS]
    return as_table(frame.astype({"mean": np.float64}), order_of_rows, ASKED)
