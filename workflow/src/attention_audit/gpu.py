"""How many GPUs this machine has, and which of them is free."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

_held: list[object] = []
"""The locks of this process, which would be let go with their last name."""


def take_lock(path: Path) -> bool:
    """Hold an exclusive lock on `path` until this process ends, however it ends; unless another one holds it.

    The lock is the kernel's, not the mere existence of the file, so it never outlives a killed process.
    """
    # imported here: a job without a GPU does not need it
    from filelock import FileLock, Timeout

    lock = FileLock(path, fallback_to_soft=False)
    _held.append(lock)
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
