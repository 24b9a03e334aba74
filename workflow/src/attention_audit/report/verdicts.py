"""The summary as the front page shows it: a row a data set and model, a cell a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

import pandas as pd

from attention_audit.columns.summary import QUESTIONS
from attention_audit.names import display_name
from attention_audit.tables.shown import interval
from attention_audit.tables.wording import named, number


@dataclass(frozen=True)
class Cell:
    """One answer: its word; its value, interval and floor as texts, empty where there is none; what they measure."""

    word: str
    value: str
    interval: str
    floor: str
    measured: str


@dataclass(frozen=True)
class Row:
    """One model: the paper whose test it is, by its name in tables (perhaps empty), its seeds, answers and verdict."""

    model: str
    paper: str
    seeds: int
    cells: list[Cell]
    verdict: str


def _cell(row: pd.Series, question: str) -> Cell:
    value, low, high, floor = (float(row[f"{question}_{name}"]) for name in ("value", "low", "high", "floor"))
    statistic, floor_statistic = (str(row[f"{question}_{name}"]) for name in ("statistic", "floor_statistic"))
    return Cell(
        str(row[question]),
        number(value, ""),
        interval(low, high).strip(),
        number(floor, ""),
        statistic if isnan(floor) else f"{statistic}; floor: {floor_statistic}",
    )


def verdicts_of(summary: pd.DataFrame, labels: Mapping[str, str]) -> list[tuple[str, list[Row]]]:
    """The rows of a columns.SUMMARY frame by data set, both in the order of their first appearance.

    `labels`: what models are called (`tables.wording.labels_of`)."""
    by_dataset: dict[str, list[Row]] = {}
    for _, row in summary.iterrows():
        by_dataset.setdefault(display_name(row["dataset"]), []).append(
            Row(
                named(row["model"], labels),
                str(row["paper"]),
                int(row["seeds"]),
                [_cell(row, question) for question in QUESTIONS],
                str(row["verdict"]),
            )
        )
    return list(by_dataset.items())
