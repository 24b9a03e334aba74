"""What a table or figure is called with: cached files as frames, its settings, and the names of models."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.artefacts.files import read_record
from attention_audit.artefacts.parquet import read_batches, read_frame, read_reason
from attention_audit.columns.kinds import artefact
from attention_audit.contrasts import EvaluatedModel
from attention_audit.jobs import ExhibitJob, ReadSpec
from attention_audit.names import Names, Style
from attention_audit.tables.wording import collect_labels

from .job import Job


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
            filled = pc.list_slice(column, 0, longest, return_fixed_size_list=True)
            columns |= {f"{field.name}_{place}": pc.list_element(filled, place) for place in range(longest)}
        else:
            columns[field.name] = column
    return pa.table(columns)


def build_frame(spec: ReadSpec, tables: Iterable[tuple[str, pa.Table]]) -> pd.DataFrame:
    """Build one frame of tables, each after its suite, with a column that says whose rows these are if asked."""
    schema = artefact(spec.declared).schema

    def prepare(table: pa.Table, suite: str = "") -> pa.Table:
        rows = table.filter(pc.field("split") == spec.split) if spec.split else table
        if spec.columns:
            rows = rows.select(spec.columns)
        if spec.suites:
            rows = rows.append_column("suite", pa.array([suite] * len(rows), pa.string()))
        return to_categorical(rows) if spec.categories else rows

    prepared = [prepare(schema.empty_table()), *(prepare(table, suite) for suite, table in tables)]
    # tables without any list have none of its columns
    return pa.concat_tables(prepared, promote_options="default").unify_dictionaries().to_pandas()


def read_files(spec: ReadSpec, paths: Sequence[Path], places: Iterable[int]) -> pd.DataFrame:
    """Read the files at some places of one name as one frame."""
    kind = artefact(spec.declared)
    columns = spec.columns or kind.schema.names
    tables = (
        (spec.files[place].suite, table) for place in places for table in read_batches(paths[place], kind, columns)
    )
    return build_frame(spec, tables)


class NotApplicable(Exception):
    """There is nothing to show; its text is the reason."""


def gather(spec: ReadSpec, paths: Sequence[Path]) -> Iterator[pd.DataFrame]:
    """Yield the rows of all files of an audit or, if asked, of each data set that has some, one after another.

    Raises NotApplicable where rows are needed and there are none.
    """
    by_dataset = groupby(range(len(paths)), key=lambda place: spec.each and spec.files[place].name)
    found = False
    for places in [[*places] for _, places in by_dataset] or [[]]:
        frame = read_files(spec, paths, places)
        found = found or not frame.empty
        if not spec.each or not frame.empty:
            yield frame
    if spec.needed and not found:
        raise NotApplicable(next(filter(None, map(read_reason, paths)), "no test text has several items"))


def list_subjects(job: Job[ExhibitJob], subjects: Sequence[dict[str, Any]]) -> list[EvaluatedModel]:
    """List the judged models, each with the reasons why audits of it have no rows, as the files of these say."""
    reasons: dict[tuple[str, ...], dict[str, str]] = {}
    for name, spec in job.settings.reads.items():
        if spec.source == "audit":
            for whose, path in zip(spec.files, job.inputs.get(name, []), strict=True):
                if reason := read_reason(path):
                    reasons.setdefault((whose.name, whose.suite, whose.model), {})[path.stem] = reason
    find_key = itemgetter("dataset", "suite", "model")
    return [
        EvaluatedModel(**subject | {"unasked": subject["unasked"] | reasons.get(find_key(subject), {})})
        for subject in subjects
    ]


def label_names(job: Job[ExhibitJob]) -> dict[str, str]:
    """Return what names are called in rows."""
    suites = job.settings.models.values()
    return collect_labels(({name: look[0] for name, look in models.items()} for models in suites), job.settings.titles)


def read_arguments(job: Job[ExhibitJob]) -> dict[str, Any]:
    """Read all that the function of a table or figure is called with."""
    settings = job.settings
    values: dict[str, Any] = dict(settings.settings)
    for name, spec in settings.reads.items():
        paths = job.inputs.get(name, [])
        match spec.source:
            case "audit":
                values[name] = gather(spec, paths)
                if not spec.each:
                    (values[name],) = values[name]
            case "table":
                frame = read_frame(paths[0], artefact(spec.declared))
                values[name] = frame[frame["dataset"] == spec.only] if spec.only else frame
            case "corpus" | "tables":
                values[name] = {whose.name: read_files(spec, paths, [at]) for at, whose in enumerate(spec.files)}
            case "records":
                known = {(record["folder"], record["file"]): record for record in map(read_record, paths)}
                values[name] = {
                    dataset: [known[folder, file] for folder, file in files]
                    for dataset, files in settings.fetched.items()
                }
    if "subjects" in values:
        values["subjects"] = list_subjects(job, values["subjects"])
    if "models" in settings.takes:
        looks = {name: Style(*look) for name, look in settings.models[settings.suite].items()}
        values["models"] = Names(looks)
    if "labels" in settings.takes:
        values["labels"] = label_names(job)
    return values
