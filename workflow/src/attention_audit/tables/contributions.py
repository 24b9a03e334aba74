"""What attention is to the exact contributions, of the models of all suites, and what single heads are, of models that
have several; the papers have no such tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.intervals import Effect, mean
from attention_audit.columns.contributions import TOP
from attention_audit.contrasts import Subject
from attention_audit.names import Names
from attention_audit.tables.arrays import different, grid, means, of_ranking, of_run, of_suite
from attention_audit.tables.tidy import as_table
from attention_audit.tables.wording import HEADS

AUDIT = "contributions"
ASKED = ("used", "flips", "ranks")
ONE_MAP = "one map is given of it, and no heads"
METRICS = ("tau", "overlap", "against", "largest_weight", "top_against", "top_fall", "top_flips")


def measured(rows: pd.DataFrame) -> pd.DataFrame:
    """`rows` with the columns METRICS as numbers, NaN where a text has no value.

    Of a text of at most TOP items the overlap is 1 by construction, so it counts as none. largest_weight: that of the
    item of the most attention. top_against: whether it speaks against the prediction.
    """
    return rows.assign(
        overlap=rows["overlap"].where(rows["items"] > TOP),
        largest_weight=rows["top_weights_0"],
        top_against=(rows["top_contributions_0"] < 0).astype(float),
        top_flips=rows["top_flips"].astype(float),
    )


def table_contributions(
    contributions: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
) -> pd.DataFrame:
    """Is attention proportional to what each item adds to the decision? One row for each data set and model.

    `contributions` holds rows of the audit of this name of any number of data sets and suites, with the key of the
    suite as the column `suite`, and the weight and contribution of the first item as top_weights_0 and
    top_contributions_0. Intervals are those of the answer. A model that was not asked has one empty row, with the
    reason. The columns are those of columns.table.
    """
    judged = [Subject.model_validate(subject) for subject in subjects]
    frames = []
    for subject in judged:
        about = {"dataset": subject.dataset, "row": f"{subject.paper}/{subject.model}"}
        if reason := subject.unasked.get(AUDIT):
            empty = {"metric": "", "mean": np.nan, "seeds": subject.seeds, "note": f"not asked: {reason}"}
            frames.append(pd.DataFrame([about | empty]))
            continue
        rows = measured(of_run(of_suite(contributions, subject.dataset, subject.suite), subject.model))
        frames.append(means(rows, ["model"], METRICS, signed=("tau", "top_fall")).assign(**about, note=""))
    nothing = pd.DataFrame(columns=["dataset", "row", "metric", "mean"])
    rows = pd.concat(frames, ignore_index=True) if frames else nothing
    order = dict.fromkeys(f"{subject.paper}/{subject.model}" for subject in judged)
    return as_table(rows, list(order), [*METRICS, "texts", ""])


def asked(moved: pd.DataFrame, order: pd.DataFrame, sets: pd.DataFrame) -> Iterator[tuple[str, Effect]]:
    """The effects of one map: from its rows of permutations, of erasures in its order, and of `ranked_sets`."""
    yield "used", questions.used(grid(moved, "mean_tvd"))
    yield "flips", mean(grid(moved, "flips"))
    seeds, ids = different(moved, "seed"), different(moved, "id")
    erased = (of_ranking(sets, "random"), order, of_ranking(sets, "smallest"))
    yield "ranks", questions.ranks(*(grid(rows, "fraction_removed", seeds, ids) for rows in erased))


def own_table_heads(
    heads: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names
) -> pd.DataFrame:
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
