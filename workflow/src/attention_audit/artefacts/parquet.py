"""Reading and writing the Parquet files that `schema` declares."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from attention_audit.artefacts.files import rebuild_hint, whole
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.schema import Artefact, kind_of_table
from attention_audit.artefacts.seal import KEY, OPEN, intact, seal
from attention_audit.errors import AuditError

PROVENANCE_KEY = b"attention_audit"
GROUP = 2**26
"""Bytes in memory of a row group, where a file is written in several."""


@contextmanager
def _sealed(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Writes a file, whole or not at all, that shows any later damage."""
    with whole(path) as temporary:
        with pq.ParquetWriter(temporary, schema, compression="zstd", write_page_checksum=True) as writer:
            yield writer
            writer.add_key_value_metadata({KEY: OPEN.decode()})
        seal(temporary)


def write_table(
    path: Path,
    artefact: Artefact,
    columns: dict[str, Any] | pd.DataFrame,
    provenance: Provenance,
    seed: int | None = None,
) -> None:
    """Write `columns` as a file of kind `artefact`, whole or not at all, with its provenance in the metadata.

    Raises pa.ArrowInvalid where the columns do not fit the declared schema.
    """
    schema = artefact.schema.with_metadata({PROVENANCE_KEY: provenance.text(seed).encode()})
    if isinstance(columns, pd.DataFrame):
        table = pa.Table.from_pandas(columns[schema.names], schema=artefact.schema, preserve_index=False)
        table = table.replace_schema_metadata(schema.metadata)
    else:
        table = pa.table({name: columns[name] for name in schema.names}, schema=schema)
    for field in schema:
        if not field.nullable and table[field.name].null_count:
            raise pa.ArrowInvalid(f"{path}: column {field.name} holds nulls")
    with _sealed(path, schema) as writer:
        writer.write_table(table)


def write_batches(
    path: Path, artefact: Artefact, tables: Iterable[pa.Table], provenance: Provenance, seed: int | None = None
) -> None:
    """`write_table` for rows that do not fit in memory at once: they come in tables, and leave in row groups."""
    schema = artefact.schema.with_metadata({PROVENANCE_KEY: provenance.text(seed).encode()})
    gathered: list[pa.Table] = []
    with _sealed(path, schema) as writer:
        for table in tables:
            gathered.append(table)
            if sum(part.nbytes for part in gathered) >= GROUP:
                writer.write_table(pa.concat_tables(gathered).replace_schema_metadata(schema.metadata))
                gathered = []
        if gathered:
            writer.write_table(pa.concat_tables(gathered).replace_schema_metadata(schema.metadata))


@contextmanager
def sound(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file.

    Raises AuditError, naming the file and the command that rebuilds it, where the file is missing, truncated or
    corrupt, be it found here or while the block reads.
    """
    try:
        if not intact(path):
            raise AuditError(f"{path}: truncated or corrupt Parquet; {rebuild_hint(path)}")
        with pq.ParquetFile(path) as file:
            yield file
    except FileNotFoundError as error:
        raise AuditError(f"{path}: not there; {rebuild_hint(path)}") from error
    except (OSError, pa.ArrowException) as error:
        raise AuditError(f"{path}: truncated or corrupt Parquet; {rebuild_hint(path)}") from error


@contextmanager
def opened(path: Path, artefact: Artefact) -> Iterator[pq.ParquetFile]:
    """A file of kind `artefact`; raises AuditError as `sound` does, and where it has another shape."""
    with sound(path) as file:
        if not file.schema_arrow.equals(artefact.schema, check_metadata=False):
            raise AuditError(
                f"{path}: other columns than {artefact.name} files of this version have; {rebuild_hint(path)}"
            )
        yield file


def read_table(path: Path, artefact: Artefact) -> pa.Table:
    """Read a whole file of kind `artefact`; raises AuditError as `opened` does."""
    with opened(path, artefact) as file:
        return file.read()


def read_batches(path: Path, artefact: Artefact, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a file of kind `artefact`, row group after row group; raises AuditError as `opened` does."""
    with opened(path, artefact) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, list(columns))


def read_frame(path: Path, artefact: Artefact) -> pd.DataFrame:
    """`read_table` as a DataFrame."""
    frame: pd.DataFrame = read_table(path, artefact).to_pandas()
    return frame


def read_provenance(path: Path) -> dict[str, Any]:
    """What a Parquet file of ours says of its own making."""
    metadata = pq.read_schema(path).metadata or {}
    record: dict[str, Any] = json.loads(metadata[PROVENANCE_KEY])
    return record


def read_published(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A published table of any kind and its provenance; raises AuditError as `opened` does."""
    with sound(path) as file:
        columns = file.schema_arrow.names
    try:
        kind = kind_of_table(columns)
    except ValueError as error:
        raise AuditError(f"{path}: {error}; {rebuild_hint(path)}") from error
    return read_frame(path, kind), read_provenance(path)
