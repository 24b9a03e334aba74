"""What is known of a run: how long its stages took, on what machines, with which versions, from which commit."""

import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from attention_audit.artefacts.journal import Entry, Machine


@dataclass(frozen=True)
class StageTime:
    """All jobs of one stage: how many, how long in all and the longest one (seconds), and the most memory (bytes)."""

    stage: str
    jobs: int
    seconds: float
    longest: float
    peak_memory: int


def stage_times(entries: Iterable[Entry]) -> list[StageTime]:
    """One a stage, the one that took longest first."""
    by_stage: dict[str, list[Entry]] = {}
    for entry in entries:
        by_stage.setdefault(entry.stage, []).append(entry)
    times = [
        StageTime(
            stage,
            len(jobs),
            sum(job.seconds for job in jobs),
            max(job.seconds for job in jobs),
            max(job.peak_memory for job in jobs),
        )
        for stage, jobs in by_stage.items()
    ]
    return sorted(times, key=lambda time: -time.seconds)


def machines(entries: Iterable[Entry]) -> list[tuple[Machine, int]]:
    """Each kind of machine with the number of its jobs, the busiest first.

    A job that used no GPU is counted with those of the same machine that did.
    """
    counts = Counter(entry.machine for entry in entries)
    merged: Counter[Machine] = Counter()
    for machine, jobs in counts.items():
        twins = [twin for twin in counts if twin.gpu and not machine.gpu and _same_but_gpu(twin, machine)]
        merged[twins[0] if twins else machine] += jobs
    return merged.most_common()


def _same_but_gpu(one: Machine, other: Machine) -> bool:
    return (one.cpu, one.cores, one.memory, one.system) == (other.cpu, other.cores, other.memory, other.system)


def span(entries: Sequence[Entry]) -> tuple[datetime, datetime] | None:
    """When the first job began and the last one ended."""
    if not entries:
        return None
    ends = [entry.started + timedelta(seconds=entry.seconds) for entry in entries]
    return min(entry.started for entry in entries), max(ends)


def versions(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Version by name over all provenance records; where they differ, all of them."""
    by_name: dict[str, set[str]] = {}
    for record in records:
        named = {"attention_audit": record["attention_audit"], "Python": record["python"], **record["libraries"]}
        for name, version in named.items():
            by_name.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(known)) for name, known in by_name.items()}


def commit(folder: Path) -> str | None:
    """The git commit that `folder` is a checkout of, and whether there are other changes; None where it is none."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return None
        changes = " and changes that are not committed" if git("status", "--porcelain") else ""
        return git("rev-parse", "HEAD") + changes
    except (OSError, subprocess.CalledProcessError):
        return None
