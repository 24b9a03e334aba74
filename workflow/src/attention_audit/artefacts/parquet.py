"""Reading and writing the Parquet files that `attention_audit.columns` declares."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from attention_audit.columns.kinds import Artefact
from attention_audit.errors import AuditError

from .files import OPEN_SEAL, SEAL_KEY, check_seal, rebuild_hint, write_sealed
from .provenance import Provenance

if TYPE_CHECKING:  # pandas takes a third of a second to import, and most stages do not use it
    import pandas as pd

PROVENANCE_KEY = b"attention_audit"
KIND_KEY = b"attention_audit_kind"
"""Key in a file's metadata; its value is the name of the file's `Artefact`."""
GROUP = 2**26
"""Bytes in memory of a row group, where a file is written in several row groups."""


def make_arrow_table(artefact: Artefact, columns: "dict[str, Any] | pd.DataFrame | pa.Table") -> pa.Table:
    """Make a table of the columns that a kind of file has, of their declared types. Raises pa.ArrowInvalid where they
    do not fit.
    """
    return pa.table({name: columns[name] for name in artefact.schema.names}, artefact.schema)


def write_table(
    path: Path,
    artefact: Artefact,
    columns: "dict[str, Any] | pd.DataFrame | pa.Table",
    provenance: Provenance,
) -> None:
    """Write `columns` as a file of kind `artefact`, whole or not at all, with its provenance in the metadata.

    Raises pa.ArrowInvalid where the columns do not fit the declared schema, or where a column that is declared without
    nulls has some.
    """
    write_batches(path, artefact, [make_arrow_table(artefact, columns)], provenance)


def write_batches(path: Path, artefact: Artefact, tables: Iterable[pa.Table], provenance: Provenance) -> None:
    """Write as `write_table` does, rows that do not fit in memory at once: they come as tables.

    Raises pa.ArrowInvalid as `write_table` does, for any of the tables; then no file is written.
    """
    with open_writer(path, artefact, provenance) as write:
        for table in tables:
            write(table)


@contextmanager
def open_writer(path: Path, artefact: Artefact, provenance: Provenance) -> Iterator[Callable[[pa.Table], None]]:
    """Open a file of kind `artefact` for writing, and give what writes a table to it; each row group holds one or more
    tables. The file is there when the block ends, and not where it fails.
    """
    metadata = {PROVENANCE_KEY: provenance.text().encode(), KIND_KEY: artefact.name.encode()}
    schema = artefact.schema.with_metadata(metadata)
    gathered: list[pa.Table] = []
    writing = {"compression": "zstd", "write_page_checksum": True}
    with write_sealed(path) as temporary, pq.ParquetWriter(temporary, schema, **writing) as writer:

        def write_group() -> None:
            writer.write_table(pa.concat_tables(gathered))
            gathered.clear()

        def write(table: pa.Table) -> None:
            for field in schema:
                if not field.nullable and table[field.name].null_count:
                    raise pa.ArrowInvalid(f"{path}: column {field.name} holds nulls")
            gathered.append(table)
            if sum(part.nbytes for part in gathered) >= GROUP:
                write_group()

        yield write
        if gathered:
            write_group()
        writer.add_key_value_metadata({SEAL_KEY: OPEN_SEAL.decode()})


@contextmanager
def open_parquet(path: Path, artefact: Artefact) -> Iterator[pq.ParquetFile]:
    """Open a file of kind `artefact` for reading.

    Raises AuditError, naming the file and the command that rebuilds it, where the file is missing, truncated or
    corrupt, whether this shows at once or while the block reads, and where it is of another kind or has other columns.
    """
    with check_seal(path, "Parquet", ValueError, pa.ArrowException, OSError), pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        if _name_kind(schema) != artefact.name or not schema.equals(artefact.schema, check_metadata=False):
            raise AuditError(
                str(path), f"is no {artefact.name} file, or has other columns than this version's", rebuild_hint(path)
            )
        yield file


def _name_kind(schema: pa.Schema) -> str:
    name: bytes = (schema.metadata or {}).get(KIND_KEY, b"")
    return name.decode()


def name_kind(path: Path) -> str:
    """Return the name of the kind of file at `path`; "" where there is none, or one that cannot be read."""
    try:
        return _name_kind(pq.read_schema(path))
    except (OSError, pa.ArrowException):
        return ""


def is_empty(path: Path) -> bool:
    """Tell whether a file has no rows; not so of one that cannot be read, of which those say so who read it."""
    try:
        return not pq.read_metadata(path).num_rows
    except (OSError, pa.ArrowException):
        return False


def read_table(path: Path, artefact: Artefact, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file of kind `artefact`, or some of its columns; raises AuditError as `open_parquet` does."""
    with open_parquet(path, artefact) as file:
        return file.read(columns)


def read_batches(path: Path, artefact: Artefact, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Read some columns of a file of kind `artefact`, one row group at a time. Raises as `open_parquet` does."""
    with open_parquet(path, artefact) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, list(columns))


def read_rows(path: Path, artefact: Artefact, columns: Sequence[str], where: pc.Expression) -> pa.Table:
    """Read some columns of the rows for which an expression of these holds. Raises as `open_parquet` does."""
    return pa.concat_tables(table.filter(where) for table in read_batches(path, artefact, columns))


def read_frame(path: Path, artefact: Artefact) -> "pd.DataFrame":
    """Read a whole file as a DataFrame."""
    return read_table(path, artefact).to_pandas()


def read_reason(path: Path) -> str:
    """Read why an audit's file has no rows, with the audit's name; "" where it has some, or only no text has any."""
    reason = read_provenance(path)["settings"].get("reason")
    return f"{path.stem} {reason}" if reason else ""


def read_provenance(path: Path) -> dict[str, Any]:
    """Read the provenance that a results file carries in its metadata."""
    return json.loads(pq.read_schema(path).metadata[PROVENANCE_KEY])
