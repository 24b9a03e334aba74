"""A checksum of a Parquet file within the file.

Parquet's own checksums cover the pages, not their headers and not the footer, which says what the pages hold: there,
some flipped bits are read as other numbers. The seal covers every byte but its own.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import IO

KEY = "attention_audit_crc32"
"""Its place in the footer's metadata."""
MARK = b"crc32 of all other bytes: "
OPEN = MARK + b"-" * 8
"""What stands there until the file is whole."""
BLOCK = 2**20


def _place(stream: IO[bytes]) -> int | None:
    """Where the digits stand; None where there are none."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 8))
    footer = size - 8 - int.from_bytes(stream.read(4), "little")
    if footer < 0:
        return None
    stream.seek(footer)
    found = stream.read().rfind(MARK)
    return None if found < 0 else footer + found + len(MARK)


def _digits(stream: IO[bytes], place: int) -> bytes:
    """The checksum of all bytes but the eight at `place`."""
    stream.seek(0)
    checksum, left = 0, place
    while chunk := stream.read(min(left, BLOCK)):
        checksum, left = zlib.crc32(chunk, checksum), left - len(chunk)
    stream.seek(place + 8)
    while chunk := stream.read(BLOCK):
        checksum = zlib.crc32(chunk, checksum)
    return b"%08x" % checksum


def seal(path: Path) -> None:
    """Enter the checksum into a Parquet file whose metadata holds OPEN."""
    with path.open("r+b") as stream:
        place = _place(stream)
        assert place is not None
        digits = _digits(stream, place)
        stream.seek(place)
        stream.write(digits)


def intact(path: Path) -> bool:
    """Whether a file is sealed, and every byte is as it was then. Raises OSError where it cannot be read."""
    with path.open("rb") as stream:
        place = _place(stream)
        if place is None:
            return False
        stream.seek(place)
        return stream.read(8) == _digits(stream, place)
