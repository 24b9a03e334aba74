"""A checksum of a whole Parquet file, stored in the file itself.

Parquet's own checksums cover the pages, but neither their headers nor the footer, which describes the pages: some bits
flipped there make a reader return other numbers. This checksum covers every byte of the file except its own digits.
"""

import os
import zlib
from pathlib import Path
from typing import IO

KEY = "attention_audit_crc32"
"""Key of the checksum in the footer's metadata."""
MARK = b"crc32 of all other bytes: "
OPEN = MARK + b"-" * 8
"""The value under `KEY` until the file is complete and its checksum is known."""
BLOCK = 2**20


def _place(stream: IO[bytes]) -> int | None:
    """The offset of the checksum's digits in the file; None where there are none."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 8))
    footer = size - 8 - int.from_bytes(stream.read(4), "little")
    if footer < 0:
        return None
    stream.seek(footer)
    mark = stream.read().rfind(MARK)
    return None if mark < 0 else footer + mark + len(MARK)


def _digits(stream: IO[bytes], place: int) -> bytes:
    """The checksum of all bytes except the eight at `place`."""
    stream.seek(0)
    checksum, left = 0, place
    while chunk := stream.read(min(left, BLOCK)):
        checksum, left = zlib.crc32(chunk, checksum), left - len(chunk)
    stream.seek(place + 8)
    while chunk := stream.read(BLOCK):
        checksum = zlib.crc32(chunk, checksum)
    return b"%08x" % checksum


def seal(path: Path) -> None:
    """Write the checksum into a Parquet file whose metadata still has `OPEN` in its place."""
    with path.open("r+b") as stream:
        place = _place(stream)
        assert place is not None
        digits = _digits(stream, place)
        stream.seek(place)
        stream.write(digits)


def intact(path: Path) -> bool:
    """Whether a file has its checksum and no byte has changed since. Raises OSError where it cannot be read."""
    with path.open("rb") as stream:
        place = _place(stream)
        if place is None:
            return False
        stream.seek(place)
        return stream.read(8) == _digits(stream, place)
