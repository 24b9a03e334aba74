"""What is said of a run at its end.

The terminal says on one screen the first model's answer, the others, and where to look. Pages also say when and on what
machines the run was made, with which versions, from which commit.
"""

import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import Any

from attention_audit.answer.lines import (
    Line,
    TableRow,
    describe_run,
    describe_verdicts,
    warn_of_claims,
    warn_of_verdicts,
    write_finding,
    write_lines,
)
from attention_audit.answer.verdicts import ALONE
from attention_audit.artefacts.journal import Entry, Machine
from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.tables import CONTROLS, SUMMARY
from attention_audit.jobs import ShownSuite
from attention_audit.names import display_name

MAX_FURTHER_MODELS = 6
"""So many further models have a line."""
MAX_LINE_WIDTH = 100
"""Characters of a line."""
CLAIM_WIDTH, SAID_WIDTH, VALUE_WIDTH, INTERVAL_WIDTH = 43, 17, 5, 14
"""Characters of the parts of a line."""
HEADLINE = "May this attention map be read as an explanation?"


def shorten(text: str) -> str:
    """Cut a text where a line of the terminal ends."""
    return text if len(text) <= MAX_LINE_WIDTH else f"{text[: MAX_LINE_WIDTH - 4].rpartition(' ')[0].rstrip()} ..."


def lay_out_line(line: Line, alone: str) -> list[str]:
    """Lay a line out in columns; what does not fit stands below it. Classes stand in the place of numbers.

    alone: which trainings verdicts are of, where the heading says it.
    """
    opening = f"{line.mark}  {line.claim:{CLAIM_WIDTH}}"
    if line.said == "–":
        return [shorten(f"{opening}–  {line.remark}").rstrip()]
    if not line.value:
        return [shorten(f"{opening}{line.said}")]
    verdict, beyond = line.said.removesuffix(f", {alone}"), ""
    if len(verdict) > SAID_WIDTH:
        verdict, _, beyond = verdict.partition(", ")
    numbers = f"{line.value:>{VALUE_WIDTH}}  {line.interval:{INTERVAL_WIDTH}} {line.next}".rstrip()
    if 5 + CLAIM_WIDTH + SAID_WIDTH + len(numbers) > MAX_LINE_WIDTH:
        numbers = " ".join([line.value, line.interval, line.next])
    row, below = f"{opening}{verdict:{SAID_WIDTH}}{numbers}", [beyond, line.beside]
    if line.beside and len(row) + 2 + len(line.beside) <= MAX_LINE_WIDTH:
        row, below = f"{row}  {line.beside}", [beyond]
    rest = "; ".join(filter(None, below))
    indent = min(5 + CLAIM_WIDTH, max(MAX_LINE_WIDTH - len(rest), 0))
    return [row, *([shorten(f"{'':{indent}}{rest}")] if rest else [])]


def write_answer(row: TableRow, who: str, headline: str = HEADLINE) -> list[str]:
    """Write the answer on one model, from a row of columns.SUMMARY, as at most 18 lines: the finding first."""
    alone, answers = ALONE.get(int(row["seeds"]), ""), write_lines(row)
    heading = f"{'':{5 + CLAIM_WIDTH}}{alone:{SAID_WIDTH}}{'':{VALUE_WIDTH + 2}}95 %"
    if any(line.next for line in answers):
        heading += f"{'one more training':>{MAX_LINE_WIDTH - len(heading)}}"
    note = [shorten(row["note"])] if row["note"] else []
    lines = [text for line in answers for text in lay_out_line(line, alone)]
    finding = wrap(write_finding(row), MAX_LINE_WIDTH)
    return [
        shorten(f"{headline}  {who}".rstrip()),
        *finding,
        shorten(describe_run(row)),
        *note,
        heading.rstrip(),
        *lines,
    ]


def write_ending(summary: Path, controls: Path | None, suites: Iterable[ShownSuite], report: Sequence[str]) -> str:
    """Write what is said of a run whose summary lies there: the answer on the first model, a line for each other one
    and for what was not run, and the claims on controls that do not hold. report: the lines that say where the report
    is.

    Raises AuditError where a table cannot be read.
    """
    rows, more = read_table(summary, SUMMARY).to_pylist(), summary.with_suffix(".md")
    models = {(suite.key, model): (suite.title, name) for suite in suites for model, name in suite.models.items()}
    judged, lines = [row for row in rows if row["model"]], [""]
    for number, row in enumerate(judged[: MAX_FURTHER_MODELS + 1]):
        about = models.get((row["suite"], row["model"]), (row["suite"], row["model"]))
        who = ", ".join([display_name(row["dataset"]), *about])
        lines += [shorten(f"{who}: {describe_verdicts(row)}")] if number else write_answer(row, who)
    if (rest := len(judged) - 1 - MAX_FURTHER_MODELS) > 0:
        lines.append(f"and {rest} more in {more.name}")
    lines += [shorten(f"{display_name(row['dataset'])}: {row['note']}") for row in rows if not row["model"]]
    warning = warn_of_claims(read_table(controls, CONTROLS).to_pylist()) if controls else warn_of_verdicts(judged)
    lines += wrap(warning, MAX_LINE_WIDTH)
    return "\n".join([*lines, "", f"Each answer in full, with all intervals: {more}", *report])


def count_machines(entries: Iterable[Entry]) -> list[tuple[Machine, int]]:
    """List each kind of machine with the number of its jobs, the busiest first.

    A job that used no GPU is counted with those of the same machine that did.
    """
    counts = Counter(entry.machine for entry in entries)
    merged: Counter[Machine] = Counter()
    for machine, jobs in counts.items():
        twins = (twin for twin in counts if twin.gpu and replace(twin, gpu=None) == machine)
        merged[next(twins, machine)] += jobs
    return merged.most_common()


def find_span(entries: Sequence[Entry]) -> tuple[datetime, datetime] | None:
    """Find when the first job began and the last one ended."""
    if not entries:
        return None
    ends = [entry.started + timedelta(seconds=entry.seconds) for entry in entries]
    return min(entry.started for entry in entries), max(ends)


def list_versions(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """List versions by name over all provenance records; where they differ, all of them."""
    versions = [
        {"attention_audit": each["attention_audit"], "Python": each["python"]} | each["libraries"] for each in records
    ]
    names = dict.fromkeys(chain.from_iterable(versions))
    return {name: ", ".join(sorted({record[name] for record in versions if name in record})) for name in names}


def find_commit(folder: Path) -> str | None:
    """Find the git commit that `folder` is a checkout of, and whether files of it were changed; None where it is none.

    Files that git does not know are no part of the code: a configuration and data of one's own lie there too.
    """

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return None
        # the hash in full, never the name of a tag
        words = "--always", "--abbrev=40", "--exclude=*", "--dirty= and changes that are not committed"
        return git("describe", *words)
    except (OSError, subprocess.CalledProcessError):
        return None
