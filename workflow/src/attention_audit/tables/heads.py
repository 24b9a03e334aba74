"""The tables of single heads, of models that have several."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.intervals import Effect, mean
from attention_audit.names import Names
from attention_audit.tables.arrays import different, grid, of_ranking, of_run
from attention_audit.tables.tidy import as_table
from attention_audit.tables.wording import HEADS

ASKED = ("used", "flips", "ranks")
ONE_MAP = "one map is given of it, and no heads"


def asked(moved: pd.DataFrame, order: pd.DataFrame, sets: pd.DataFrame) -> Iterator[tuple[str, Effect]]:
    """The effects of one map: from its rows of permutations, of erasures in its order, and of `ranked_sets`."""
    yield "used", questions.used(grid(moved, "mean_tvd"))
    yield "flips", mean(grid(moved, "flips"))
    seeds, ids = different(moved, "seed"), different(moved, "id")
    erased = (of_ranking(sets, "random"), order, of_ranking(sets, "smallest"))
    yield "ranks", questions.ranks(*(grid(rows, "fraction_removed", seeds, ids) for rows in erased))


def of_heads(heads: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names) -> pd.DataFrame:
    """The questions `used` and `ranks` of each head by itself, below those of the mean of the heads.

    `used`: how far shuffling the weights of this head alone moves the prediction; of the mean map, of all heads alike.
    `ranks`: where erasing in the order of this head's weights lies between chance (0) and the smallest set found (1).
    A model of which no head is known has one row, of its map, and a note that says so. From columns.HEADS,
    columns.PERMUTATION and columns.RANKED_SETS rows of any number of data sets; the columns are those of columns.TABLE,
    with intervals over texts and trainings.
    """
    models.refuse_unknown(permutation["model"].unique())
    rows: list[dict[str, Any]] = []
    for dataset in permutation["dataset"].unique():
        frames = [frame[frame["dataset"] == dataset] for frame in (heads, permutation, ranked_sets)]
        for model in frames[1]["model"].unique():
            own, shuffled, sets = (of_run(frame, model) for frame in frames)
            numbers, mean = sorted(own["head"].unique()), (shuffled, of_ranking(sets, "attention"))
            maps = {f"{model}/{HEADS[0]}" if numbers else model: mean}
            maps |= {f"{model}/head_{number}": (own[own["head"] == number],) * 2 for number in numbers}
            for row, (moved, order) in maps.items():
                for metric, effect in asked(moved, order, sets):
                    about = {"dataset": dataset, "row": row, "metric": metric, "seeds": effect.trainings}
                    about["note"] = "" if numbers else ONE_MAP
                    rows.append(about | {"mean": effect.value, "low": effect.low, "high": effect.high})
    frame = pd.DataFrame(rows, columns=["dataset", "row", "metric", "seeds", "note", "mean", "low", "high"])
    order_of_rows = [row for model in models for row in (model, *(f"{model}/{name}" for name in HEADS))]
    return as_table(frame.astype({"mean": np.float64}), order_of_rows, ASKED)
