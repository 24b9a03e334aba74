"""How well attributions point to marked words, beside floors, a ceiling, and how faithful the same attributions are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate
from attention_audit.answer.intervals import Effect, mean
from attention_audit.columns.audits import MEASURES
from attention_audit.columns.shared import BY_DESIGN
from attention_audit.contrasts import Subject
from attention_audit.names import PLAUSIBLE
from attention_audit.tables.arrays import Floats, cell, grid, of_run, of_suite
from attention_audit.tables.instead import compare_attributions
from attention_audit.tables.tidy import as_table

AUDIT = "plausibility"
NAMES: Mapping[str, str] = {"auprc": "auprc", "f1": "token_f1", "iou": "iou", "mass": "marked_mass"}
"""The measures of an audit by the names that they have in the table."""
FOUND = {"f1": "found", "auprc": "auprc", "mass": "marked_mass"}
"""Those of planted words: of the k first words, as many as are planted, the share that is."""
MAJORITY = "majority_"
FAITHFUL = ("ranks", "located")
"""Effects of the summary, which the table has of every attribution that is a ranking."""
COUNTS = ("texts", "unmarked", "all_marked")
METRICS = ("found", *NAMES.values(), *(MAJORITY + name for name in NAMES.values()), *FAITHFUL, *COUNTS)
RANDOM, OTHERS = "random", "others"
NO_TRAININGS = np.empty(0)


def row_of(paper: str, model: str, attribution: str) -> str:
    """What the row of an attribution of a model is called."""
    return f"{paper}/{model} - {attribution}"


def parts_of(row: str) -> tuple[str, str]:
    """The model, as the row of a table names it, and the attribution, from what `row_of` made of them."""
    about, _, attribution = row.rpartition(" - ")
    return about, attribution


def effects_of(rows: pd.DataFrame, measures: Sequence[str] = MEASURES) -> dict[str, tuple[Effect, Floats]]:
    """By measure, its mean over texts and trainings, from rows with the columns seed, id and the measures; and that of
    each training, (S,). Of several annotators of a text, the mean counts.
    """
    of_texts = rows.groupby(["seed", "id"], sort=False, observed=True)[[*measures]].mean().reset_index()
    found = {}
    for measure in measures:
        values = grid(of_texts[of_texts[measure].notna()], measure)
        found[measure] = mean(values), np.nanmean(values, 1) if values.size else NO_TRAININGS
    return found


def celled(metric: str, effect: Effect | Estimate, by_training: Floats = NO_TRAININGS) -> dict[str, Any]:
    """One cell of the table."""
    return {"metric": metric, "seeds": effect.trainings, **cell(effect, by_training)}


def beside_marks(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The cells of one attribution of a model: each annotator's marks, those of their majority, and counts."""
    majority = rows["annotator"] == ""
    names = FOUND if (rows["annotator"] == BY_DESIGN).all() else NAMES
    for prefix, part in (("", rows[~majority]), (MAJORITY, rows[majority])):
        for measure, (effect, by_training) in effects_of(part, [*names]).items():
            if effect.texts:
                yield celled(prefix + names[measure], effect, by_training)
    scored = rows[~majority & rows["auprc"].notna()]
    yield {"metric": "texts", "mean": float(scored["id"].nunique())}
    if rows["attribution"].iloc[0] == RANDOM:
        maps = rows[~majority].drop_duplicates(["id", "annotator"])
        yield {"metric": "unmarked", "mean": float((maps["marked"] == 0).sum())}
        full = (maps["marked"] > 0) & (maps["marked"] == maps["words"])
        yield {"metric": "all_marked", "mean": float(full.sum())}


def of_model(rows: pd.DataFrame, ranked_sets: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """The cells of all attributions of a model, from its rows of both audits of plausibility, one after another."""
    effects = compare_attributions(ranked_sets, located, {}) if len(located) or len(ranked_sets) else {}
    cells: list[dict[str, Any]] = []
    for name in PLAUSIBLE.ordered(rows["attribution"].unique()):
        own = list(beside_marks(rows[rows["attribution"] == name]))
        if name != RANDOM:
            own += [celled(question, found[name][0]) for question, found in effects.items() if name in found]
        cells += [{"attribution": name, **each} for each in own]
    return pd.DataFrame(cells)


def table_plausibility(
    plausibility: pd.DataFrame,
    plausible_words: pd.DataFrame,
    ranked_sets: pd.DataFrame,
    located: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
) -> pd.DataFrame:
    """Do attributions point to marked words, and are they faithful? One row for each data set, model and attribution.

    The frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite`; a list of k numbers is k columns. Intervals are those of the summary. Beside what each
    annotator marked stands what their majority did, where there are several. A model that was not asked has one row
    with the reason, where another model of its data set was asked. The columns are those of `TABLE`.
    """
    judged = [Subject.model_validate(subject) for subject in subjects]
    audits = [plausibility, plausible_words, ranked_sets, located]
    marked = set(plausibility["dataset"].unique())
    frames = [pd.DataFrame(columns=["dataset", "row", "metric", "mean"])]
    for subject in judged:
        about = f"{subject.paper}/{subject.model}"
        first, further, erasures, deletions = (
            of_run(of_suite(rows, subject.dataset, subject.suite), subject.model) for rows in audits
        )
        if len(first):
            plain = [part.astype({"id": object, "attribution": object}) for part in (first, further)]
            cells = of_model(pd.concat(plain, ignore_index=True), erasures, deletions)
            names = cells.pop("attribution")
            cells["row"] = [row_of(subject.paper, subject.model, name) for name in names]
            frames.append(cells.assign(dataset=subject.dataset, note=""))
        elif subject.dataset in marked and (reason := subject.unasked.get(AUDIT)):
            note = {"dataset": subject.dataset, "row": about, "metric": "", "mean": np.nan, "seeds": subject.seeds}
            frames.append(pd.DataFrame([{**note, "note": f"not asked: {reason}"}]))
    order = [
        row
        for paper, model in dict.fromkeys((subject.paper, subject.model) for subject in judged)
        for row in (f"{paper}/{model}", *(row_of(paper, model, name) for name in PLAUSIBLE))
    ]
    rows = pd.concat(frames[1:] or frames, ignore_index=True)
    table = as_table(rows, order, [*METRICS, ""])
    # what is counted has no trainings
    return table.assign(seeds=table["seeds"].astype(float).fillna(0).astype(np.int64))
