"""What the terminal says at the end of a run, on one screen: the first model's answer, the others, where to look."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_audit.answer.lines import Line, count_readings, count_zones, describe_run, warn_of_next, write_lines
from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.tables import SUMMARY
from attention_audit.jobs.pages import ShownSuite
from attention_audit.names import display_name

MOST = 6
"""So many further models have a line."""
WIDTH = 100
"""Characters of a line."""
ASKS, SAID, VALUE = 43, 22, 5
"""Characters of the parts of a line."""
HEAD = "May this attention map be read as an explanation?"


def name_model(row: Mapping[Any, Any], suites: Mapping[str, ShownSuite]) -> str:
    """Name data set, suite and model of a row; the data set alone where it was not run."""
    dataset = display_name(row["dataset"])
    if row["suite"] not in suites:
        return dataset
    suite = suites[row["suite"]]
    return f"{dataset}, {suite.title}, {suite.models.get(row['model'], row['model'])}"


def shorten(text: str) -> str:
    """Cut a text where a line of the terminal ends."""
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 4].rpartition(' ')[0].rstrip()} ..."


def lay_out(line: Line) -> list[str]:
    """Lay a line out in columns; what a statement adds behind a comma stands below it.

    Classes take the room of numbers.
    """
    asked = f"{line.mark}  {line.asks:{ASKS}}"
    if line.said == "–":
        return [shorten(f"{asked}  –  {line.remark}").rstrip()]
    if not line.value:
        return [shorten(f"{asked}  {line.said}")]
    said, _, added = line.said.partition(", ")
    below = [f"{'':{5 + ASKS + 2}}{added}"] if added else []
    return [shorten(f"{asked}  {said:{SAID}}{line.value:>{VALUE}}  {line.brief}").rstrip(), *below]


def write_answer(row: Mapping[Any, Any], who: str) -> list[str]:
    """Write the answer on one model, from a row of columns.SUMMARY, as at most 16 lines."""
    heading = f"{'':{5 + ASKS + 2 + SAID + VALUE + 2}}95 %, these"
    note = [shorten(row["note"])] if row["note"] else []
    lines = [text for line in write_lines(row) for text in lay_out(line)]
    said = [shorten(describe_run(row)), *note, count_readings(row)]
    return [shorten(who), HEAD, *said, heading, *lines, warn_of_next(row)]


def answered(rows: Sequence[Mapping[str, Any]], suites: Iterable[ShownSuite], more: str) -> list[str]:
    """Write the lines of rows of columns.SUMMARY: the answer on the first model, and a line for each other one.

    more: where the models stand that have no line.
    """
    by_key = {suite.key: suite for suite in suites}
    judged = [row for row in rows if row["model"]]
    lines = write_answer(judged[0], name_model(judged[0], by_key)) if judged else []
    others = judged[1:]
    lines += [shorten(f"{name_model(row, by_key)}: {count_zones(row)}") for row in others[:MOST]]
    lines += [f"and {len(others) - MOST} more in {more}"] if len(others) > MOST else []
    return [*lines, *(shorten(f"{name_model(row, by_key)}: {row['note']}") for row in rows if not row["model"])]


def ending(summary: Path, suites: Iterable[ShownSuite], report: Sequence[str]) -> str:
    """What is said of a run whose summary lies there; `report`: the lines that say where the report is.

    Raises AuditError where the summary cannot be read.
    """
    rows = read_table(summary, SUMMARY).to_pylist()
    more = summary.with_suffix(".md")
    where = [f"Each answer in full, with all intervals: {more}", *report]
    return "\n".join(["", *answered(rows, suites, more.name), "", *where])
