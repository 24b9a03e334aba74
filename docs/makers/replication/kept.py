"""What is kept of a run in docs/replication/: tables as .csv and .md, figures, the configuration, and run.json."""

import json
import re
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pydantic import ValidationError

from attention_audit.columns.kinds import DATASET, Artefact, Column, artefact, described, real, text
from attention_audit.columns.tables import TABLE
from attention_audit.errors import AuditError
from attention_audit.plan.exhibits import EXHIBITS, TABLES, Exhibit, Figure, Table
from attention_audit.section import Section
from attention_audit.tables.shown import Shown, write_markdown
from attention_audit.targets import load
from makers.replication.entries import PAGES, KeptRun, Page

ROOT = Path(__file__).parents[3]
RECORD = Path("docs") / "replication"
"""The folder of the pages and of what is kept, in a checkout."""
FACTS, CONFIG = "run.json", "config.yaml"
PROVENANCE = re.compile(r"\n*<!-- \{.*\} -->\n*\Z", re.DOTALL)
PADDING = re.compile(r"(?<=\| ) +| +(?= \|)|(?<=---)-+")
"""What aligns the columns of a .md table in a text editor: most of the bytes of one that has a long cell."""


FORMER_FIGURES = (
    Figure(
        "",
        "at which difference in attention the top item matters less than another",
        name="ss_fig4_negative_delta_js",
        suites=("ss",),
        number="Figures 4 and 8",
    ),
    Figure(
        "",
        "how much attention each ranking leaves when the decision flips",
        name="ss_fig11_mass_removed",
        suites=("ss",),
        number="Figure 11",
    ),
)
"""Figures of papers that the package no longer draws, of which runs are kept; their captions: former_captions/."""
CLAIMS = described(
    "claims", meaning="What a paper found, and whether it comes back.", path="tables/{suite}_table_claims.csv"
).holds(
    dataset=DATASET,
    claim=text(meaning="what they found"),
    statistic=text(meaning="how it is measured"),
    ours=real.or_null(meaning="what the run measured"),
    low=real.or_null(meaning="lower end of its 95 % interval over texts and trainings"),
    high=real.or_null(meaning="upper end of it"),
    theirs=text(meaning="what the paper has"),
    holds=text(meaning="yes, no, or undecided where the interval lies on both sides"),
)
FORMER_TABLES = {"jw_table_conicity": TABLE} | dict.fromkeys(
    ("ss_table_claims", "pd_table_claims", "md_table_claims"), CLAIMS
)
"""Tables that it no longer makes, of which the pages of kept runs show findings, and their columns."""


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
    """What is known of a kept run. made: the day on which its last job ended. commit: of the code that made it.

    labels: what its tables call models, rankings and attributions. datasets: by the key of their suite.
    """

    made: str
    commit: str
    versions: dict[str, str]
    machines: list[MachineKind]
    spent: list[Spent]
    files: list[RawFile]
    datasets: dict[str, list[str]]
    labels: dict[str, str]

    @property
    def cpu_hours(self) -> float:
        """CPU hours of all jobs."""
        return sum(spent.cpu_seconds for spent in self.spent) / 3600


def unpadded(text: str) -> str:
    """A page of tables in Markdown with the same cells, whose columns are not aligned, and without its provenance."""
    lines = PROVENANCE.sub("\n", text).splitlines(keepends=True)
    return "".join(PADDING.sub("", line) if line.startswith("|") else line for line in lines)


def _cell(column: Column, text: str) -> Any:
    """One value of a .csv file, which has an empty text for what is not known."""
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
    """A table that was written as .csv, with the columns that are declared of it; numbers are floats, but for
    whole ones where none is missing.

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

    @property
    def facts(self) -> Facts:
        """What run.json says. Raises AuditError where it is no such file."""
        path = self.folder / FACTS
        try:
            return Facts.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, ValidationError) as error:
            raise AuditError(f"{path}: cannot be read; keep the run again") from error

    def file(self, exhibit: Exhibit) -> Path:
        """The file of an exhibit that a page shows: .md of a table, .png of a figure; perhaps not there."""
        return self.folder / exhibit.folder / f"{exhibit.name}{'.md' if isinstance(exhibit, Table) else '.png'}"

    @property
    def exhibits(self) -> list[Exhibit]:
        """The exhibits that are kept, in the order of the report."""
        return [exhibit for exhibit in (*EXHIBITS, *FORMER_FIGURES) if self.file(exhibit).is_file()]

    def shows(self, exhibit: Exhibit) -> bool:
        """Whether an exhibit is kept, and is no table without rows."""
        if not isinstance(exhibit, Table):
            return self.file(exhibit).is_file()
        rows = self.table(exhibit.name)
        return rows is not None and len(rows) > 0

    def table(self, name: str) -> pd.DataFrame | None:
        """A table by its name; None where it is not kept."""
        path = self.folder / "tables" / f"{name}.csv"
        if not path.is_file():
            return None
        declared = {table.name: table.columns for table in TABLES.values()}
        return read_csv(path, FORMER_TABLES.get(name) or artefact(declared[name]))

    def text(self, table: Table) -> str:
        """A table in Markdown, as the code of today shows it; where .csv has some rows alone, as the run wrote it."""
        rows = self.table(table.name)
        if table.top or rows is None:
            return self.file(table).read_text(encoding="utf-8")
        shown: Shown = load(table.shown)
        return unpadded(write_markdown(shown(rows, self.facts.labels), "{}"))


def kept_runs(record: Path, page: Page) -> list[Kept]:
    """The runs of a page that are kept below `record`, in their order."""
    every = (Kept(page, run, record / page.name / run.name) for run in page.runs)
    return [kept for kept in every if (kept.folder / FACTS).is_file()]


def every_kept(record: Path) -> Iterator[Kept]:
    """All runs that are kept, in the order of the pages."""
    for page in PAGES:
        yield from kept_runs(record, page)
