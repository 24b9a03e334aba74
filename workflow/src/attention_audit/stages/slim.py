"""Few columns of large cached files, for the tables and figures that gather all data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_batches
from attention_audit.columns.kinds import Artefact
from attention_audit.columns.shared import ITEMS
from attention_audit.errors import AuditError
from attention_audit.stages.frames import files
from attention_audit.stages.job import Job


def slimmed(table: pa.Table) -> pa.Table:
    """`table` with words as categories, and a list of k numbers as the columns <name>_0 to <name>_<k - 1>."""
    columns: dict[str, pa.ChunkedArray] = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_string(field.type):
            columns[field.name] = column.dictionary_encode()
        elif pa.types.is_list(field.type):
            longest = pc.max(pc.list_value_length(column)).as_py() or 0
            columns |= {f"{field.name}_{place}": pc.list_element(column, place) for place in range(longest)}
        else:
            columns[field.name] = column
    return pa.table(columns)


def read(paths: Sequence[Path], artefact: Artefact, columns: Sequence[str]) -> pd.DataFrame:
    """Some columns of some files, `slimmed`, as one frame."""
    tables = [artefact.schema.empty_table().select(list(columns))]
    tables += (table for path in paths for table in read_batches(path, artefact, columns))
    # tables without any list have none of its columns
    joined = pa.concat_tables(map(slimmed, tables), promote_options="default")
    frame: pd.DataFrame = joined.unify_dictionaries().to_pandas()
    return frame


def nothing(name: str, artefact: Artefact) -> AuditError:
    """What to say where no file of this name has a row."""
    remedy = "name one that has sentences, or a FLAN" if ITEMS in artefact.columns else "name another one"
    return AuditError(f"{name}: no test text of several items in any data set; {remedy}")


def stacked_slim(job: Job, name: str, artefact: Artefact, columns: Sequence[str]) -> pd.DataFrame:
    """Some columns of the files of one name, one a data set, as one frame, `slimmed`.

    Raises AuditError where there is no file or no row.
    """
    frame = read(files(job, name), artefact, columns)
    if frame.empty:
        raise nothing(name, artefact)
    return frame


def slim_frames(job: Job, name: str, artefact: Artefact, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
    """The same, data set after data set; those without rows are passed over."""
    frames = 0
    for path in files(job, name):
        frame = read([path], artefact, columns)
        if len(frame):
            frames += 1
            yield frame
    if not frames:
        raise nothing(name, artefact)
