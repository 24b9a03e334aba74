"""Records of fetched files, as JSON with a checksum that shows later damage."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attention_audit.artefacts.files import checksum, rebuild_hint, whole
from attention_audit.errors import AuditError

SUM = "record_sha256"


def _checksum(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all, with its checksum."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps({**record, SUM: _checksum(record)}, sort_keys=True) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """Read a record that `write_record` wrote.

    Raises AuditError, naming the file and the command that rebuilds it, where it is missing or damaged.
    """
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
        expected = record.pop(SUM)
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise AuditError(f"{path}: truncated or corrupt record; {rebuild_hint(path)}") from error
    if _checksum(record) != expected:
        raise AuditError(f"{path}: corrupt record (checksum differs); {rebuild_hint(path)}")
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
