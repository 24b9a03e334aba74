"""What the jobs of a run used, beside what they would ask of a cluster.

    python benchmarks/resources.py [RESULTS]

Reads the last line of every log under RESULTS/logs (default: results), and workflow/resources.yaml. One row a folder
of logs: the job nearest to the memory it would ask for, then the one nearest to its time.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from attention_audit.artefacts.journal import read_entry
from attention_audit.needs import Needs, read_needs

ROOT = Path(__file__).parents[1]
EPOCH = re.compile(r"seed \d+ \(\d+/\d+\) epoch \d+")


class Used(NamedTuple):
    """What a finished job read (MB), how often, and used: memory in MB, CPU minutes."""

    read: float
    passes: int
    memory: float
    minutes: float


def jobs(logs: Path) -> dict[str, list[Used]]:
    """What each finished job used, by folder of logs."""
    used: dict[str, list[Used]] = {}
    for path in sorted(logs.rglob("*.log")):
        if entry := read_entry(path):
            passes = len(set(EPOCH.findall(path.read_text(encoding="utf-8", errors="replace")))) or 1
            job = Used(entry.read, passes, entry.peak_memory / 1e6, entry.cpu_seconds / 60)
            used.setdefault(path.relative_to(logs).parts[0], []).append(job)
    return used


def row(name: str, found: list[Used], need: Needs) -> list[object]:
    """The job that comes nearest to the memory it would ask for, and the one that comes nearest to its time."""
    heavy = max(found, key=lambda job: job.memory / need.mem_mb(job.read))
    long = max(found, key=lambda job: job.minutes / need.runtime(job.read, passes=job.passes))
    memory = [heavy.read, heavy.memory, need.mem_mb(heavy.read)]
    return [name, len(found), *memory, long.read, long.passes, long.minutes, need.runtime(long.read, 1, long.passes)]


if __name__ == "__main__":
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    found = jobs(results / "logs")
    needs = read_needs(ROOT / "workflow" / "resources.yaml")
    rows = [row(name, found[name], need) for name, need in needs.items() if name in found]
    headers = ["rule", "jobs", "input, MB", "memory, MB", "asked", "input, MB", "epochs", "CPU, min", "asked"]
    print(tabulate(rows, headers, floatfmt=("", "", ".2f", ".0f", ".0f", ".2f", ".0f", ".1f", ".0f")))
