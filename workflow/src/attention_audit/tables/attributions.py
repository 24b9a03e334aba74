"""Attention and other attributions of the models of all suites; the papers have no such tables.

What attention is to the exact contributions, how often a first item opposes the prediction, what erasing words in part
does, how well attributions point to marked words, beside floors and a ceiling, and which attribution to show instead of
attention: `located` and `ranks` of all of them, on the same texts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, Sample, estimate, estimate_mean
from attention_audit.answer.samples import erase, place_order, place_ranking, take_share
from attention_audit.answer.verdicts import SHUFFLED
from attention_audit.arrays import Integers
from attention_audit.columns.audits import TOP
from attention_audit.columns.kinds import BY_DESIGN
from attention_audit.columns.tables import INSTEAD
from attention_audit.names import PLAUSIBLE, RANKINGS
from attention_audit.questions import ANY_WEIGHTS

from .model_answers import MeasuredModel, NotAsked, add_maps, average_known, measure_subjects
from .tidy import (
    Frames,
    RowValues,
    Subjects,
    add_falls,
    average_columns,
    fill_columns,
    list_estimates,
    list_values,
    make_grid,
    number_groups,
    order_rows,
    select_ranking,
)

ROUNDING = 1e-6
"""Changes of a probability that are no larger come from the rounding of a network's float32."""
MEASURED_METRICS = ("tau", "overlap", "against", "largest_weight", "top_flips")
SOFT_METRICS = ("comprehensiveness", "comprehensiveness_gain", "sufficiency", "sufficiency_gain")
Place = Callable[..., Sample]
"""Makes a sample of what a random order, a ranking and the best one measure, (S, N) each, and of groups of texts."""
BY_ATTENTION, RANDOM_ORDER, SMALLEST_SET, LOO = "attention", "random", "smallest", "loo"
RANDOM_ZERO = "a random order"
"""What is 0 of `ranks` where weights cannot be imposed."""
YARDSTICKS = {"located": LOO, "ranks": "product"}
"""The attribution that the 1 of a question is made of, or nearly so."""
MEASURE_NAMES: Mapping[str, str] = {"auprc": "auprc", "f1": "token_f1", "iou": "iou", "mass": "marked_mass"}
"""The measures of `plausibility` by the names that they have in the table."""
PLANTED_METRICS = {"f1": "found", "auprc": "auprc", "mass": "marked_mass"}
"""Those of planted words: of the k first words, as many as are planted, the share that is."""
MARKED_METRICS = (
    "found", *MEASURE_NAMES.values(), *(f"majority_{name}" for name in MEASURE_NAMES.values()), "ranks", "located",
    "texts", "unmarked", "all_marked",
)  # fmt: skip


def make_table(models: Iterable[MeasuredModel], rows_of: Callable[[MeasuredModel], pd.DataFrame]) -> pd.DataFrame:
    """Make one table of what `rows_of` says of each model, data set by data set, with the columns of `TABLE`.

    Where it raises NotAsked, the model has one empty row, with the reason.
    """
    frames: list[pd.DataFrame] = []
    for measured in models:
        subject = measured.subject
        try:
            rows = rows_of(measured)
        except NotAsked as reason:
            rows = pd.DataFrame([{"seeds": subject.seeds, "note": f"not asked: {reason}"}])
        frames.append(fill_columns(rows.assign(**subject.model_dump(include={"dataset", "paper", "model"}))))
    table = pd.concat(frames or [fill_columns(pd.DataFrame())])
    ranks = [table.groupby(keys, sort=False).ngroup() for keys in (["paper", "model"], ["dataset"])]
    return table.iloc[np.lexsort(ranks)].reset_index(drop=True)


def average_measures(rows: pd.DataFrame, measures: Sequence[str]) -> dict[str, Estimate]:
    """Average measures over texts and trainings, from rows with the columns seed, id and the measures. Of several
    annotators of a text, the mean counts.
    """
    of_texts = rows.groupby(["seed", "id"], sort=False, observed=True)[[*measures]].mean().reset_index()
    return {measure: estimate_mean(make_grid(of_texts[of_texts[measure].notna()], measure)) for measure in measures}


def compare_contributions(measured: MeasuredModel) -> pd.DataFrame:
    """Compute the cells of one model by ranking: MEASURED_METRICS of attention; of all, violations and texts.

    Of a text of at most TOP items the overlap is 1 by construction, so it counts as none. largest_weight: that of the
    item of the most attention. top_flips: whether the decision flips without it.
    """
    audits = ("contributions", "single_weight", "located")
    contributions, single_weight, located = map(measured.select_rows, audits)
    parts = []
    # lists are columns only where a model has some
    if not contributions.empty:
        attended = contributions.assign(
            ranking="attention",
            overlap=contributions["overlap"].where(contributions["items"] > TOP),
            largest_weight=contributions["top_weights_0"],
            top_flips=contributions["top_flips"].astype(float),
        )
        parts.append(average_columns(attended, ["ranking"], MEASURED_METRICS, signed=("tau",)))
    for rows, fall, name in ((single_weight, "top_fall", "erased"), (located, "falls_0", "deleted")):
        # all draws of the other item have one top item
        once = rows.drop_duplicates(["seed", "id", "ranking"])
        if not once.empty:
            rises = (once[fall] < -ROUNDING).astype(float).where(once[fall].notna())
            parts.append(average_columns(once.assign(**{name: rises}), ["ranking"], (name,)))
    if not parts:
        raise measured.refuse(*audits)
    # of how many texts: where words were deleted from a sample, of this one
    rows = pd.concat(parts).drop_duplicates(["ranking", "metric"], keep="last")
    return order_rows(rows, (*MEASURED_METRICS, "erased", "deleted", "texts"), ranking=["attention", *RANKINGS])


def table_contributions(subjects: Subjects, **audits: pd.DataFrame) -> pd.DataFrame:
    """Is attention proportional to what each item adds to the decision, and in which share of the texts does the item
    that a ranking puts first oppose the prediction? One row for each data set, model and ranking.

    The second is the faithfulness violation test of Liu et al. 2022: an attribution that says "this supports the
    prediction" of its first item is violated where the probability of the predicted class rises without it. `erased`:
    its attention is zeroed and the other weights renormalised (`single_weight`). `deleted`: the word is deleted from
    the input, which is read again (`located`).

    audits: rows of contributions, single_weight and located, of any number of data sets and suites, with the key of the
    suite as the column `suite`, and each list in columns of its own, such as top_weights_0. Intervals are those of the
    answer. A model that was asked nothing of it has one empty row, with the reason. The columns are those of
    `TABLE`.
    """
    return make_table(measure_subjects(subjects, audits), compare_contributions)


def average_soft(measured: MeasuredModel) -> pd.DataFrame:
    """Average SOFT of one model over texts and trainings, by attribution."""
    soft = measured.require_rows("soft")
    gains = {f"{name}_gain": soft[name] - soft[f"shuffled_{name}"] for name in ("comprehensiveness", "sufficiency")}
    averages = average_columns(soft.assign(**gains), ["ranking"], SOFT_METRICS, signed=[*gains])
    return order_rows(averages, ranking=RANKINGS)


def table_soft(soft: pd.DataFrame, subjects: Subjects) -> pd.DataFrame:
    """Average soft normalised comprehensiveness and sufficiency of attributions, and how much of both is due to the
    order.

    Zhao & Aletras 2023. `gain`: beyond what the same scores reach when they are shuffled over the words. One row for
    each data set, model and attribution. `soft` holds rows of the audit of this name, of any number of data sets and
    suites, with the key of the suite as the column `suite`; intervals are those of the answer, and the columns those of
    `TABLE`.
    """
    return make_table(measure_subjects(subjects, {"soft": soft}), average_soft)


def compare_rankings(
    measured: MeasuredModel, rows: pd.DataFrame, value: str, best: str, choose: Callable[..., Place | None]
) -> dict[str, tuple[Estimate, ...]]:
    """Estimate a question of each ranking, and of attention on the texts that this ranking has.

    rows: with the columns seed, id, ranking, and `value`. best: the ranking that is 1. choose: chooses how a ranking is
    placed on the scale of these seeds, ids and groups; None where it is not. The ends of the scale are left out.
    """
    seeds, names = list_values(rows, "seed"), list_values(rows, "ranking")
    if not {BY_ATTENTION, RANDOM_ORDER, best} <= {*names}:
        return {}
    effects: dict[str, tuple[Estimate, ...]] = {}
    for name in RANKINGS.arrange(name for name in names if name not in (RANDOM_ORDER, SMALLEST_SET)):
        # a costly ranking is of a sample of the texts
        ids = list_values(select_ranking(rows, name), "id")
        together = number_groups(ids, measured.shared)
        random, ranking, attention, ceiling = (
            make_grid(select_ranking(rows, each), value, seeds, ids)
            for each in (RANDOM_ORDER, name, BY_ATTENTION, best)
        )
        if place := choose(seeds, ids, together):
            effects[name] = tuple(
                estimate(place(random, each, ceiling, together), together) for each in (ranking, attention)
            )
    return effects


def choose_zero(
    shuffles: pd.DataFrame, seeds: Sequence[int], ids: Sequence[str], groups: Integers | None
) -> Place | None:
    """Choose what is 0 of `ranks`, of these trainings and texts: shuffled weights, as the answer has it (`ask_ranks`);
    a random order where `shuffles` has no rows, as weights cannot be imposed; None where any weights would do.
    """
    if shuffles.empty:
        return erase
    # a ranking that never flips the decision has erased all items
    rows = shuffles[shuffles["shuffle"] > 0].fillna({"random": 1.0, "by_weight": 1.0})
    maps = [of_map for _, of_map in rows.groupby("shuffle", observed=True)]
    names = ("by_weight", "random", "smallest")
    by_weight, random, smallest = (np.array([make_grid(rows, name, seeds, ids) for rows in maps]) for name in names)
    shuffled = take_share(add_maps(by_weight - smallest), add_maps(random - smallest), groups)
    reached = 1 - average_known(shuffled.values)
    return None if reached >= ANY_WEIGHTS["ranks"] else partial(place_order, shuffled=shuffled)


def compare_attributions(measured: MeasuredModel) -> dict[str, dict[str, tuple[Estimate, ...]]]:
    """Estimate both questions of all rankings of one model: by question and ranking, beside attention."""
    ranked_sets, shuffles, located = map(measured.select_rows, ("ranked_sets", "shuffles", "located"))
    columns = ["seed", "id", "ranking", "fraction_removed"]
    additions = located.loc[~located["ranking"].isin(list_values(ranked_sets, "ranking")), columns]
    erased = pd.concat([ranked_sets[columns], additions], ignore_index=True).astype({"id": object, "ranking": object})
    falls = add_falls(located[located["words"] > 1])
    return {
        "located": compare_rankings(measured, falls, "fall", LOO, lambda *_: place_ranking),
        "ranks": compare_rankings(measured, erased, "fraction_removed", SMALLEST_SET, partial(choose_zero, shuffles)),
    }


def instead(subjects: Subjects, corpus: Frames, **audits: pd.DataFrame) -> pd.DataFrame:
    """List all attributions of each model, with the columns of columns.INSTEAD.

    audits: rows of ranked_sets and located, of any number of data sets and suites, with the key of the suite as the
    column `suite` and the list `falls` as columns. corpus: see `tables.summary`.
    """
    rows = []
    for measured in measure_subjects(subjects, audits, corpus=corpus):
        effects = compare_attributions(measured)
        about = measured.subject.model_dump(include={"dataset", "suite", "model", "seeds"})
        zero = RANDOM_ZERO if measured.select_rows("shuffles").empty else SHUFFLED
        for name in RANKINGS.arrange(name for each in effects.values() for name in each):
            row: RowValues = {**INSTEAD.blank, **about, "attribution": name, "ranks_zero": zero}
            for question, estimates in effects.items():
                row[f"{question}_yardstick"] = name == YARDSTICKS[question]
                if name in estimates:
                    value, attention = estimates[name]
                    row |= {f"{question}_{end}": getattr(value, end) for end in ("value", "low", "high", "texts")}
                    row[f"{question}_attention"] = attention.value
            rows.append(row)
    return pd.DataFrame(rows, columns=INSTEAD.schema.names)


def list_mark_cells(rows: pd.DataFrame) -> dict[str, Estimate]:
    """List the cells of one attribution of a model: each annotator's marks, those of their majority, and counts."""
    majority = rows["annotator"] == ""
    single, names = rows[~majority], PLANTED_METRICS if (rows["annotator"] == BY_DESIGN).all() else MEASURE_NAMES
    cells = {
        prefix + names[measure]: mean
        for prefix, part in (("", single), ("majority_", rows[majority]))
        for measure, mean in average_measures(part, [*names]).items()
        if mean.texts
    }
    counts = {"texts": single.loc[single["auprc"].notna(), "id"].nunique()}
    if rows["attribution"].iloc[0] == RANDOM_ORDER:
        maps = single.drop_duplicates(["id", "annotator"])
        counts["unmarked"] = (maps["marked"] == 0).sum()
        counts["all_marked"] = ((maps["marked"] > 0) & (maps["marked"] == maps["words"])).sum()
    return cells | {name: Estimate(count) for name, count in counts.items()}


def compare_marks(measured: MeasuredModel) -> pd.DataFrame:
    """Compute the cells of all attributions of a model, one after another."""
    audits = ("plausibility", "plausible_words", "ranked_sets", "located")
    plausibility, plausible_words = map(measured.select_rows, audits[:2])
    if plausibility.empty:
        raise measured.refuse(*audits)
    marked = pd.concat([plausibility, plausible_words], ignore_index=True).astype({"id": object, "attribution": object})
    effects = compare_attributions(measured)
    rows: list[RowValues] = []
    for name in PLAUSIBLE.arrange(marked["attribution"].unique()):
        cells = list_mark_cells(marked[marked["attribution"] == name])
        cells |= {question: estimates[name][0] for question, estimates in effects.items() if name in estimates}
        rows += list_estimates({"ranking": name}, cells)
    return order_rows(pd.DataFrame(rows), MARKED_METRICS, ranking=PLAUSIBLE)


def table_plausibility(plausibility: pd.DataFrame, subjects: Subjects, **audits: pd.DataFrame) -> pd.DataFrame:
    """Compare attributions with marked words, and how faithful they are: one row for each data set, model and
    attribution.

    The frames hold rows of plausibility, plausible_words, ranked_sets and located, of any number of data sets and
    suites, with the key of the suite as the column `suite`; a list of k numbers is k columns. Intervals are those of
    the summary. Beside what each annotator marked stands what their majority did, where there are several. A model that
    was not asked has one row with the reason, where another model of its data set was asked. The columns are those of
    `TABLE`.
    """
    datasets = {*plausibility["dataset"]}
    judged = [subject for subject in subjects if subject.dataset in datasets]
    return make_table(measure_subjects(judged, audits | {"plausibility": plausibility}), compare_marks)
