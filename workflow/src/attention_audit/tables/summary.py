"""What a reader may do with a model's attention map: a row a data set, suite and model.

`tables.asked` asks the eight questions; `answer.lines` makes the line that is shown of each.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import estimate
from attention_audit.answer.lines import ask_order
from attention_audit.answer.samples import compare_largest
from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.statements import Cell, Part
from attention_audit.columns.tables import SUMMARY
from attention_audit.contrasts import Subject
from attention_audit.questions import QUESTIONS
from attention_audit.scores import accuracy, macro_f1
from attention_audit.tables.arrays import Audits, Integers, groups_of, of_run
from attention_audit.tables.asked import ASKED, Asked, Measured
from attention_audit.tables.plausibility import effects_of
from attention_audit.tables.wording import ClassNames, class_names


def list_bounds(name: str, found: Any) -> dict[str, float]:
    """Name the columns of an estimate, or effect, that stands beside an answer."""
    return {f"{name}_{end}": getattr(found, end) for end in ("value", "low", "high")}


def describe_class(part: Part, zones: str) -> dict[str, Any]:
    """Describe what was found of one class, for JSON."""
    numbers = {**{end: getattr(part.estimate, end) for end in ("value", "low", "high")}, "shuffled": part.shuffled}
    known = {name: round(value, 6) if isfinite(value) else None for name, value in numbers.items()}
    return {"name": part.name, "texts": part.fewest, **known, "zones": zones}


def list_columns(question: str, cell: Cell) -> dict[str, Any]:
    """Name the columns of one question."""
    found = cell.part.estimate
    columns = {name: getattr(found, name) for name in ("value", "low", "high", "next_low", "next_high", "texts")}
    columns |= {name: getattr(cell, name) for name in ("zones", "said", "reason", "clause", "left_out", "apart")}
    columns |= {"each": list(found.each) if len(found.each) > 1 else [], "trainings": found.trainings}
    columns |= {"shuffled": cell.part.shuffled}
    classes = [describe_class(part, zones) for part, zones in cell.classes]
    columns["classes"] = json.dumps(classes, ensure_ascii=False) if classes else ""
    return {**{f"{question}_{name}": value for name, value in columns.items()}, **cell.beside}


def judge_ability(labels: Integers, predictions: Integers, groups: Integers | None) -> dict[str, Any]:
    """Compare S trainings with always giving the largest class: labels (N,), predictions (S, N).

    Of several classes that are equally frequent, the one that leaves the most doubt counts, so that no order of classes
    decides.
    """
    found = [estimate(sample, groups, (-1.0, 1.0)) for sample in compare_largest(labels, predictions)]
    least = min(found, key=lambda one: (round(one.low, 9), round(one.high, 9)))
    return {
        "learnt": "yes" if least.low > 0 else "no",
        **list_bounds("learnt", least),
        "macro_f1": float(np.mean([macro_f1(labels, row) for row in predictions])),
        "accuracy": float(np.mean([accuracy(labels, row) for row in predictions])),
        "majority_accuracy": float(np.bincount(labels).max() / len(labels)),
    }


def list_marks(own: pd.DataFrame) -> dict[str, Any]:
    """Name the columns of attention beside marked words, from the rows of `plausibility` of one model."""
    single = own[own["annotator"] != ""]
    attention, random, others = (
        effects_of(single[single["attribution"] == name], ["auprc"])["auprc"][0]
        for name in ("attention", "random", "others")
    )
    return {
        **list_bounds("plausibility", attention),
        "plausibility_random": random.value,
        "plausibility_others": others.value,
        "plausibility_texts": attention.texts,
    }


def answer_subject(
    subject: Subject, audits: Audits, margins: Margins, names: ClassNames, asked: Asked = ASKED
) -> dict[str, Any]:
    """Make one row of columns.SUMMARY; `audits` has the rows of the subject's data set and suite.

    Where there are no labels, nothing is said of how well the model predicts.
    """
    measured = Measured(subject, audits, margins, names)
    row = {**SUMMARY.blank, **subject.model_dump(include={"dataset", "suite", "paper", "model", "seeds"})}
    own = of_run(audits.predictions, subject.model)
    texts = len(measured.ids)
    row |= {"texts": texts, "groups": texts if measured.groups is None else len(np.unique(measured.groups))}
    if own["label"].notna().any():
        labels = own.drop_duplicates("id")["label"].to_numpy(np.int64)
        row |= judge_ability(labels, measured.predictions.astype(np.int64), measured.groups)
    row |= {f"{question}_zones": "-" for question in QUESTIONS}
    for question, ask in asked.items():
        row |= list_columns(question, ask(measured))
    row["note"] = ask_order(row)
    return row | list_marks(of_run(audits.plausibility, subject.model))


def list_missing(reasons: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Make rows for data sets that were not available; `reasons` says why, by data set."""
    for dataset, reason in reasons.items():
        zones = {f"{question}_zones": "-" for question in QUESTIONS}
        yield {**SUMMARY.blank, **zones, "dataset": dataset, "note": f"Not run: {reason}."}


def summary(
    subjects: Sequence[Subject | Mapping[str, Any]],
    reasons: Mapping[str, str],
    answer: Mapping[str, Any],
    corpus: Mapping[str, pd.DataFrame],
    census: Mapping[str, pd.DataFrame],
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """Make one row for each data set and model, with the columns of columns.SUMMARY.

    `reasons`: why data sets were not run, by data set. `answer`: the section `answer` of the configuration. `corpus`:
    the id and group of the test texts by data set, which says which of them belong together. `census`: the names of
    classes. `audits`: rows of the audits that `Audits` names, of any number of data sets and suites, with the key of
    the suite as the column `suite`; a list of k numbers is k columns.
    """
    judged = [Subject.model_validate(subject) for subject in subjects]
    margins = AnswerSettings.model_validate(answer).margins
    keys = dict.fromkeys((subject.dataset, subject.suite) for subject in judged)
    groups, names = groups_of(corpus), class_names(census)
    frames = Audits(**audits)  # type: ignore[arg-type]  # frames alone
    parts = {(dataset, suite): frames.of(dataset, suite, groups.get(dataset, {})) for dataset, suite in keys}
    rows = [
        answer_subject(subject, parts[subject.dataset, subject.suite], margins, names.get(subject.dataset, {}))
        for subject in judged
    ]
    return pd.DataFrame([*rows, *list_missing(reasons)], columns=SUMMARY.schema.names)
