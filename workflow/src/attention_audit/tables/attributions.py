"""Attention and other attributions of the models of all suites; the papers have no such tables.

What attention is to the exact contributions, how often a first item opposes the prediction, what erasing words in part
does, how well attributions point to marked words, beside floors and a ceiling, and which attribution to show instead of
attention: `located` and `ranks` of all of them, on the same texts.
"""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from attention_audit.answer.estimates import Estimate, Sample, estimate, estimate_mean
from attention_audit.answer.samples import erase, place_ranking
from attention_audit.columns.audits import TOP
from attention_audit.columns.kinds import BY_DESIGN
from attention_audit.columns.tables import INSTEAD
from attention_audit.names import PLAUSIBLE, RANKINGS

from .model_answers import find_reason
from .tidy import (
    Frames,
    Row,
    Subjects,
    add_falls,
    as_table,
    average_columns,
    fill_columns,
    list_cells,
    list_subjects,
    list_values,
    make_grid,
    map_groups,
    number_groups,
    select_ranking,
)

ROUNDING = 1e-6
"""Changes of a probability that are no larger come from the rounding of a network's float32."""
MEASURED_METRICS = ("tau", "overlap", "against", "largest_weight", "top_flips")
SOFT = ("comprehensiveness", "comprehensiveness_gain", "sufficiency", "sufficiency_gain")
ATTENTION, RANDOM, SMALLEST, LOO = "attention", "random", "smallest", "loo"
YARDSTICKS = {"located": LOO, "ranks": "product"}
"""The attribution that the 1 of a question is made of, or nearly so."""
NAMES: Mapping[str, str] = {"auprc": "auprc", "f1": "token_f1", "iou": "iou", "mass": "marked_mass"}
"""The measures of `plausibility` by the names that they have in the table."""
PLANTED_METRICS = {"f1": "found", "auprc": "auprc", "mass": "marked_mass"}
"""Those of planted words: of the k first words, as many as are planted, the share that is."""
MARKED_METRICS = (
    "found", *NAMES.values(), *(f"majority_{name}" for name in NAMES.values()), "ranks", "located", "texts", "unmarked",
    "all_marked",
)  # fmt: skip


def make_table(
    subjects: Subjects,
    audits: Frames,
    rows_of: Callable[..., pd.DataFrame],
    parts: Sequence[str],
    metrics: Sequence[str],
    sign: str = "/",
) -> pd.DataFrame:
    """Make one table of what `rows_of` says of each model, called with the model's rows of each audit.

    It returns rows named by the part that comes after paper, model and sign. parts: all of these, in order; none: in
    the order in which the first model has them. Where it returns none, the model has one empty row, with the reason why
    it was not asked. The columns are those of `TABLE`.
    """
    frames, order = [], dict[str, None]()
    for subject, own in list_subjects(subjects, audits):
        name, found = f"{subject.paper}/{subject.model}", rows_of(**own)
        if found.empty:
            note = f"not asked: {find_reason(subject, *audits)}"
            found = pd.DataFrame([{"row": name, "seeds": subject.seeds, "note": note}])
        else:
            found["row"] = f"{name}{sign}" + found["row"]
        frames.append(fill_columns(found.assign(dataset=subject.dataset)))
        order |= dict.fromkeys([name, *([f"{name}{sign}{part}" for part in parts] or found["row"])])
    return as_table(frames, order, [*metrics, "texts", ""])


def average_measures(rows: pd.DataFrame, measures: Sequence[str]) -> dict[str, Estimate]:
    """Average measures over texts and trainings, from rows with the columns seed, id and the measures. Of several
    annotators of a text, the mean counts.
    """
    of_texts = rows.groupby(["seed", "id"], sort=False, observed=True)[[*measures]].mean().reset_index()
    return {measure: estimate_mean(make_grid(of_texts[of_texts[measure].notna()], measure)) for measure in measures}


def compare_contributions(
    contributions: pd.DataFrame, single_weight: pd.DataFrame, located: pd.DataFrame
) -> pd.DataFrame:
    """Compute the cells of one model by ranking: MEASURED_METRICS of attention; of all, violations and texts.

    Of a text of at most TOP items the overlap is 1 by construction, so it counts as none. largest_weight: that of the
    item of the most attention. top_flips: whether the decision flips without it.
    """
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
    # of how many texts: where words were deleted from a sample, of this one
    return (
        pd.concat(parts, ignore_index=True).drop_duplicates(["row", "metric"], keep="last") if parts else contributions
    )


def table_contributions(
    contributions: pd.DataFrame, single_weight: pd.DataFrame, located: pd.DataFrame, subjects: Subjects
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
    named = RANKINGS.extend([*list_values(single_weight, "ranking"), *list_values(located, "ranking")])
    rankings = [*dict.fromkeys(["attention", *named])]
    return make_table(subjects, audits, compare_contributions, rankings, (*MEASURED_METRICS, "erased", "deleted"))


def average_soft(soft: pd.DataFrame) -> pd.DataFrame:
    """Average SOFT of one model over texts and trainings, by attribution."""
    gains = {f"{name}_gain": soft[name] - soft[f"shuffled_{name}"] for name in ("comprehensiveness", "sufficiency")}
    return average_columns(soft.assign(**gains), ["ranking"], SOFT, signed=[*gains])


def table_soft(soft: pd.DataFrame, subjects: Subjects) -> pd.DataFrame:
    """Average soft normalised comprehensiveness and sufficiency of attributions, and how much of both is due to the
    order.

    Zhao & Aletras 2023. `gain`: beyond what the same scores reach when they are shuffled over the words. One row for
    each data set, model and attribution. `soft` holds rows of the audit of this name, of any number of data sets and
    suites, with the key of the suite as the column `suite`; intervals are those of the answer, and the columns those of
    `TABLE`.
    """
    return make_table(subjects, {"soft": soft}, average_soft, RANKINGS.extend(list_values(soft, "ranking")), SOFT)


def compare_rankings(
    rows: pd.DataFrame, value: str, best: str, take: Callable[..., Sample], groups: Mapping[str, str]
) -> dict[str, tuple[Estimate, Estimate]]:
    """Estimate a question of each ranking, and of attention on the texts that this ranking has.

    rows: of one model, with the columns seed, id, ranking, and `value`. best: the ranking that is 1. groups: what texts
    share, by id. The ends of the scale are left out.
    """
    seeds, names = list_values(rows, "seed"), {*list_values(rows, "ranking")}
    if not {ATTENTION, RANDOM, best} <= names:
        return {}
    found = {}
    for name in RANKINGS.arrange(names - {RANDOM, SMALLEST}):
        # a costly ranking is of a sample of the texts
        ids = list_values(select_ranking(rows, name), "id")
        together = number_groups(ids, groups)
        random, ranking, attention, most = (
            make_grid(select_ranking(rows, each), value, seeds, ids) for each in (RANDOM, name, ATTENTION, best)
        )
        own, theirs = (estimate(take(random, each, most, together), together) for each in (ranking, attention))
        found[name] = own, theirs
    return found


def compare_attributions(
    ranked_sets: pd.DataFrame, located: pd.DataFrame, groups: Mapping[str, str]
) -> dict[str, dict[str, tuple[Estimate, Estimate]]]:
    """Estimate both questions of all rankings of one model: by question and ranking, beside attention."""
    columns = ["seed", "id", "ranking", "fraction_removed"]
    further = located.loc[~located["ranking"].isin(list_values(ranked_sets, "ranking")), columns]
    erased = pd.concat([ranked_sets[columns], further], ignore_index=True).astype({"id": object, "ranking": object})
    return {
        "located": compare_rankings(add_falls(located[located["words"] > 1]), "fall", LOO, place_ranking, groups),
        "ranks": compare_rankings(erased, "fraction_removed", SMALLEST, erase, groups),
    }


def instead(ranked_sets: pd.DataFrame, located: pd.DataFrame, subjects: Subjects, corpus: Frames) -> pd.DataFrame:
    """List all attributions of each model, with the columns of columns.INSTEAD.

    Both frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite` and the list `falls` as columns. corpus: see `tables.summary`.
    """
    groups, rows = map_groups(corpus), []
    for subject, own in list_subjects(subjects, {"ranked_sets": ranked_sets, "located": located}):
        found = compare_attributions(**own, groups=groups.get(subject.dataset, {}))
        about = subject.model_dump(include={"dataset", "suite", "model", "seeds"})
        for name in RANKINGS.arrange({name for each in found.values() for name in each}):
            row: Row = {**INSTEAD.blank, **about, "attribution": name}
            for question, estimates in found.items():
                row[f"{question}_yardstick"] = name == YARDSTICKS[question]
                if name in estimates:
                    value, attention = estimates[name]
                    row |= {f"{question}_{end}": getattr(value, end) for end in ("value", "low", "high", "texts")}
                    row[f"{question}_attention"] = attention.value
            rows.append(row)
    return pd.DataFrame(rows, columns=INSTEAD.schema.names)


def list_marks(rows: pd.DataFrame) -> dict[str, Estimate]:
    """List the cells of one attribution of a model: each annotator's marks, those of their majority, and counts."""
    majority = rows["annotator"] == ""
    own, names = rows[~majority], PLANTED_METRICS if (rows["annotator"] == BY_DESIGN).all() else NAMES
    cells = {
        prefix + names[measure]: found
        for prefix, part in (("", own), ("majority_", rows[majority]))
        for measure, found in average_measures(part, [*names]).items()
        if found.texts
    }
    counts = {"texts": own.loc[own["auprc"].notna(), "id"].nunique()}
    if rows["attribution"].iloc[0] == RANDOM:
        maps = own.drop_duplicates(["id", "annotator"])
        counts["unmarked"] = (maps["marked"] == 0).sum()
        counts["all_marked"] = ((maps["marked"] > 0) & (maps["marked"] == maps["words"])).sum()
    return cells | {name: Estimate(count) for name, count in counts.items()}


def compare_marks(
    plausibility: pd.DataFrame, plausible_words: pd.DataFrame, ranked_sets: pd.DataFrame, located: pd.DataFrame
) -> pd.DataFrame:
    """Compute the cells of all attributions of a model, one after another."""
    if plausibility.empty:
        return plausibility
    marked = pd.concat([plausibility, plausible_words], ignore_index=True).astype({"id": object, "attribution": object})
    effects = compare_attributions(ranked_sets, located, {})
    rows: list[Row] = []
    for name in PLAUSIBLE.arrange(marked["attribution"].unique()):
        cells = list_marks(marked[marked["attribution"] == name])
        cells |= {question: found[name][0] for question, found in effects.items() if name in found}
        rows += list_cells({"row": name}, cells)
    return pd.DataFrame(rows)


def table_plausibility(
    plausibility: pd.DataFrame,
    plausible_words: pd.DataFrame,
    ranked_sets: pd.DataFrame,
    located: pd.DataFrame,
    subjects: Subjects,
) -> pd.DataFrame:
    """Compare attributions with marked words, and how faithful they are: one row for each data set, model and
    attribution.

    The frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite`; a list of k numbers is k columns. Intervals are those of the summary. Beside what each
    annotator marked stands what their majority did, where there are several. A model that was not asked has one row
    with the reason, where another model of its data set was asked. The columns are those of `TABLE`.
    """
    datasets = {*plausibility["dataset"]}
    judged = [subject for subject in subjects if subject.dataset in datasets]
    audits = {
        "plausibility": plausibility, "plausible_words": plausible_words, "ranked_sets": ranked_sets, "located": located
    }  # fmt: skip
    named = [*list_values(plausibility, "attribution"), *list_values(plausible_words, "attribution")]
    return make_table(judged, audits, compare_marks, PLAUSIBLE.extend(named), MARKED_METRICS, " - ")
