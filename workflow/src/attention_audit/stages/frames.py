"""What a table or figure is called with: cached files as frames, its settings, and the names of models."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_batches, read_frame
from attention_audit.artefacts.record import read_record
from attention_audit.columns.kinds import artefact
from attention_audit.errors import AuditError
from attention_audit.jobs.exhibit import ExhibitJob, ReadSpec
from attention_audit.names import Look, Names
from attention_audit.stages.job import Job
from attention_audit.tables.wording import labels_of


def to_categorical(table: pa.Table) -> pa.Table:
    """Return `table` with words as categories, and a list of k numbers as the columns <name>_0 to <name>_<k - 1>.

    k is the length of the longest list; a shorter one has nulls in the last columns.
    """
    columns: dict[str, pa.ChunkedArray] = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_string(field.type):
            columns[field.name] = column.dictionary_encode()
        elif pa.types.is_list(field.type):
            longest = pc.max(pc.list_value_length(column)).as_py() or 0
            if longest:
                filled = pc.list_slice(column, 0, longest, return_fixed_size_list=True)
                columns |= {f"{field.name}_{place}": pc.list_element(filled, place) for place in range(longest)}
        else:
            columns[field.name] = column
    return pa.table(columns)


def read_files(spec: ReadSpec, paths: Sequence[Path], places: Iterable[int]) -> pd.DataFrame:
    """Read the files at some places of one name as one frame, with a column that says whose rows these are if asked."""
    kind = artefact(spec.declared)
    columns = spec.columns or kind.schema.names
    tables = [("", kind.schema.empty_table().select(columns))]
    for place in places:
        tables += [(spec.files[place].suite, table) for table in read_batches(paths[place], kind, columns)]
    asked = []
    for suite, table in tables:
        own = table.filter(pc.field("split") == spec.split) if spec.split else table
        if spec.suites:
            own = own.append_column("suite", pa.array([suite] * len(own), pa.string()))
        asked.append(to_categorical(own) if spec.categories else own)
    # tables without any list have none of its columns
    frame: pd.DataFrame = pa.concat_tables(asked, promote_options="default").unify_dictionaries().to_pandas()
    return frame


def gather(name: str, spec: ReadSpec, paths: Sequence[Path]) -> Iterator[pd.DataFrame]:
    """Yield the rows of all files of an audit or, if asked, of each data set that has some, one after another.

    Raises AuditError where what must be there is not.
    """
    if not paths and spec.missing != "nothing":
        raise AuditError("config: no data set is named that can be had and that suits this result; name one")
    by_dataset = groupby(range(len(paths)), key=lambda place: spec.each and spec.files[place].name)
    found = False
    for places in [[*places] for _, places in by_dataset] or [[]]:
        frame = read_files(spec, paths, places)
        found = found or not frame.empty
        if not spec.each or not frame.empty:
            yield frame
    if not found and spec.missing == "no row":
        of_sentences = "items" in artefact(spec.declared).schema.names
        remedy = "name one that has sentences, or a FLAN" if of_sentences else "name another one"
        raise AuditError(f"{name}: no test text of several items in any data set; {remedy}")


def list_records(job: Job[ExhibitJob], paths: Sequence[Path]) -> dict[str, list[dict[str, Any]]]:
    """List what is known of the fetched files of each data set."""
    by_file = {(record["folder"], record["file"]): record for record in map(read_record, paths)}
    return {
        dataset: [by_file[folder, file] for folder, file in files] for dataset, files in job.settings.fetched.items()
    }


def name_models(job: Job[ExhibitJob]) -> dict[str, Names]:
    """Name the models of each suite that the settings name."""
    return {
        suite: Names("model", "plan/papers", {name: Look(*look) for name, look in models.items()})
        for suite, models in job.settings.models.items()
    }


def label_names(job: Job[ExhibitJob]) -> dict[str, str]:
    """Return what names are called in rows."""
    return labels_of((names.labels for names in name_models(job).values()), job.settings.titles)


def read_arguments(job: Job[ExhibitJob]) -> dict[str, Any]:
    """Read all that the function of a table or figure is called with."""
    settings = job.settings
    values: dict[str, Any] = dict(settings.settings)
    for name, spec in settings.reads.items():
        paths = job.inputs.get(name, [])
        match spec.source:
            case "audit":
                values[name] = gather(name, spec, paths)
                if not spec.each:
                    (values[name],) = values[name]
            case "table":
                frame = read_frame(paths[0], artefact(spec.declared))
                values[name] = frame[frame["dataset"] == spec.only] if spec.only else frame
            case "corpus" | "tables":
                values[name] = {whose.name: read_files(spec, paths, [at]) for at, whose in enumerate(spec.files)}
            case "records":
                values[name] = list_records(job, paths)
    if "models" in settings.takes:
        values["models"] = name_models(job)[settings.suite]
    if "labels" in settings.takes:
        values["labels"] = label_names(job)
    return values
