"""What the terminal says at the end of a run, on one screen: the first model's answer, the others, where to look."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from attention_audit.answer.lines import Line, Row, count_readings, count_zones, describe_run, warn_of_next, write_lines
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


def write_answer(row: Row, who: str) -> list[str]:
    """Write the answer on one model, from a row of columns.SUMMARY, as at most 16 lines."""
    heading = f"{'':{5 + ASKS + 2 + SAID + VALUE + 2}}95 %, these"
    note = [shorten(row["note"])] if row["note"] else []
    lines = [text for line in write_lines(row) for text in lay_out(line)]
    said = [shorten(describe_run(row)), *note, count_readings(row)]
    return [shorten(who), HEAD, *said, heading, *lines, warn_of_next(row)]


def write_ending(summary: Path, suites: Iterable[ShownSuite], report: Sequence[str]) -> str:
    """Write what is said of a run whose summary lies there: the answer on the first model, and a line for each other
    one and for what was not run. report: the lines that say where the report is.

    Raises AuditError where the summary cannot be read.
    """
    rows, more = read_table(summary, SUMMARY).to_pylist(), summary.with_suffix(".md")
    models = {(suite.key, model): (suite.title, name) for suite in suites for model, name in suite.models.items()}
    judged, lines = [row for row in rows if row["model"]], [""]
    for place, row in enumerate(judged[: MOST + 1]):
        about = models.get((row["suite"], row["model"]), (row["suite"], row["model"]))
        who = ", ".join([display_name(row["dataset"]), *about])
        lines += [shorten(f"{who}: {count_zones(row)}")] if place else write_answer(row, who)
    if (left := len(judged) - 1 - MOST) > 0:
        lines.append(f"and {left} more in {more.name}")
    lines += [shorten(f"{display_name(row['dataset'])}: {row['note']}") for row in rows if not row["model"]]
    return "\n".join([*lines, "", f"Each answer in full, with all intervals: {more}", *report])
