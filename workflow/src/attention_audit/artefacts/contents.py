"""The checksum of what a Parquet file holds, whatever the file says of its own making."""

import hashlib
import os
from pathlib import Path

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.artefacts.seal import intact
from attention_audit.errors import AuditError

BLOCK = 2**20


def contents_checksum(path: Path) -> str:
    """The sha256 of the pages of a Parquet file, which hold its columns; the footer, with all metadata, is left out.

    Files of one kind (`columns.kinds.Artefact`) with the same rows have the same checksum, though other code or other
    settings made them. Raises AuditError, naming the command that rebuilds the file, where it is missing or damaged.
    """
    try:
        undamaged = intact(path)
    except OSError as error:
        raise AuditError(f"{path}: cannot be read ({error.strerror}); {rebuild_hint(path)}") from error
    if not undamaged:
        raise AuditError(f"{path}: truncated or corrupt Parquet; {rebuild_hint(path)}")
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 8))
        left = max(0, size - 8 - int.from_bytes(stream.read(4), "little"))
        stream.seek(0)
        while chunk := stream.read(min(left, BLOCK)):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()
