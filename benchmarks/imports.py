"""What the jobs of a run spent on importing, beside what they spent on their work.

    python benchmarks/imports.py [RESULTS]

Reads the last line of every log under RESULTS/logs (default: results). One row a rule, in CPU seconds of all its jobs:
importing is what each process used before its stage began to work (Python's start and the imports), working is the
rest, so that what a stage imports later counts as work. "more" marks the rules that spent more on importing than on
working. Jobs whose logs do not say what importing took, as those of version 0.1, are left out and counted.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from attention_audit.artefacts.journal import Entry, read_entries


class Spent(NamedTuple):
    """What the finished jobs of one rule spent, in CPU seconds."""

    rule: str
    jobs: int
    cpu: float
    importing: float

    @property
    def working(self) -> float:
        """What is left for the work itself."""
        return self.cpu - self.importing


def spent(entries: Iterable[Entry]) -> list[Spent]:
    """What each rule spent, the most first; jobs that do not say what importing took are left out."""
    rules: dict[str, Spent] = {}
    for entry in entries:
        if entry.importing is not None:
            _, jobs, cpu, importing = rules.get(entry.stage, Spent(entry.stage, 0, 0.0, 0.0))
            rules[entry.stage] = Spent(entry.stage, jobs + 1, cpu + entry.cpu_seconds, importing + entry.importing)
    return sorted(rules.values(), key=lambda rule: -rule.cpu)


def row(rule: Spent) -> list[object]:
    """A line of the table."""
    more = "more" if rule.importing > rule.working else ""
    return [rule.rule, rule.jobs, rule.cpu, rule.importing, rule.working, more]


if __name__ == "__main__":
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    entries = read_entries(results / "logs")
    rules = spent(entries)
    cpu, importing = sum(rule.cpu for rule in rules), sum(rule.importing for rule in rules)
    total = Spent("all", sum(rule.jobs for rule in rules), cpu, importing)
    headers = ["rule", "jobs", "CPU, s", "importing, s", "working, s", "importing"]
    print(tabulate([row(rule) for rule in [*rules, total]], headers, floatfmt=".1f"))
    if silent := len(entries) - total.jobs:
        print(f"{silent} jobs are left out: their logs do not say what importing took")
