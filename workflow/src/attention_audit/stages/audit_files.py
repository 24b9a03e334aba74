"""The files of the stages that ask audits: readouts and facts that they read, and a file of rows for each audit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import torch

from attention_audit.artefacts.parquet import is_empty, open_writer, read_rows, read_table, write_table
from attention_audit.audits.answers import Answers, Training
from attention_audit.audits.facts import TextFacts
from attention_audit.audits.settings import AttributeJob
from attention_audit.columns import audits
from attention_audit.columns.files import CORPUS, SEARCH
from attention_audit.columns.kinds import Artefact
from attention_audit.readout import Readout, read_readout, read_readouts

from .job import Job

KINDS: Mapping[str, Artefact] = {kind.name: kind for kind in vars(audits).values() if isinstance(kind, Artefact)}
"""The files of the package's audits, by their names."""


@dataclass(eq=False)
class StoredTraining(Training):
    """A training whose readouts are files. path: that of the test split."""

    path: Path = field(kw_only=True)

    def read(self, split: str = "test") -> Readout:
        """Read its readout of a split. Raises AuditError where the file is damaged."""
        return read_readout(self.path.with_name(f"{split}.parquet"))

    def read_parts(self) -> Iterator[Readout]:
        """Read its readout of the test split, some texts at a time. Raises AuditError where the file is damaged."""
        return read_readouts(self.path)


def read_searches(paths: list[Path]) -> dict[tuple[int, int], float]:
    """Read the lambdas of searches by continuation, by seed and step; step 0 is the chosen one."""
    rows = (row for path in paths for row in read_table(path, SEARCH).to_pylist())
    return {(row["seed"], step): row["lambda"] for row in rows for step in (row["step"], *[0] * row["chosen"])}


def explain_no_texts(readouts: Sequence[Path]) -> str:
    """Say that a model is asked of no text, as a target may be that it says of none; "" of others."""
    return "texts of its target, and there is none" if any(map(is_empty, readouts)) else ""


def list_trainings(job: Job[Any]) -> list[Training]:
    """List the trainings of a job, in the order of its readouts; none where these have no texts."""
    torch.set_num_threads(job.threads)
    if explain_no_texts(job.inputs.get("readouts", [])):
        return []
    lambdas = read_searches(job.inputs.get("search", []))
    return [
        StoredTraining(
            about, about.lambda_ if about.searched is None else lambdas[about.seed, about.searched], path=path
        )
        for about, path in zip(job.settings.trainings, job.inputs.get("readouts", []), strict=True)
    ]


def open_facts(job: Job[Any]) -> TextFacts:
    """Open the corpus of a job, which is read when a fact is first asked for."""
    settings = job.settings
    about = settings.training if isinstance(settings, AttributeJob) else settings.trainings[0]
    return TextFacts(partial(read_rows, job.input("corpus"), CORPUS), about.label)


class AuditFiles(Answers):
    """The answers of a job as files, which are written as rows come; those without rows say why, at the end."""

    def __init__(self, job: Job[Any], unasked: Mapping[str, str], kinds: Mapping[str, Artefact] = KINDS) -> None:
        super().__init__(job.settings.dataset, unasked, job.report)
        self.job, self.kinds, self.files = job, kinds, ExitStack()
        self.writers: dict[str, Callable[[pa.Table], None]] = {}

    def store(self, kind: Artefact, rows: pa.Table) -> None:
        """Write rows of an audit."""
        if kind.name not in self.writers:
            writer = open_writer(self.job.output(kind.name), kind, self.job.provenance)
            self.writers[kind.name] = self.files.enter_context(writer)
        self.writers[kind.name](rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, cause: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.files.__exit__(cause, error, trace)
        for name in self.job.outputs if error is None else ():
            if name in self.kinds and name not in self.writers:
                if lack := explain_no_texts(self.job.inputs.get("readouts", [])):
                    self.lacks.setdefault(name, f"needs {lack}")
                reason, kind = self.find_reason(name), self.kinds[name]
                provenance = self.job.provenance.explain(reason) if reason else self.job.provenance
                write_table(self.job.output(name), kind, kind.schema.empty_table(), provenance)
