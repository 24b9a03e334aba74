"""What a table or figure is called with: cached files as frames, its settings, and the names of models."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_batches, read_frame
from attention_audit.artefacts.record import read_record
from attention_audit.columns.kinds import Artefact, artefact
from attention_audit.errors import AuditError
from attention_audit.jobs.exhibit import ExhibitJob, ReadSpec
from attention_audit.names import Look, Names
from attention_audit.stages.job import Job
from attention_audit.tables.wording import labels_of

NO_FILE = "config: no data set is named that can be had and that suits this result; name one"


def slimmed(table: pa.Table) -> pa.Table:
    """`table` with words as categories, and a list of k numbers as the columns <name>_0 to <name>_<k - 1>.

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


class Gathered:
    """The files of one name."""

    def __init__(self, name: str, spec: ReadSpec, paths: Sequence[Path]) -> None:
        self.name = name
        self.spec = spec
        self.paths = paths
        self.kind: Artefact = artefact(spec.declared)
        self.columns = spec.columns or self.kind.schema.names
        self.nothing = self.kind.schema.empty_table().select(self.columns)

    def _asked(self, table: pa.Table, suite: str) -> pa.Table:
        """A table as it is asked for: with a column that says whose rows these are, and slimmed, or as it is."""
        if self.spec.suites:
            table = table.append_column("suite", pa.array([suite] * len(table), pa.string()))
        return slimmed(table) if self.spec.categories else table

    def _joined(self, places: Sequence[int]) -> pd.DataFrame:
        tables = [self._asked(self.nothing, "")]
        for place in places:
            read = read_batches(self.paths[place], self.kind, self.columns)
            tables += [self._asked(table, self.spec.files[place].suite) for table in read]
        # tables without any list have none of its columns
        frame: pd.DataFrame = pa.concat_tables(tables, promote_options="default").unify_dictionaries().to_pandas()
        return frame

    def _refuse_nothing(self, rows: int) -> None:
        if not rows and self.spec.missing == "no row":
            remedy = (
                "name one that has sentences, or a FLAN" if "items" in self.kind.schema.names else "name another one"
            )
            raise AuditError(f"{self.name}: no test text of several items in any data set; {remedy}")

    def frame(self) -> pd.DataFrame:
        """The rows of all files. Raises AuditError where what must be there is not."""
        if not self.paths and self.spec.missing != "nothing":
            raise AuditError(NO_FILE)
        frame = self._joined(range(len(self.paths)))
        self._refuse_nothing(len(frame))
        return frame

    def frames(self) -> Iterator[pd.DataFrame]:
        """The rows of each data set, one after another; those without rows are passed over."""
        if not self.paths:
            raise AuditError(NO_FILE)
        rows = 0
        by_dataset = groupby(range(len(self.paths)), key=lambda place: self.spec.files[place].name)
        for _, places in by_dataset:
            frame = self._joined([*places])
            rows += len(frame)
            if len(frame):
                yield frame
        self._refuse_nothing(rows)

    def by_name(self) -> dict[str, pd.DataFrame]:
        """The rows of each file by whose they are; of one split where one is named."""
        frames = {}
        for whose, path in zip(self.spec.files, self.paths, strict=True):
            tables = [self.nothing, *read_batches(path, self.kind, self.columns)]
            if self.spec.split:
                tables = [table.filter(pc.equal(table["split"], self.spec.split)) for table in tables]
            frames[whose.name] = pa.concat_tables(tables).to_pandas()
        return frames


def records_by_dataset(job: Job[ExhibitJob], paths: Sequence[Path]) -> dict[str, list[dict[str, Any]]]:
    """What is known of the fetched files of each data set."""
    known = [read_record(path) for path in paths]
    by_file = {(record["folder"], record["file"]): record for record in known}
    return {
        dataset: [by_file[folder, file] for folder, file in files] for dataset, files in job.settings.fetched.items()
    }


def names_of(job: Job[ExhibitJob]) -> dict[str, Names]:
    """The models of each suite that the settings name."""
    return {
        suite: Names("model", "plan/papers", {name: Look(*look) for name, look in models.items()})
        for suite, models in job.settings.models.items()
    }


def labels(job: Job[ExhibitJob]) -> dict[str, str]:
    """What names are called in rows."""
    return labels_of((names.labels for names in names_of(job).values()), job.settings.titles)


def arguments(job: Job[ExhibitJob]) -> dict[str, Any]:
    """All that the function of a table or figure is called with."""
    settings = job.settings
    values: dict[str, Any] = dict(settings.settings)
    for name, spec in settings.reads.items():
        paths = job.inputs.get(name, [])
        match spec.source:
            case "audit":
                gathered = Gathered(name, spec, paths)
                values[name] = gathered.frames() if spec.each else gathered.frame()
            case "table":
                frame = read_frame(paths[0], artefact(spec.declared))
                values[name] = frame[frame["dataset"] == spec.only] if spec.only else frame
            case "corpus" | "tables":
                values[name] = Gathered(name, spec, paths).by_name()
            case "records":
                values[name] = records_by_dataset(job, paths)
    if "models" in settings.takes:
        values["models"] = names_of(job)[settings.suite]
    if "labels" in settings.takes:
        values["labels"] = labels(job)
    return values
