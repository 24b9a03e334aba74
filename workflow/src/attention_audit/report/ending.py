"""What the terminal says at the end of a run: the answers, how well the models predict, and where the report lies."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_audit.answer.sentence import beside_marks, quality
from attention_audit.answer.sizes import lacking
from attention_audit.answer.words import NOT_ASKED, TOO_FEW, by_word
from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.summary import QUESTIONS, SUMMARY
from attention_audit.jobs.pages import ShownSuite
from attention_audit.names import display_name

MOST = 6
"""So many models have their sentences in full; of more than these only the words are said."""
WIDTH = 100
"""Characters of a line."""


def _who(row: Mapping[str, Any], suites: Mapping[str, ShownSuite]) -> str:
    """Data set, suite and model of a row; the data set alone where it was not run."""
    if row["suite"] not in suites:
        return display_name(row["dataset"])
    suite = suites[row["suite"]]
    return f"{display_name(row['dataset'])}, {suite.title}, {suite.models.get(row['model'], row['model'])}"


def _words(row: Mapping[str, Any]) -> str:
    """The questions by their answers; what was not asked is left out."""
    words = by_word({question: row[question] for question in QUESTIONS})
    said = [f"{word}: {', '.join(questions)}" for word, questions in words if word not in (NOT_ASKED, TOO_FEW)]
    too_few = [question for question in QUESTIONS if row[question] == TOO_FEW]
    few = {question: lacking(question, row[f"{question}_trainings"], row[f"{question}_texts"]) for question in too_few}
    said += [
        f"{TOO_FEW}: {', '.join(question for question in few if few[question] == why)} ({why})"
        for why in dict.fromkeys(few.values())
    ]
    return f"{'; '.join(said)}." if said else row["sentence"]


def answered(rows: Sequence[Mapping[str, Any]], suites: Iterable[ShownSuite]) -> list[str]:
    """A paragraph a row of columns.SUMMARY, where null is None: what it is of, the model's quality, and the answer."""
    by_key = {suite.key: suite for suite in suites}
    paragraphs = []
    for row in rows:
        skill = quality(row["learnt"], row)
        answer = f"{row['sentence']} {beside_marks(row)}".strip() if len(rows) <= MOST else _words(row)
        head = f"{_who(row, by_key)}{f' ({skill})' if skill else ''}:"
        paragraphs.append(textwrap.fill(f"{head} {answer}", WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    return paragraphs


def ending(summary: Path, suites: Iterable[ShownSuite], report: str) -> str:
    """What is said of a run whose summary lies there; `report`: the line that says where the report is.

    Raises AuditError where the summary cannot be read.
    """
    rows = read_table(summary, SUMMARY).to_pylist()
    more = f"Each answer in full, with effects and intervals: {summary.with_suffix('.md')}"
    return "\n".join(["", *answered(rows, suites), more, report])
