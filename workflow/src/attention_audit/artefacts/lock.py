"""One run at a time in one folder."""

import sys
from pathlib import Path

from filelock import FileLock, Timeout

_held: list[FileLock] = []


def hold_lock(path: Path) -> None:
    """Hold an exclusive lock on `path` until this process ends, however it ends.

    The lock is the kernel's, not the mere existence of the file, so it never outlives a killed run. Where another run
    holds the lock or the folder is read-only, this ends the process with one line.
    """
    lock = FileLock(path, fallback_to_soft=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        sys.exit(f"error: another run is writing to {path.parent}/; wait for it to end")
    except OSError as error:
        sys.exit(f"error: {path}: cannot be written ({error.strerror}); unlock the folder")
    _held.append(lock)
