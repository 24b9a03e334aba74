"""Which map may be shown? Attention, further maps, single heads and other attributions of one model, held against each
other.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate, estimate_mean
from attention_audit.answer.samples import average_texts, find_members, find_sides
from attention_audit.names import NUMBERED, RANKINGS, Names

from .attributions import LOO, RANDOM_ORDER, average_measures, make_table
from .model_answers import MeasuredModel, ask_located, measure_subjects
from .tidy import (
    Frames,
    RowValues,
    Subjects,
    estimate_ranks,
    join_notes,
    list_estimates,
    list_values,
    make_grid,
    make_pair_grids,
    order_rows,
    select_ranking,
    split_models,
)
from .wording import WORDING

ALL_HEADS = "all_heads"
"""The map that is the mean of all heads."""
PASSES: Mapping[str, str] = WORDING["pass"] | dict.fromkeys(NUMBERED, "1 F")
"""What a text costs: F a pass forth and B one back, L the number of words, P that of pieces."""


def measure_maps(measured: MeasuredModel) -> pd.DataFrame:
    """Measure `located`, `opposes`, `rank_stability` and `auprc` of each map of one model, those that were asked, and
    count the texts; the best by the first of them comes first.
    """
    audits = ("located", "map_stability", "attribution_stability", "plausibility", "plausible_words")
    located, *frames = map(measured.select_rows, audits)
    stability, marked = (pd.concat(pair, ignore_index=True) for pair in (frames[:2], frames[2:]))
    marked = marked[marked["annotator"] != ""]
    rows: list[RowValues] = []
    maps = [*list_values(located, "ranking"), *list_values(stability, "map")]
    for name in RANKINGS.arrange(map_ for map_ in maps if map_ != RANDOM_ORDER):
        estimates, note = dict[str, Estimate](), ""
        falls, stable = select_ranking(located, name), stability[stability["map"] == name]
        if len(falls):
            cell = ask_located(measured, name)
            note = join_notes("sets the 1" if name == LOO else cell.said or cell.reason, PASSES.get(name, ""))
            sides = find_sides(make_grid(falls, "falls_0"), measured.margins.inert)
            estimates["located"] = cell.part.estimate
            estimates["opposes"] = estimate_mean(np.where(np.isfinite(sides), sides < 0, np.nan))
        if len(stable):
            pairs, (rho,) = make_pair_grids(stable, ["rho"], list_values(stable, "id"))
            members = find_members(pairs, np.unique(pairs))
            estimates["rank_stability"] = estimate(average_texts(rho), limits=(-1.0, 1.0), members=members)
        of_marks = marked[marked["attribution"] == name]
        if len(of_marks):
            estimates |= average_measures(of_marks, ["auprc"])
        best = next(iter(estimates.values()))
        cells = list_estimates(
            {"ranking": name, "best": best.value, "note": ""}, estimates | {"texts": Estimate(best.texts)}
        )
        cells[0]["note"], cells[-1]["seeds"] = note, cells[0]["seeds"]
        rows += cells
    if not rows:
        raise measured.refuse(*audits)
    return pd.DataFrame(rows).sort_values("best", ascending=False, kind="stable")


def hf_table_maps(
    corpus: Frames, census: Frames, subjects: Subjects, answer: Mapping[str, Any], **audits: pd.DataFrame
) -> pd.DataFrame:
    """Compare attention, the further maps of a Transformer and other attributions, ordered by how well they locate the
    words that matter: a row for each data set, model and map, the best first.

    `located`: the estimate of this question, with leave-one-out as 1 and random words as 0; that of attention is the
    summary's. `opposes`: the share of texts whose first word raises the probability of the predicted class by more than
    the margin `inert` when it is deleted. `rank_stability`: the mean Spearman correlation between trainings. `auprc`:
    against marked words, mean over annotators. The note has the verdict of `located`, and the cost in passes.

    audits: predictions and those of `measure_maps`. All frames of audits hold rows of any number of data sets, with the
    key of the suite as the column `suite`; intervals are those of the answer, and the columns those of `TABLE`. corpus,
    census: see `tables.summary`.
    """
    judged = [subject for subject in subjects if subject.suite == "hf"]
    return make_table(measure_subjects(judged, audits, answer, corpus, census), measure_maps)


def own_table_maps(map_stability: pd.DataFrame, plausibility: pd.DataFrame, subjects: Subjects) -> pd.DataFrame:
    """Compare what readouts carry: `rank_stability` of attention and of further maps, and `auprc`; a row for each
    data set, model and map, the most stable first. Both frames hold rows of the suite `own`, and no other.
    """
    audits = {"map_stability": map_stability.assign(suite="own"), "plausibility": plausibility.assign(suite="own")}
    judged = [subject for subject in subjects if subject.suite == "own"]
    return make_table(measure_subjects(judged, audits), measure_maps)


def own_table_heads(
    heads: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names
) -> pd.DataFrame:
    """Ask the questions `used` and `ranks` of each head by itself, below those of the mean of the heads.

    `used`: how far shuffling the weights of this head alone moves the prediction; of the mean map, of all heads alike.
    `ranks`: where erasing in the order of this head's weights lies between chance (0) and the smallest set found (1).
    A model of which no head is known has one row, of its map, and a note that says so. From columns.HEADS,
    columns.PERMUTATION and columns.RANKED_SETS rows of any number of data sets; the columns are those of columns.TABLE,
    with intervals over texts.
    """
    rows: list[RowValues] = []
    for about, (shuffled, by_head, sets) in split_models(permutation, heads, ranked_sets):
        numbers = sorted(by_head["head"].unique())
        maps = {ALL_HEADS if numbers else "": (shuffled, select_ranking(sets, "attention"))}
        maps |= {f"head_{number}": (by_head[by_head["head"] == number],) * 2 for number in numbers}
        note = "" if numbers else "one map is given of it, and no heads"
        for name, (shuffles, order) in maps.items():
            estimates = {
                metric: estimate(average_texts(make_grid(shuffles, column)), limits=(0.0, 1.0))
                for metric, column in (("used", "mean_tvd"), ("flips", "flips"))
            }
            estimates["ranks"] = estimate_ranks(order, sets)
            rows += list_estimates({**about, "ranking": name, "note": note}, estimates)
    heads_in_order = (f"head_{number}" for number in sorted(heads["head"].unique()))
    return order_rows(pd.DataFrame(rows), model=models, ranking=["", ALL_HEADS, *heads_in_order])
