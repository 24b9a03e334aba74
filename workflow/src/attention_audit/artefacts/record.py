"""Records of fetched files, as JSON with a seal that shows later damage."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attention_audit.errors import AuditError

from .files import KEY, OPEN, check_seal, checksum, rebuild_hint, write_sealed


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all, with its seal."""
    with write_sealed(path) as temporary:
        # the seal stands at the end
        temporary.write_text(json.dumps({**dict(sorted(record.items())), KEY: OPEN.decode()}) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """Read a record that `write_record` wrote.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing or damaged.
    """
    with check_seal(path, "record", ValueError, KeyError):
        record: dict[str, Any] = json.loads(path.read_bytes())
        del record[KEY]
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
            raise AuditError(f"{file}: {fault}; {rebuild_hint(file)}")
