"""The summary as the front page shows it: a row a data set and model, a cell a question, and the sentence to quote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from attention_audit.answer.sentence import SCORES, beside_marks, quality
from attention_audit.columns.summary import INSTEAD, MEASURED, QUESTIONS
from attention_audit.names import display_name
from attention_audit.tables.shown import instead, interval
from attention_audit.tables.wording import named, number


@dataclass(frozen=True)
class Cell:
    """One answer: its word; value, interval and margin as texts, empty where there is none; what it is, and notes."""

    word: str
    value: str
    interval: str
    margin: str
    about: str


@dataclass(frozen=True)
class Row:
    """One model: the paper whose test it is, by its name in tables (perhaps empty), its seeds, answers and sentence.

    quality: how well it predicts, in words. instead: which attribution does best, by question, with its gain over
    attention. marks: how well attention points to marked words, empty where none are.
    """

    model: str
    paper: str
    seeds: int
    quality: str
    sentence: str
    cells: list[Cell]
    instead: list[tuple[str, str]]
    marks: str


def _cell(row: pd.Series, question: str) -> Cell:
    value, low, high, margin = (float(row[f"{question}_{name}"]) for name in ("value", "low", "high", "margin"))
    trainings, texts = (int(row[f"{question}_{name}"]) for name in ("trainings", "texts"))
    rests = f"{trainings} training{'s' if trainings > 1 else ''}, {texts} texts" if trainings else ""
    about = [MEASURED[question], rests, str(row[f"{question}_note"])]
    return Cell(
        str(row[question]),
        number(value, ""),
        interval(low, high).strip(),
        number(margin, ""),
        "; ".join(filter(None, about)),
    )


def answers_of(summary: pd.DataFrame, labels: Mapping[str, str]) -> list[tuple[str, list[Row]]]:
    """The rows of a columns.SUMMARY frame by data set, both in the order of their first appearance.

    `labels`: what models are called (`tables.wording.labels_of`)."""
    by_dataset: dict[str, list[Row]] = {}
    for _, row in summary.iterrows():
        better = [(question, instead(row, question, labels)) for question in INSTEAD]
        by_dataset.setdefault(display_name(row["dataset"]), []).append(
            Row(
                named(row["model"], labels),
                str(row["paper"]),
                int(row["seeds"]),
                quality(str(row["learnt"]), {name: row[name] for name in SCORES}),
                str(row["sentence"]),
                [_cell(row, question) for question in QUESTIONS],
                [(question, shown) for question, shown in better if shown],
                beside_marks(row.to_dict()),
            )
        )
    return list(by_dataset.items())
