"""One run at a time in one folder, one job at a time on a GPU, and the end of a run on Ctrl-C or SIGTERM: that of every
job of it, at once.

Snakemake itself waits on SIGTERM until running jobs have finished, which takes hours where they train, and passes no
signal on to them.
"""

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType

import psutil

_locks: list[object] = []
"""Those that this process holds: a lock without a name is let go."""
COMMAND = " -m attention_audit "
"""What the command of a job holds. Other children, such as those that cancel the jobs of a cluster, are let be."""
GRACE_SECONDS = 3.0
"""Seconds that a job has to end by itself."""
POLL_SECONDS = 0.2
"""Seconds between two looks at which jobs are there."""


def take_lock(path: Path) -> bool:
    """Hold an exclusive lock on `path` until this process ends, however it ends; unless another process does.

    The lock is the kernel's, not the mere existence of the file, so it never outlives a killed process.
    """
    # imported here: a job without a GPU does not need it
    from filelock import FileLock, Timeout

    lock = FileLock(path, fallback_to_soft=False)
    _locks.append(lock)
    with suppress(Timeout):
        lock.acquire(blocking=False)
    return lock.is_locked


def count_gpus() -> int:
    """Count how many NVIDIA GPUs this machine shows, without loading torch."""
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def claim(count: int) -> int:
    """Index, below `count`, of a GPU that no other job of this user holds; this process holds it until it ends.

    Where other jobs hold all GPUs, the user runs several jobs on each, and the process id chooses one of them.
    """
    folder = Path(tempfile.gettempdir())
    free = (index for index in range(count) if take_lock(folder / f"attention-audit-{os.getuid()}-gpu{index}.lock"))
    return next(free, os.getpid() % count)


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
