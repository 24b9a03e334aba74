"""What a reader may do with a model's attention map: a row a data set, suite and model.

`tables.asked` asks the eight questions; `answer.lines` makes the line that is shown of each.
"""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import estimate
from attention_audit.answer.lines import ask_order
from attention_audit.answer.samples import compare_largest
from attention_audit.answer.statements import NONE, Cell, Part
from attention_audit.arrays import Integers
from attention_audit.columns.tables import SUMMARY
from attention_audit.questions import QUESTIONS
from attention_audit.scores import accuracy, macro_f1

from .arrays import Frames, Subjects
from .asked import ASKED, Asked, Measured, measure_subjects
from .plausibility import effects_of

BOUNDS = ("value", "low", "high")


def list_bounds(name: str, found: Any) -> dict[str, float]:
    """Name the columns of an estimate, or effect, that stands beside an answer."""
    return {f"{name}_{end}": getattr(found, end) for end in BOUNDS}


def describe_class(part: Part, zones: str) -> dict[str, Any]:
    """Describe what was found of one class, for JSON."""
    numbers = {**{end: getattr(part.estimate, end) for end in BOUNDS}, "shuffled": part.shuffled}
    known = {name: round(value, 6) if isfinite(value) else None for name, value in numbers.items()}
    return {"name": part.name, "texts": part.fewest, **known, "zones": zones}


def list_columns(question: str, cell: Cell) -> dict[str, Any]:
    """Name the columns of one question."""
    found = cell.part.estimate
    classes = [describe_class(part, zones) for part, zones in cell.classes]
    columns = {
        **{name: getattr(found, name) for name in (*BOUNDS, "next_low", "next_high", "texts", "trainings")},
        **{name: getattr(cell, name) for name in ("zones", "said", "reason", "clause", "left_out", "apart")},
        "each": found.each if len(found.each) > 1 else [],
        "shuffled": cell.part.shuffled,
        "classes": json.dumps(classes, ensure_ascii=False) if classes else "",
    }
    return {f"{question}_{name}": value for name, value in columns.items()} | {**cell.beside}


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
        effects_of(single[single["attribution"] == name], ["auprc"])["auprc"]
        for name in ("attention", "random", "others")
    )
    return {
        **list_bounds("plausibility", attention),
        "plausibility_random": random.value,
        "plausibility_others": others.value,
        "plausibility_texts": attention.texts,
    }


BLANK = SUMMARY.blank | {f"{question}_zones": NONE for question in QUESTIONS}


def answer_subject(measured: Measured, asked: Asked = ASKED) -> dict[str, Any]:
    """Make one row of columns.SUMMARY. Where there are no labels, nothing is said of how well the model predicts."""
    subject, own = measured.subject, measured.rows("predictions")
    row = BLANK | subject.model_dump(include={"dataset", "suite", "paper", "model", "seeds"})
    row |= {"texts": len(measured.ids), "groups": measured.count(np.ones(len(measured.ids), bool))}
    if own["label"].notna().any():
        labels = own.drop_duplicates("id")["label"].to_numpy(np.int64)
        row |= judge_ability(labels, measured.predictions.astype(np.int64), measured.groups)
    for question, ask in asked.items():
        row |= list_columns(question, ask(measured))
    return row | {"note": ask_order(row)} | list_marks(measured.rows("plausibility"))


def summary(
    subjects: Subjects,
    reasons: Mapping[str, str],
    answer: Mapping[str, Any],
    corpus: Frames,
    census: Frames,
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """Make one row for each data set and model, with the columns of columns.SUMMARY.

    `reasons`: why data sets were not run, by data set. `answer`: the section `answer` of the configuration. `corpus`:
    the id and group of the test texts by data set, which says which of them belong together. `census`: the names of
    classes. `audits`: rows of the audits that the questions ask, of any number of data sets and suites, with the key of
    the suite as the column `suite`; a list of k numbers is k columns.
    """
    measured = measure_subjects(subjects, audits, answer, corpus, census)
    missing = [BLANK | {"dataset": dataset, "note": f"Not run: {reason}."} for dataset, reason in reasons.items()]
    return pd.DataFrame([*map(answer_subject, measured), *missing], columns=SUMMARY.schema.names)
