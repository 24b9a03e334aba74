"""What is known of a run: when and on what machines it was made, with which versions, from which commit."""

import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from attention_audit.artefacts.journal import Entry, Machine


def machines(entries: Iterable[Entry]) -> list[tuple[Machine, int]]:
    """List each kind of machine with the number of its jobs, the busiest first.

    A job that used no GPU is counted with those of the same machine that did.
    """
    counts = Counter(entry.machine for entry in entries)
    merged: Counter[Machine] = Counter()
    for machine, jobs in counts.items():
        twins = (twin for twin in counts if twin.gpu and replace(twin, gpu=None) == machine)
        merged[next(twins, machine)] += jobs
    return merged.most_common()


def span(entries: Sequence[Entry]) -> tuple[datetime, datetime] | None:
    """Find when the first job began and the last one ended."""
    if not entries:
        return None
    ends = [entry.started + timedelta(seconds=entry.seconds) for entry in entries]
    return min(entry.started for entry in entries), max(ends)


def versions(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """List versions by name over all provenance records; where they differ, all of them."""
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for record in records:
        named = {"attention_audit": record["attention_audit"], "Python": record["python"], **record["libraries"]}
        for name, version in named.items():
            by_name[name].add(version)
    return {name: ", ".join(sorted(known)) for name, known in by_name.items()}


def commit(folder: Path) -> str | None:
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
        changes = " and changes that are not committed" if git("status", "--porcelain", "--untracked-files=no") else ""
        return git("rev-parse", "HEAD") + changes
    except (OSError, subprocess.CalledProcessError):
        return None
