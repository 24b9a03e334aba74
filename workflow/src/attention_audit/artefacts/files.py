"""Writing files so that they are either complete or do not exist."""

import hashlib
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attention_audit.errors import AuditError


@contextmanager
def scratch(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`; what is written to it is removed when the block ends.

    Raises AuditError where it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
    except OSError as error:
        # a library may say more than the system does, such as the name of the temporary file
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise AuditError(f"{path}: cannot be written ({reason}); free or unlock the folder") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`: it is renamed to `path` when the block succeeds, and removed when it fails.

    Raises AuditError where the file cannot be written (read-only folder, full disk).
    """
    with scratch(path) as temporary:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        temporary.replace(path)


def checksum(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sweep(folder: Path) -> None:
    """Remove the half-written files that killed jobs left under `folder`."""
    for left in folder.rglob(".*.part"):
        with suppress(OSError):
            left.unlink()


def rebuild_hint(path: Path) -> str:
    """The command that rebuilds a damaged results file with the configuration of this run."""
    options = os.environ.get("ATTENTION_AUDIT_OPTIONS")
    return f"rebuild it with: snakemake --cores 1 --force {shlex.quote(str(path))}" + (f" {options}" if options else "")
