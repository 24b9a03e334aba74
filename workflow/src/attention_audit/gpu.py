"""How many GPUs this machine has, and which of them is free."""

import os
import tempfile
from pathlib import Path

_held: list[object] = []
"""The locks of this process, which would be let go with their last name."""


def count_gpus() -> int:
    """Count how many NVIDIA GPUs this machine shows, without loading torch."""
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def claim(count: int) -> int:
    """Index, below `count`, of a GPU that no other job of this user holds; this process holds it until it ends.

    Where other jobs hold all GPUs, the user runs several jobs on each, and the process id chooses one of them.
    """
    # imported here: a job without a GPU does not need it
    from filelock import FileLock, Timeout

    for index in range(count):
        path = Path(tempfile.gettempdir()) / f"attention-audit-{os.getuid()}-gpu{index}.lock"
        lock = FileLock(path, fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            continue
        _held.append(lock)
        return index
    return os.getpid() % count
