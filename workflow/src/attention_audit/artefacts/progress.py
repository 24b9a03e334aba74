"""How long the jobs of a run take, and the line of the terminal that says how far the run is and what it does.

A run that showed what each of its jobs says would have thousands of lines, which the logs of the jobs hold anyway.
"""

import logging
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from snakemake_interface_logger_plugins.common import LogEvent

from attention_audit.yaml_input import read_package_yaml

from .journal import CLEAR, read_entries, read_lines, write_duration

DEMONSTRATION = read_package_yaml(Path(__file__).with_suffix(".yaml"))
"""Mean seconds of a job of each rule in the demonstration; other rules count as the mean of these."""
PRIOR_SECONDS = 10.0
"""The speed of a run is that of a run that keeps all cores busy at first, and its own after a few times as long."""
MOST_BEGUN = 0.95
"""The share of a job's time that has passed at most before it ends, however long it takes."""
BAR_WIDTH = 20
"""Characters of the bar; where there is no terminal, a line is written as often."""


@dataclass(frozen=True)
class PlannedJob:
    """A job of a run. outputs: at least one. log: None where its rule, which is then the user's, has none."""

    rule: str
    outputs: tuple[str, ...]
    log: Path | None


def estimate_seconds(jobs: Iterable[PlannedJob], known: Iterable[PlannedJob], logs: Path) -> list[float | None]:
    """Estimate how long each of some jobs takes: as last time, or as others of its rule. None: neither is known.

    known: all jobs whose logs, under the folder `logs`, may say how long they took.
    """
    last = {path: entry.seconds for entry in read_entries(logs) for path in entry.outputs}
    by_rule: dict[str, list[float]] = {}
    for job in known:
        by_rule.setdefault(job.rule, []).extend(last[path] for path in job.outputs[:1] if path in last)
    means = {rule: fmean(seconds) for rule, seconds in by_rule.items() if seconds}
    return [last.get(job.outputs[0], means.get(job.rule)) for job in jobs]


class ProgressLine(logging.Handler):
    """One line that says which share of a run's time has passed, how long is left, and what its oldest job does.

    It hears of jobs as a handler of Snakemake's log. On a terminal the line is written anew every second, in its place;
    elsewhere it is written once for each `BAR_WIDTH`-th of the run.
    """

    def __init__(self, jobs: Mapping[int, PlannedJob], known: Iterable[PlannedJob], logs: Path, cores: int) -> None:
        """jobs: those that will run, by the numbers that Snakemake gives them. known, logs: as `estimate_seconds`."""
        super().__init__()
        self.jobs, self.cores, unknown = jobs, cores, fmean(DEMONSTRATION.values())
        estimates = estimate_seconds(jobs.values(), known, logs)
        self.guessed = None in estimates
        self.seconds = {
            number: DEMONSTRATION.get(job.rule, unknown) if seconds is None else seconds
            for (number, job), seconds in zip(jobs.items(), estimates, strict=True)
        }
        self.total = sum(self.seconds.values())
        self.done, self.written = 0.0, 0
        self.running: dict[int, float] = {}
        self.began = time.monotonic()
        self.ended = threading.Event()
        self.writing = threading.Thread(target=self._write_lines, daemon=True)

    def describe_plan(self) -> str:
        """Say how many jobs there are, and how long they will take."""
        longest = max([self.total / self.cores, *self.seconds.values()])
        source = "if they take as long as those of the demonstration" if self.guessed else "as last time"
        return f"jobs: {len(self.jobs)}; time: {write_duration(longest)} on {self.cores} cores, {source}"

    def start(self) -> None:
        """Write the line from now on, until `close`."""
        self.writing.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Count the jobs that begin and end, and make room for a message of Snakemake's."""
        match getattr(record, "event", None):
            case LogEvent.JOB_STARTED:
                self.running |= dict.fromkeys(vars(record)["jobs"], time.monotonic())
            case LogEvent.JOB_FINISHED:
                number = vars(record)["job_id"]
                self.running.pop(number, None)
                self.done += self.seconds.get(number, 0.0)
            case LogEvent.JOB_ERROR:
                self.running.pop(vars(record)["jobid"], None)
        if record.levelno > logging.INFO:
            self._clear()

    def close(self) -> None:
        """Write the line no more."""
        self.ended.set()
        if self.writing.is_alive():
            self.writing.join()
            self._clear()
        super().close()

    def _clear(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(CLEAR)
            sys.stderr.flush()

    def describe_progress(self) -> tuple[float, str]:
        """Give the share of the time that has passed, and say it, with the time that is left and the oldest job."""
        now, running = time.monotonic(), dict(self.running)
        begun = (min(now - start, MOST_BEGUN * self.seconds.get(number, 0.0)) for number, start in running.items())
        passed = self.done + sum(begun)
        speed = (passed + PRIOR_SECONDS * self.cores) / (now - self.began + PRIOR_SECONDS)
        share = passed / self.total if self.total else 1.0
        times = f"{write_duration(now - self.began)}, remain {write_duration((self.total - passed) / speed)}"
        oldest = next((self.jobs[number] for number in running if number in self.jobs), None)
        return share, f"{share:4.0%}|{'#' * int(BAR_WIDTH * share):{BAR_WIDTH}}| {times}; {describe_job(oldest)}"

    def write(self) -> None:
        """Write the line in its place or, where there is no terminal, once for each step of the bar."""
        share, line = self.describe_progress()
        if sys.stderr.isatty():
            sys.stderr.write(f"{CLEAR}{line[: shutil.get_terminal_size().columns - 1]}")
            sys.stderr.flush()
        elif int(BAR_WIDTH * share) > self.written:
            self.written = int(BAR_WIDTH * share)
            print(line, file=sys.stderr, flush=True)

    def _write_lines(self) -> None:
        while not self.ended.wait(1):
            self.write()


def describe_job(job: PlannedJob | None) -> str:
    """Say what a job does: the last line of its log, or else its rule and its first file."""
    if job is None:
        return ""
    with suppress(OSError, IndexError):
        if job.log and (line := read_lines(job.log)[-1]).startswith("["):
            return line
    return f"[{job.rule}] {job.outputs[0]}"
