"""What the jobs of a run used: memory and time, by rule.

    python benchmarks/resources.py [RESULTS]

Reads the last line of every log under RESULTS/logs (default: results). One row a rule: of the job that used most memory
its input and memory, and of the one that took longest its input, epochs and minutes of one core. Below, the mean CPU
seconds of the jobs of each rule: those of the demonstration are kept in `artefacts/progress.yaml`.
"""

import re
import sys
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from tabulate import tabulate

from attention_audit.artefacts.journal import read_last_entry

EPOCH = re.compile(r"seed \d+ \(\d+/\d+\) epoch \d+")


class Used(NamedTuple):
    """What a finished job read (MB), how often, and used: memory in MB, CPU minutes."""

    read: float
    passes: int
    memory: float
    minutes: float


def jobs(logs: Path) -> dict[str, list[Used]]:
    """What each finished job used, by rule."""
    used: dict[str, list[Used]] = {}
    for path in sorted(logs.rglob("*.log")):
        if entry := read_last_entry(path):
            passes = len(set(EPOCH.findall(path.read_text(encoding="utf-8", errors="replace")))) or 1
            job = Used(entry.read, passes, entry.peak_memory / 1e6, entry.cpu_seconds / 60)
            used.setdefault(path.relative_to(logs).parts[0].removesuffix(".log"), []).append(job)
    return used


def row(name: str, found: list[Used]) -> list[object]:
    """The job that used most memory, and the one that took longest."""
    heavy, long = max(found, key=lambda job: job.memory), max(found, key=lambda job: job.minutes)
    return [name, len(found), heavy.read, heavy.memory, long.read, long.passes, long.minutes]


if __name__ == "__main__":
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    used = jobs(results / "logs")
    rows = [row(name, found) for name, found in used.items()]
    headers = ["rule", "jobs", "input, MB", "memory, MB", "input, MB", "epochs", "CPU, min"]
    print(tabulate(rows, headers, floatfmt=("", "", ".2f", ".0f", ".2f", ".0f", ".1f")))
    print()
    for name, found in used.items():
        print(f"{name}: {60 * fmean(job.minutes for job in found):.1f}")
