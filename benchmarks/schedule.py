"""How far the jobs of a run can stand side by side, from the logs that it has left.

    python benchmarks/schedule.py RESULTS [--cores 8]

Prints the CPU seconds of all jobs; those of the longest chain of jobs, each of which needs a file of the one before;
and what a number of cores would make of them: each job takes a core for its CPU seconds, as soon as its files are there
and a core is free, those with the longest chain behind them first.
"""

import argparse
import heapq
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from attention_audit.artefacts.journal import Entry, read_entries

TRAINED = ("train", "search")


def needed(jobs: Sequence[Entry]) -> dict[int, set[int]]:
    """The jobs, by number, that each job reads a file of."""
    maker = {path: number for number, job in enumerate(jobs) for path in job.outputs}
    return {number: {maker[path] for path in job.inputs if path in maker} - {number} for number, job in enumerate(jobs)}


def chains(jobs: Sequence[Entry], before: Mapping[int, set[int]]) -> list[float]:
    """CPU seconds of the longest chain that begins with each job."""
    after: dict[int, set[int]] = {number: set() for number in before}
    for number, others in before.items():
        for other in others:
            after[other].add(number)

    @cache
    def longest(number: int) -> float:
        return jobs[number].cpu_seconds + max(map(longest, after[number]), default=0.0)

    return [longest(number) for number in before]


def at_once(
    jobs: Sequence[Entry], before: Mapping[int, set[int]], rank: Sequence[float], cores: int
) -> tuple[float, int]:
    """Seconds until the last job ends, and how many trainings run at once at most."""
    left = {number: set(others) for number, others in before.items()}
    running: list[tuple[float, int]] = []
    now, most = 0.0, 0
    while left or running:
        ready = sorted((number for number, others in left.items() if not others), key=lambda each: -rank[each])
        for number in ready[: cores - len(running)]:
            del left[number]
            heapq.heappush(running, (now + jobs[number].cpu_seconds, number))
        most = max(most, sum(jobs[number].stage in TRAINED for _, number in running))
        now, ended = heapq.heappop(running)
        for others in left.values():
            others.discard(ended)
    return now, most


def main() -> None:
    """Read the logs, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="results folder of a finished run")
    parser.add_argument("--cores", type=int, default=8)
    call = parser.parse_args()
    jobs = read_entries(call.results / "logs")
    before = needed(jobs)
    rank = chains(jobs, before)
    seconds, trainings = at_once(jobs, before, rank, call.cores)
    print(f"{len(jobs)} jobs, {sum(job.cpu_seconds for job in jobs):.0f} CPU seconds")
    print(f"longest chain: {max(rank):.0f} CPU seconds")
    print(f"{call.cores} cores: {seconds:.0f} seconds, at most {trainings} trainings at once")


if __name__ == "__main__":
    main()
