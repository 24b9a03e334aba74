"""GPUs of this machine: are there any, and which one is free?"""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []


def cards() -> int:
    """How many NVIDIA GPUs this machine shows, without loading torch."""
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def claim(count: int) -> int:
    """Index of a GPU, of `count`, that no other job of this user holds, kept until this process ends.

    Where all are held, two jobs a GPU were asked for; then they are spread over the GPUs.
    """
    for index in range(count):
        path = Path(tempfile.gettempdir()) / f"attention-audit-{os.getuid()}-gpu{index}.lock"
        handle = path.open("w")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            continue
        _held.append(handle)
        return index
    return os.getpid() % count
