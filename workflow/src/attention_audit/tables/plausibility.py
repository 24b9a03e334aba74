"""How well attributions point to marked words, beside floors, a ceiling, and how faithful the same attributions are."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.answer.estimates import Estimate, mean
from attention_audit.columns.kinds import BY_DESIGN
from attention_audit.contrasts import Subject
from attention_audit.names import PLAUSIBLE

from .arrays import Subjects, different, grid, list_cells
from .attributions import RANDOM, compare_attributions, table_subjects

NAMES: Mapping[str, str] = {"auprc": "auprc", "f1": "token_f1", "iou": "iou", "mass": "marked_mass"}
"""The measures of an audit by the names that they have in the table."""
FOUND = {"f1": "found", "auprc": "auprc", "mass": "marked_mass"}
"""Those of planted words: of the k first words, as many as are planted, the share that is."""
METRICS = (
    "found", *NAMES.values(), *(f"majority_{name}" for name in NAMES.values()), "ranks", "located", "texts", "unmarked",
    "all_marked",
)  # fmt: skip


def effects_of(rows: pd.DataFrame, measures: Sequence[str]) -> dict[str, Estimate]:
    """By measure, its mean over texts and trainings, from rows with the columns seed, id and the measures. Of several
    annotators of a text, the mean counts.
    """
    of_texts = rows.groupby(["seed", "id"], sort=False, observed=True)[[*measures]].mean().reset_index()
    return {measure: mean(grid(of_texts[of_texts[measure].notna()], measure)) for measure in measures}


def list_marks(rows: pd.DataFrame) -> dict[str, Estimate]:
    """List the cells of one attribution of a model: each annotator's marks, those of their majority, and counts."""
    majority = rows["annotator"] == ""
    own, names = rows[~majority], FOUND if (rows["annotator"] == BY_DESIGN).all() else NAMES
    cells = {
        prefix + names[measure]: found
        for prefix, part in (("", own), ("majority_", rows[majority]))
        for measure, found in effects_of(part, [*names]).items()
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
    plain = [part.astype({"id": object, "attribution": object}) for part in (plausibility, plausible_words)]
    marked = pd.concat(plain, ignore_index=True)
    effects = compare_attributions(ranked_sets, located, {})
    rows: list[dict[str, Any]] = []
    for name in PLAUSIBLE.ordered(marked["attribution"].unique()):
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
    """Do attributions point to marked words, and are they faithful? One row for each data set, model and attribution.

    The frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite`; a list of k numbers is k columns. Intervals are those of the summary. Beside what each
    annotator marked stands what their majority did, where there are several. A model that was not asked has one row
    with the reason, where another model of its data set was asked. The columns are those of `TABLE`.
    """
    datasets = {*plausibility["dataset"]}
    judged = [subject for subject in map(Subject.model_validate, subjects) if subject.dataset in datasets]
    audits = {
        "plausibility": plausibility, "plausible_words": plausible_words, "ranked_sets": ranked_sets, "located": located
    }  # fmt: skip
    named = [*different(plausibility, "attribution"), *different(plausible_words, "attribution")]
    return table_subjects(judged, audits, compare_marks, PLAUSIBLE.extend(named), METRICS, " - ")
