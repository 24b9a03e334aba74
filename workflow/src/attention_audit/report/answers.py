"""The summary as the report shows it: a card a data set and model, a line a question, and a paragraph to copy."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from attention_audit.answer.lines import Line, Row, write_lines
from attention_audit.jobs.pages import ShownExhibit
from attention_audit.names import display_name
from attention_audit.tables.wording import Labels, named


class Answer(NamedTuple):
    """One model: its row of columns.SUMMARY, and its lines, of which none is known where it was not run.

    anchor: its place in the page. view: what the explorer calls it, "<data set>/<suite>/<model>". built: what it is
    built of, empty where that is not known. copy: a paragraph to copy. seen: the tables and figures that show its
    answers, each with the questions.
    """

    found: Row
    model: str
    anchor: str
    view: str
    built: str
    lines: list[Line]
    copy: str
    seen: list[tuple[str, list[str]]]


def list_exhibits(exhibits: Sequence[ShownExhibit], suite: str, asked: Sequence[str]) -> list[tuple[str, list[str]]]:
    """List the names of the tables and figures that show these answers of a suite's models, with the questions."""
    own = [exhibit for exhibit in exhibits if exhibit.suite in ("", suite)]
    shown = [(exhibit.name, [question for question in exhibit.answers if question in asked]) for exhibit in own]
    return [each for each in shown if each[1]]


CLAIMS = {
    "located": "top words matter",
    "ranks": "more weight, more important",
    "signed": "top word supports",
    "used": "prediction depends on weights",
    "stable": "same when retrained",
    "unique": "fixed by the prediction",
    "needed": "helps accuracy",
    "transferable": "helps another model",
}
"""The questions in as few words as a paragraph has room for."""
MOST_WORDS = 90
"""Words of a paragraph to copy."""


def write_paragraph(row: Row, model: str, lines: Sequence[Line]) -> str:
    """Write what a paper may say of the map of a model, in at most `MOST_WORDS` words: all statements that there are.

    Where they find no room, intervals are left out, then numbers.
    """
    seeds, texts = int(row["seeds"]), int(row["texts"])
    # scores without weights belong to no suite
    about = f"Attention of {model} on {display_name(row['dataset'])}" if row["suite"] else model
    about += f" ({seeds} training{'s' * (seeds != 1)}, {texts:,} text{'s' * (texts != 1)}; 95 % intervals)"
    stated = [line for line in lines if line.said != "–"]
    if not stated:
        return f"{about}: nothing is stated."
    found = ""
    for numbers, intervals in ((True, True), (True, False), (False, False)):
        claims = []
        for line in stated:
            ends = f" [{line.interval}]" if intervals and line.interval else ""
            value = f" ({line.value}{ends})" if numbers and line.value else ""
            claims.append(f"{CLAIMS[line.question]}: {line.said}{value}")
        found = f"{about}: {'; '.join(claims)}."
        if len(found.split()) <= MOST_WORDS:
            break
    return found


def answers_of(
    summary: pd.DataFrame,
    labels: Labels,
    exhibits: Sequence[ShownExhibit] = (),
    built: Labels | None = None,
) -> list[tuple[str, list[Answer]]]:
    """List the rows of a columns.SUMMARY frame by data set, both in the order of their first appearance.

    `labels`: what models are called (`tables.wording.labels_of`). `exhibits`: the tables and figures of the run.
    `built`: what models are built of, by their names in the explorer.
    """
    by_dataset: dict[str, list[Answer]] = {}
    for place, row in enumerate(summary.to_dict("records"), 1):
        lines = write_lines(row) if row["model"] else []
        view, model = f"{row['dataset']}/{row['suite']}/{row['model']}", named(row["model"], labels)
        asked = [line.question for line in lines if line.said != "–"]
        seen, copy = list_exhibits(exhibits, row["suite"], asked), write_paragraph(row, model, lines)
        shown = Answer(row, model, f"answer-{place}", view, (built or {}).get(view, ""), lines, copy, seen)
        by_dataset.setdefault(display_name(row["dataset"]), []).append(shown)
    return list(by_dataset.items())
