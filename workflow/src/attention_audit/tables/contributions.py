"""What attention is to the exact contributions, of the models of all suites, and what single heads are, of models that
have several; the papers have no such tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate
from attention_audit.answer.samples import average, erase
from attention_audit.columns.audits import TOP
from attention_audit.contrasts import Subject
from attention_audit.names import RANKINGS, Names
from attention_audit.tables.arrays import different, grid, means, of_ranking, of_run
from attention_audit.tables.erasing import ROUNDING, of_subjects
from attention_audit.tables.tidy import as_table
from attention_audit.tables.wording import HEADS

ASKED = ("used", "flips", "ranks")
ONE_MAP = "one map is given of it, and no heads"
MEASURED = ("tau", "overlap", "against", "largest_weight", "top_flips")
VIOLATIONS = ("erased", "deleted")


def measured(rows: pd.DataFrame) -> pd.DataFrame:
    """Return `rows` with the columns MEASURED as numbers, NaN where a text has no value.

    Of a text of at most TOP items the overlap is 1 by construction, so it counts as none. largest_weight: that of the
    item of the most attention. top_flips: whether the decision flips without it.
    """
    return rows.assign(
        overlap=rows["overlap"].where(rows["items"] > TOP),
        largest_weight=rows["top_weights_0"],
        top_flips=rows["top_flips"].astype(float),
    )


def opposed(contributions: pd.DataFrame, single_weight: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """Compute the cells of one model by ranking: MEASURED of attention, VIOLATIONS of all, and the number of texts."""
    parts = []
    if not contributions.empty:
        attended = measured(contributions).assign(ranking="attention")
        parts.append(means(attended, ["ranking"], MEASURED, signed=("tau",)))
    for rows, fall, name in ((single_weight, "top_fall", "erased"), (located, "falls_0", "deleted")):
        # all draws of the other item have one top item
        once = rows.drop_duplicates(["seed", "id", "ranking"])
        if not once.empty:
            rises = (once[fall] < -ROUNDING).astype(float).where(once[fall].notna())
            parts.append(means(once.assign(**{name: rises}), ["ranking"], (name,)))
    if not parts:
        return pd.DataFrame()
    # of how many texts: where words were deleted from a sample, of this one
    return pd.concat(parts, ignore_index=True).drop_duplicates(["row", "metric"], keep="last").assign(note="")


def table_contributions(
    contributions: pd.DataFrame,
    single_weight: pd.DataFrame,
    located: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
) -> pd.DataFrame:
    """Is attention proportional to what each item adds to the decision, and in which share of the texts does the item
    that a ranking puts first oppose the prediction? One row for each data set, model and ranking.

    The second is the faithfulness violation test of Liu et al. 2022: an attribution that says "this supports the
    prediction" of its first item is violated where the probability of the predicted class rises without it. `erased`:
    its attention is zeroed and the other weights renormalised (`single_weight`). `deleted`: the word is deleted from
    the input, which is read again (`located`).

    The frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite`, and each list in columns of its own, such as top_weights_0. Intervals are those of the
    answer. A model that was asked nothing of it has one empty row, with the reason. The columns are those of
    `TABLE`.
    """
    audits = {"contributions": contributions, "single_weight": single_weight, "located": located}
    rankings = dict.fromkeys(["attention", *RANKINGS])
    return of_subjects(subjects, audits, opposed, list(rankings), (*MEASURED, *VIOLATIONS))


def estimate_map(moved: pd.DataFrame, order: pd.DataFrame, sets: pd.DataFrame) -> Iterator[tuple[str, Estimate]]:
    """Estimate ASKED of one map: from its rows of permutations, of erasures in its order, and of `ranked_sets`.

    `ranks` is from a random order on.
    """
    for metric, column in (("used", "mean_tvd"), ("flips", "flips")):
        yield metric, estimate(average(grid(moved, column)), limits=(0.0, 1.0))
    seeds, ids = different(moved, "seed"), different(moved, "id")
    random, own, smallest = (
        grid(rows, "fraction_removed", seeds, ids)
        for rows in (of_ranking(sets, "random"), order, of_ranking(sets, "smallest"))
    )
    yield "ranks", estimate(erase(random, own, smallest))


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
            numbers = sorted(own["head"].unique())
            maps = {f"{model}/{HEADS[0]}" if numbers else model: (shuffled, of_ranking(sets, "attention"))}
            maps |= {f"{model}/head_{number}": (own[own["head"] == number],) * 2 for number in numbers}
            for row, (moved, order) in maps.items():
                for metric, effect in estimate_map(moved, order, sets):
                    about = {"dataset": dataset, "row": row, "metric": metric, "seeds": effect.trainings}
                    about["note"] = "" if numbers else ONE_MAP
                    rows.append(about | {"mean": effect.value, "low": effect.low, "high": effect.high})
    frame = pd.DataFrame(rows, columns=["dataset", "row", "metric", "seeds", "note", "mean", "low", "high"])
    order_of_rows = [row for model in models for row in (model, *(f"{model}/{name}" for name in HEADS))]
    return as_table(frame.astype({"mean": np.float64}), order_of_rows, ASKED)
