"""What the terminal says at the end of a run, on one screen: a line a model, the first one's answer, where to look."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_audit.answer.words import NO, NOT_ASKED, YES
from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.summary import QUESTIONS, SUMMARY
from attention_audit.jobs.pages import ShownSuite
from attention_audit.names import display_name
from attention_audit.tables.wording import each_of

MOST = 10
"""So many models have a line at most."""
LEAST = 3
"""So many models have a line however long the answer of the first is."""
WIDTH, HEIGHT = 100, 24
"""Characters of a line, and lines of a screen."""
FEW = 3
"""Trainings whose effects stand by themselves; of more, the least and the greatest do."""
AFTER = 2
"""Lines that Snakemake writes below."""


def _who(row: Mapping[str, Any], suites: Mapping[str, ShownSuite], room: int = WIDTH) -> str:
    """Data set, suite and model of a row, in so many characters; the data set alone where it was not run."""
    dataset = display_name(row["dataset"])
    if row["suite"] not in suites:
        return dataset
    suite = suites[row["suite"]]
    model = suite.models.get(row["model"], row["model"])
    whole = f"{dataset}, {suite.title}, {model}"
    return whole if len(whole) <= room else textwrap.shorten(f"{dataset}, {model}", room, placeholder=" ...")


def _model(row: Mapping[str, Any], suites: Mapping[str, ShownSuite]) -> str:
    """One line: how well a model predicts, and how many questions have which answer; or why there is none."""
    if not row["model"]:
        return textwrap.shorten(f"{_who(row, suites)}: {row['sentence']}", WIDTH, placeholder=" ...")
    said = []
    if row["accuracy"] is not None:
        said.append(f"accuracy {row['accuracy']:.3f} (majority {row['majority_accuracy']:.3f})")
    if row["learnt"] == NO:
        said.append("no better than always the same answer")
    else:
        kinds = Counter(word if word in (YES, NO, NOT_ASKED) else "open" for word in map(row.get, QUESTIONS))
        said.append(", ".join(f"{kinds[kind]} {kind}" for kind in (YES, NO, "open", NOT_ASKED) if kinds[kind]))
    numbers = "; ".join(said)
    return f"{_who(row, suites, WIDTH - len(numbers) - 2)}: {numbers}"


def _trainings(row: Mapping[str, Any]) -> str:
    """The effect of each training of a model, question by question; "" where there is one training."""
    each = {question: each_of(row[f"{question}_each"], FEW) for question in QUESTIONS}
    called = {"stable": "stable (pairs)"}
    said = "; ".join(f"{called.get(question, question)} {values}" for question, values in each.items() if values)
    return f"Training by training: {said}." if said else ""


def answered(rows: Sequence[Mapping[str, Any]], suites: Iterable[ShownSuite], room: int, more: str) -> list[str]:
    """The lines of rows of columns.SUMMARY, where null is None: a line a model, and the answer of the first model.

    room: how many lines there are. more: where the models stand that have no line.
    """
    by_key = {suite.key: suite for suite in suites}
    first = next((row for row in rows if row["model"]), None)
    answer = []
    if first is not None:
        # a number keeps its sign
        text = f"{_who(first, by_key)}: {first['sentence']}".replace(" %", "\u00a0%")
        texts = filter(None, (text, _trainings(first)))
        answer = ["", *(line for part in texts for line in textwrap.wrap(part, WIDTH, break_on_hyphens=False))]
    most = max(LEAST, min(MOST, room - len(answer) - 1))
    lines = [_model(row, by_key) for row in rows[:most]]
    if left := len(rows) - len(lines):
        lines.append(f"and {left} more in {more}")
    return [*lines, *(line.replace("\u00a0", " ") for line in answer)]


def ending(summary: Path, suites: Iterable[ShownSuite], report: Sequence[str]) -> str:
    """What is said of a run whose summary lies there; `report`: the lines that say where the report is.

    Raises AuditError where the summary cannot be read.
    """
    rows = read_table(summary, SUMMARY).to_pylist()
    more = summary.with_suffix(".md")
    where = [f"Each answer in full, with effects and intervals: {more}", *report]
    return "\n".join(["", *answered(rows, suites, HEIGHT - AFTER - 1 - len(where), more.name), *where])
