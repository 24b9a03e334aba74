"""What is kept of a run in docs/replication/: run.json, tables as .csv, and figures."""

import json
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pydantic import ValidationError

from attention_audit.columns.kinds import Artefact, Column, artefact
from attention_audit.errors import AuditError
from attention_audit.plan.exhibits import TABLES, Exhibit
from attention_audit.section import Section
from attention_audit.tables.render import Block, Shown
from attention_audit.targets import load
from makers.replication.declared import KeptRun, Page
from makers.replication.entries import PAGES
from makers.replication.intervals import renew_intervals

ROOT = Path(__file__).parents[3]
RECORD = Path("docs") / "replication"
"""The folder of the pages and of what is kept, in a checkout."""
FACTS = "run.json"
SEARCHED_GUIDE, SEARCHED_LABEL = "guide_continuation", "MLP, attention of the adversary by continuation"
EARLIER_NAMES = {"guide_adversary": SEARCHED_GUIDE}
"""What earlier versions called other than this one: their runs of the record had both kinds of adversaries, and guided
by that of the search, where the paper's is from scratch."""


class MachineKind(Section):
    """A kind of machine, without a name: processor, cores, GiB of memory, and the GPU that was used, "" for none."""

    cpu: str
    cores: int
    memory: int
    gpu: str


class Spent(Section):
    """The jobs of one rule: how many, and CPU seconds of all."""

    rule: str
    jobs: int
    cpu_seconds: float


class RawFile(Section):
    """A fetched file, and whether it has the published bytes; None where no checksum is published."""

    file: str
    sha256: str
    canonical: bool | None


class Facts(Section):
    """What is known of a kept run. made: the day of its last job. commit: of the code that made it.

    datasets: by the key of their suite. labels: what its tables call models, rankings and attributions. config: the
    whole configuration, without what is of one machine.
    """

    made: str
    commit: str
    versions: dict[str, str]
    machines: list[MachineKind]
    spent: list[Spent]
    files: list[RawFile]
    datasets: dict[str, list[str]]
    labels: dict[str, str]
    config: dict[str, Any]

    @property
    def code(self) -> str:
        """The version and the commit that made it."""
        return f"{self.versions['attention_audit']}, `{self.commit[:8]}`"

    @property
    def of_present(self) -> bool:
        """Whether the definition of intervals that this version has made it, as from version 0.5 on."""
        return tuple(map(int, self.versions["attention_audit"].split(".")[:2])) >= (0, 5)

    @property
    def cpu_hours(self) -> float:
        """CPU hours of all jobs."""
        return sum(spent.cpu_seconds for spent in self.spent) / 3600


def _cell(column: Column, text: str) -> Any:
    """Read one value of a .csv file, which has an empty text for what is not known."""
    if column.type == pa.string():
        return text
    if column.type == pa.bool_():
        return text == "True" if text else None
    if pa.types.is_list(column.type):
        if pa.types.is_string(column.type.value_type):
            return literal_eval(text) if text else []
        return [float(value) for value in text.strip("[]").split(",") if value.strip()]
    if pa.types.is_integer(column.type) and text:
        return int(float(text))
    return float(text) if text else nan


def read_csv(path: Path, declared: Artefact) -> pd.DataFrame:
    """Read a table that was written as .csv, with the columns that are declared of it; numbers are floats, but
    for whole ones where none is missing.

    A column that was declared since then is empty. Raises AuditError where the file is no such table.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        if (first := declared.columns[0].name) not in frame:
            raise ValueError(f"no column {first}")
        columns = {
            column.name: [_cell(column, text) for text in frame.get(column.name, [""] * len(frame))]
            for column in declared.columns
        }
    except (OSError, ValueError, SyntaxError) as error:
        raise AuditError(f"{path}: not a table of kind {declared.name} ({error}); keep its run again") from error
    return pd.DataFrame(columns, columns=declared.schema.names)


@dataclass(frozen=True)
class Kept:
    """A run that is kept: what is declared of it, and its folder."""

    page: Page
    run: KeptRun
    folder: Path

    @cached_property
    def facts(self) -> Facts:
        """What run.json says. Raises AuditError where it is no such file."""
        path = self.folder / FACTS
        try:
            return Facts.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, ValidationError) as error:
            raise AuditError(f"{path}: cannot be read; keep the run again") from error

    def locate(self, exhibit: Exhibit) -> Path:
        """Return the file of an exhibit, .csv of a table, .png of a figure; perhaps it is not there."""
        return self.folder / exhibit.folder / f"{exhibit.name}{'.csv' if exhibit.folder == 'tables' else '.png'}"

    def read_table(self, name: str) -> pd.DataFrame | None:
        """Read a table by its name, with the intervals of this record; None where it is not kept."""
        path, declared = self.locate(TABLES[name]), artefact(TABLES[name].columns)
        if not path.is_file():
            return None
        table = read_csv(path, declared)
        if not self.facts.of_present and "model" in table:
            table["model"] = table["model"].replace(EARLIER_NAMES)
            if "published" in table:
                table.loc[table["model"] == SEARCHED_GUIDE, ["published", "note"]] = nan, ""
        return renew_intervals(table, declared.name, self.facts.of_present)

    def show_table(self, name: str) -> list[Block]:
        """Show a kept table in words, as the code of today does; nothing where it is not kept."""
        shown: Shown = load(TABLES[name].shown)
        table = self.read_table(name)
        return [] if table is None else shown(table, {SEARCHED_GUIDE: SEARCHED_LABEL} | self.facts.labels)


def find_kept(record: Path, page: Page) -> list[Kept]:
    """Find the runs of a page that are kept below `record`, in their order."""
    every = (Kept(page, run, record / page.name / run.name) for run in page.runs)
    return [kept for kept in every if (kept.folder / FACTS).is_file()]


def list_kept(record: Path) -> Iterator[Kept]:
    """List all runs that are kept, in the order of the pages."""
    for page in PAGES:
        yield from find_kept(record, page)
