"""What the jobs of a run used, beside what they would ask of a cluster.

    python benchmarks/resources.py [RESULTS]

Reads the last line of every log under RESULTS/logs (default: results), and workflow/resources.yaml. One row a folder
of logs: the job nearest to the memory it would ask for, then the one nearest to its time.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tabulate import tabulate

from attention_audit.needs import Needs, read_needs

ROOT = Path(__file__).parents[1]
USED = re.compile(
    r"finished in (?P<seconds>\d+) s \(CPU (?P<cpu>\d+) s\), peak memory (?P<memory>\d+) MB, input (?P<input>[\d.]+) MB"
)


def jobs(logs: Path) -> dict[str, list[dict[str, float]]]:
    """What each finished job used, by folder of logs."""
    used: dict[str, list[dict[str, float]]] = {}
    for path in sorted(logs.rglob("*.log")):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if lines and (match := USED.search(lines[-1])):
            numbers = {name: float(value) for name, value in match.groupdict().items()}
            epochs = {match[0] for line in lines if (match := re.search(r"seed \d+ \(\d+/\d+\) epoch \d+", line))}
            used.setdefault(path.relative_to(logs).parts[0], []).append(numbers | {"passes": len(epochs) or 1})
    return used


def row(name: str, found: list[dict[str, float]], need: Needs) -> list[object]:
    """The job that comes nearest to the memory it would ask for, and the one that comes nearest to its time."""

    def asked(job: dict[str, float]) -> tuple[int, int]:
        return need.mem_mb(job["input"]), need.runtime(job["input"], passes=int(job["passes"]))

    heavy = max(found, key=lambda job: job["memory"] / asked(job)[0])
    long = max(found, key=lambda job: job["cpu"] / asked(job)[1])
    memory = [heavy["input"], heavy["memory"], asked(heavy)[0]]
    return [name, len(found), *memory, long["input"], long["passes"], long["cpu"] / 60, asked(long)[1]]


if __name__ == "__main__":
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    found = jobs(results / "logs")
    needs = read_needs(ROOT / "workflow" / "resources.yaml")
    rows = [row(name, found[name], need) for name, need in needs.items() if name in found]
    headers = ["rule", "jobs", "input, MB", "memory, MB", "asked", "input, MB", "epochs", "CPU, min", "asked"]
    print(tabulate(rows, headers, floatfmt=("", "", ".2f", ".0f", ".0f", ".2f", ".0f", ".1f", ".0f")))
