"""Files that are either complete or do not exist, and one seal for every kind of file that a job writes: a checksum of
the whole file, stored in the file itself.

The formats' own checksums miss some damage: those of Parquet cover the pages, but neither their headers nor the footer,
which describes the pages, and safetensors, npy and JSON have none. The seal covers every byte but its own digits. It
stands in the part of the file that says how the file was made.

Records of fetched files are JSON with this seal.
"""

import hashlib
import json
import os
import shlex
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from attention_audit.errors import AuditError

SEAL_KEY = "attention_audit_crc32"
"""Key of the seal in the metadata of a file that has keys."""
SEAL_MARK = b"crc32 of all other bytes: "
SEAL_DIGITS = 8
OPEN_SEAL = SEAL_MARK + b"-" * SEAL_DIGITS
"""What a writer leaves in its place until the file is complete: in Parquet's footer, in the header of safetensors, in
other files at the end."""


@contextmanager
def make_scratch(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written to it is removed when the block ends.

    Raises AuditError where it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
    except OSError as error:
        # a library may say more than the system does, such as the name of the temporary file
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise AuditError(str(path), f"cannot be written ({reason})", "free or unlock the folder") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def write_whole(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`: it is renamed to `path` when the block succeeds, and removed when it fails.

    Raises AuditError where the file cannot be written (read-only folder, full disk).
    """
    with make_scratch(path) as temporary:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        temporary.replace(path)


def checksum(path: Path) -> str:
    """Compute the sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sweep(folder: Path) -> None:
    """Remove the half-written files that killed jobs left under `folder`."""
    for path in folder.rglob(".*.part"):
        with suppress(OSError):
            path.unlink()


def rebuild_hint(path: Path) -> str:
    """Return the command that rebuilds a damaged results file with the configuration of this run."""
    options = os.environ.get("ATTENTION_AUDIT_OPTIONS")
    return f"rebuild it with: snakemake --cores 1 --force {shlex.quote(str(path))}" + (f" {options}" if options else "")


def _compute_seal(path: Path) -> tuple[int, bytes, bytes]:
    """Compute the place of the seal's digits in a file, the digits that stand there, and those that are the checksum of
    all other bytes. Raises ValueError where there is no seal, and OSError where the file cannot be read.
    """
    with (
        path.open("rb") as stream,
        mmap(stream.fileno(), 0, access=ACCESS_READ) as content,
        memoryview(content) as view,
    ):
        start = content.rfind(SEAL_MARK) + len(SEAL_MARK)
        behind = start + SEAL_DIGITS
        if start < len(SEAL_MARK):
            raise ValueError(f"{path}: no seal")
        return start, content[start:behind], b"%08x" % zlib.crc32(view[behind:], zlib.crc32(view[:start]))


@contextmanager
def write_sealed(path: Path) -> Iterator[Path]:
    """Give a temporary path as `write_whole` does. `OPEN_SEAL` is to be written to it, where the checksum comes."""
    with write_whole(path) as temporary:
        yield temporary
        start, _, digits = _compute_seal(temporary)
        with temporary.open("r+b") as stream:
            stream.seek(start)
            stream.write(digits)


@contextmanager
def check_seal(path: Path, what: str, *errors: type[Exception]) -> Iterator[None]:
    """Check the seal of a file that the block reads, of a kind that is called `what`.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing, cannot be read, or is
    damaged: where the seal does not hold, or the block raises one of `errors`, of which ValueError is one.
    """
    try:
        _, digits, expected = _compute_seal(path)
        if digits != expected:
            raise ValueError(f"{path}: broken seal")
        yield
    except FileNotFoundError as error:
        raise AuditError(str(path), "not there", rebuild_hint(path)) from error
    except errors as error:
        raise AuditError(str(path), f"truncated or corrupt {what}", rebuild_hint(path)) from error
    except OSError as error:
        raise AuditError(str(path), f"cannot be read ({error.strerror})", rebuild_hint(path)) from error


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all, with its seal."""
    with write_sealed(path) as temporary:
        # the seal stands at the end
        temporary.write_text(json.dumps({**dict(sorted(record.items())), SEAL_KEY: OPEN_SEAL.decode()}) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """Read a record that `write_record` wrote.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing or damaged.
    """
    with check_seal(path, "record", ValueError, KeyError):
        record: dict[str, Any] = json.loads(path.read_bytes())
        del record[SEAL_KEY]
    return record


def check_recorded(records: Iterable[Path]) -> None:
    """Check fetched files against their records; a file lies in the folder above that of its record.

    Raises AuditError, naming the file and the command that fetches it again, where a file has changed since it came.
    """
    for path in records:
        record = read_record(path)
        file = path.parent.parent / record["file"]
        try:
            fault = "" if checksum(file) == record["sha256"] else "damaged since it was fetched"
        except FileNotFoundError:
            fault = "not there"
        except OSError as error:
            fault = f"cannot be read ({error.strerror})"
        if fault:
            raise AuditError(str(file), fault, rebuild_hint(file))
