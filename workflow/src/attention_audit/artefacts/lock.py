"""One run at a time in one folder."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []


def hold_lock(path: Path) -> None:
    """Hold an exclusive lock on `path` until this process ends, however it ends.

    Unlike a lock file that has to be removed, it never outlives a killed run. Ends the process with one line where
    another run holds it or the folder is read-only.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("w")
    except OSError as error:
        sys.exit(f"error: {path}: cannot be written ({error.strerror}); unlock the folder")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        sys.exit(f"error: another run is writing to {path.parent}/; wait for it to end")
    _held.append(handle)
