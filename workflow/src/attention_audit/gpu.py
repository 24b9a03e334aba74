"""GPUs of this machine: are there any, and which one is free?"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock

_held: list[FileLock] = []


def cards() -> int:
    """How many NVIDIA GPUs this machine shows, without loading torch."""
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def claim(count: int) -> int:
    """Index of a GPU, of `count`, that no other job of this user holds, kept until this process ends.

    Where all are held, two jobs a GPU were asked for; then they are spread over the GPUs.
    """
    # a job without a GPU need not load it
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
