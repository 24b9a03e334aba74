"""Arrays too large for memory, as .npy files that are read where they lie, with a checksum behind their last byte."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.artefacts.files import rebuild_hint, whole
from attention_audit.errors import AuditError

DIGITS = 64
"""Hexadecimal digits of a sha256."""
BLOCK = 2**20


def _digest(path: Path, size: int) -> str:
    """sha256 of the first `size` bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(min(BLOCK, size)):
            digest.update(chunk)
            size -= len(chunk)
    return digest.hexdigest()


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
        seal = _digest(temporary, temporary.stat().st_size)
        with temporary.open("ab") as stream:
            stream.write(seal.encode())


def array_checksum(path: Path) -> str:
    """The sha256 of an array file. Raises AuditError, naming the command that rebuilds it, where it is missing or
    damaged.
    """
    try:
        size = path.stat().st_size - DIGITS
        with path.open("rb") as stream:
            stream.seek(max(0, size))
            seal = stream.read().decode(errors="replace")
        found = _digest(path, size) if size > 0 else ""
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except OSError as error:
        raise AuditError(f"{path}: cannot be read ({error.strerror}); {rebuild_hint(path)}") from error
    if not found or found != seal:
        raise AuditError(f"{path}: truncated or corrupt array; {rebuild_hint(path)}")
    return found


def opened_array(path: Path) -> npt.NDArray[Any]:
    """The array of a sealed file, in memory only where it is touched; a write to it never reaches the file.

    Raises AuditError as `array_checksum` does.
    """
    array_checksum(path)
    array: npt.NDArray[Any] = np.load(path, mmap_mode="c")
    return array
