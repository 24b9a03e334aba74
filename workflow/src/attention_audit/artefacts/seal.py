"""One seal for every kind of file that a job writes: a checksum of the whole file, stored in the file itself.

The formats' own checksums miss some damage: those of Parquet cover the pages, but neither their headers nor the footer,
which describes the pages, and safetensors, npy and JSON have none. The seal covers every byte but its own digits. It
stands in the part of the file that says how the file was made; the rest are the values.
"""

import hashlib
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.errors import AuditError

KEY = "attention_audit_crc32"
"""Key of the seal in the metadata of a file that has keys."""
MARK = b"crc32 of all other bytes: "
OPEN = MARK + b"-" * 8
"""What a writer leaves in its place until the file is complete: in Parquet's footer, in the header of safetensors, in
other files at the end."""
CLOSING = 8
"""Bytes at most that follow it at the end of a file."""
BLOCK = 2**20


def _about(stream: IO[bytes]) -> tuple[int, int]:
    """Where the part of a file begins and ends that says how it was made."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    first = stream.read(9)
    if first.startswith(b"PAR1"):
        stream.seek(max(0, size - 8))
        return max(0, size - 8 - int.from_bytes(stream.read(4), "little")), size
    # the length of the header of safetensors is a multiple of 8, so that its first byte is no brace
    if first.endswith(b"{") and not first.startswith(b"{"):
        return 0, min(size, 8 + int.from_bytes(first[:8], "little"))
    return max(0, size - len(OPEN) - CLOSING), size


def _blocks(stream: IO[bytes], start: int, stop: int | None = None) -> Iterator[bytes]:
    """The bytes of a file from `start` to `stop`, or to its end."""
    left = stream.seek(0, os.SEEK_END) if stop is None else stop
    left -= stream.seek(start)
    while chunk := stream.read(min(max(0, left), BLOCK)):
        yield chunk
        left -= len(chunk)


def _place(stream: IO[bytes]) -> int | None:
    """The offset of the seal's digits in a file; None where there are none."""
    start, stop = _about(stream)
    stream.seek(start)
    mark = stream.read(stop - start).rfind(MARK)
    return None if mark < 0 else start + mark + len(MARK)


def _digits(stream: IO[bytes], place: int) -> bytes:
    """The checksum of all bytes except the eight at `place`."""
    checksum = 0
    for part in ((0, place), (place + 8, None)):
        for chunk in _blocks(stream, *part):
            checksum = zlib.crc32(chunk, checksum)
    return b"%08x" % checksum


def seal(path: Path) -> None:
    """Write the checksum into a complete file that still has `OPEN` in its place."""
    with path.open("r+b") as stream:
        place = _place(stream)
        assert place is not None
        digits = _digits(stream, place)
        stream.seek(place)
        stream.write(digits)


def intact(path: Path) -> bool:
    """Whether a file has its seal and no byte has changed since. Raises OSError where it cannot be read."""
    with path.open("rb") as stream:
        place = _place(stream)
        if place is None:
            return False
        stream.seek(place)
        return stream.read(8) == _digits(stream, place)


@contextmanager
def sealed(path: Path, what: str, *errors: type[Exception]) -> Iterator[None]:
    """A block that reads a file, of a kind that is called `what`, whose seal is checked first.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing, cannot be read, or is
    damaged: where the seal does not hold, or the block raises one of `errors`.
    """
    damaged = f"{path}: truncated or corrupt {what}; {rebuild_hint(path)}"
    try:
        if not intact(path):
            raise AuditError(damaged)
        yield
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except errors as error:
        raise AuditError(damaged) from error
    except OSError as error:
        raise AuditError(f"{path}: cannot be read ({error.strerror}); {rebuild_hint(path)}") from error


def values_checksum(path: Path) -> str:
    """The sha256 of the values that a file holds, whatever it says of its own making: files of one kind with the same
    values have the same checksum, though other code or other settings made them. Raises AuditError as `sealed` does.
    """
    digest = hashlib.sha256()
    what = {".safetensors": "weights", ".npy": "array", ".json": "record"}.get(path.suffix, "Parquet")
    with sealed(path, what), path.open("rb") as stream:
        start, stop = _about(stream)
        for part in ((0, start), (stop, None)):
            for chunk in _blocks(stream, *part):
                digest.update(chunk)
    return digest.hexdigest()
