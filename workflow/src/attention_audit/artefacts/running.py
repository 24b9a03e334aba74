"""One run at a time in one folder, and its end on Ctrl-C or SIGTERM: that of every job of it, at once.

Snakemake itself waits on SIGTERM until running jobs have finished, which takes hours where they train, and passes no
signal on to them.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import psutil

from .files import take_lock

COMMAND = " -m attention_audit "
"""What the command of a job holds. Other children, such as those that cancel the jobs of a cluster, are let be."""
GRACE_SECONDS = 3.0
"""Seconds that a job has to end by itself."""
POLL_SECONDS = 0.2
"""Seconds between two looks at which jobs are there."""


def hold_lock(path: Path) -> None:
    """Hold a lock as `take_lock` does. Where another run holds it or the folder is read-only, this ends the process
    with one line.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not take_lock(path):
            sys.exit(f"error: another run is writing to {path.parent}/; wait for it to end")
    except OSError as error:
        sys.exit(f"error: {path}: cannot be written ({error.strerror}); unlock the folder")


def list_jobs() -> Iterator[psutil.Process]:
    """Return the jobs among the processes below this one, with all processes that they started."""
    for child in psutil.Process().children(recursive=True):
        try:
            if COMMAND in f"{' '.join(child.cmdline())} ":
                yield from (*child.children(recursive=True), child)
        except psutil.NoSuchProcess:
            continue


def is_running(process: psutil.Process) -> bool:
    """Tell whether a process is there, and more than the entry of one that has ended."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def end_jobs() -> None:
    """End every job, and every one that begins from now on, until this process and all of them have ended."""
    first_seen: dict[psutil.Process, float] = {}
    while threading.main_thread().is_alive() or any(map(is_running, first_seen)):
        now = time.monotonic()
        # a worker whose parent has ended is no longer below this process
        for job in {*first_seen, *list_jobs()}:
            try:
                if now - first_seen.setdefault(job, now) < GRACE_SECONDS:
                    job.terminate()
                else:
                    job.kill()
            except psutil.NoSuchProcess:
                continue
        time.sleep(POLL_SECONDS)


def end_on_signal() -> None:
    """From now on SIGINT and SIGTERM end all jobs, and then what this process does as Ctrl-C does."""

    def end(number: int, frame: FrameType | None) -> None:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
        threading.Thread(target=end_jobs).start()
        raise KeyboardInterrupt

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, end)
