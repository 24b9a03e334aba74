"""One seal for every kind of file that a job writes: a checksum of the whole file, stored in the file itself.

The formats' own checksums miss some damage: those of Parquet cover the pages, but neither their headers nor the footer,
which describes the pages, and safetensors, npy and JSON have none. The seal covers every byte but its own digits. It
stands in the part of the file that says how the file was made.
"""

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.errors import AuditError

KEY = "attention_audit_crc32"
"""Key of the seal in the metadata of a file that has keys."""
MARK = b"crc32 of all other bytes: "
DIGITS = 8
OPEN = MARK + b"-" * DIGITS
"""What a writer leaves in its place until the file is complete: in Parquet's footer, in the header of safetensors, in
other files at the end."""


def _compute(path: Path) -> tuple[int, bytes, bytes]:
    """The offset of the seal's digits in a file, -1 where there are none; the digits that stand there, and those that
    are the checksum of all other bytes. Raises OSError where the file cannot be read.
    """
    with path.open("rb") as stream:
        if not os.fstat(stream.fileno()).st_size:
            return -1, b"", b""
        with mmap(stream.fileno(), 0, access=ACCESS_READ) as content, memoryview(content) as view:
            mark = content.rfind(MARK)
            if mark < 0:
                return -1, b"", b""
            place = mark + len(MARK)
            behind = place + DIGITS
            checksum = zlib.crc32(view[behind:], zlib.crc32(view[:place]))
            return place, content[place:behind], b"%08x" % checksum


def seal(path: Path) -> None:
    """Write the checksum into a complete file that still has `OPEN` in its place."""
    place, _, digits = _compute(path)
    assert place >= 0
    with path.open("r+b") as stream:
        stream.seek(place)
        stream.write(digits)


def intact(path: Path) -> bool:
    """Whether a file has its seal and no byte has changed since. Raises OSError where it cannot be read."""
    place, found, expected = _compute(path)
    return place >= 0 and found == expected


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
