"""How many GPUs this machine has, and which of them is free."""

import os
import tempfile
from pathlib import Path

from attention_audit.artefacts.files import take_lock


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
