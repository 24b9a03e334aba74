"""Arrays too large for memory, as .npy files that are read where they lie, with their seal behind the last byte."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.artefacts.files import whole
from attention_audit.artefacts.seal import OPEN, seal, sealed


@contextmanager
def written(path: Path, shape: tuple[int, ...], kind: npt.DTypeLike) -> Iterator[npt.NDArray[Any]]:
    """An array on disk to be filled in any order; it is sealed and gets its name when the block succeeds.

    Raises AuditError where the file cannot be written.
    """
    with whole(path) as temporary:
        array = np.lib.format.open_memmap(temporary, mode="w+", dtype=np.dtype(kind), shape=shape)
        # a full disk is an error here; where the pages are first written, it would end the process
        with temporary.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, temporary.stat().st_size)
        yield array
        array.flush()
        del array
        with temporary.open("ab") as stream:
            stream.write(OPEN)
        seal(temporary)


def opened_array(path: Path) -> npt.NDArray[Any]:
    """The array of a sealed file, in memory only where it is touched; a write to it never reaches the file.

    Raises AuditError, naming the command that rebuilds it, where the file is missing or damaged.
    """
    with sealed(path, "array", ValueError):
        array: npt.NDArray[Any] = np.load(path, mmap_mode="c")
    return array
