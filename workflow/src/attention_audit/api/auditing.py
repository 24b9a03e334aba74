"""The audits of readouts of one's own, without a workflow.

They are made by the workflow's own stages, one after another in this process and in a folder that is removed
afterwards, so that their numbers are the workflow's (`made_of`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from attention_audit.api.writing import classes_named
from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.kinds import artefact
from attention_audit.contrasts import ADVERSARIES, UNIFORM
from attention_audit.given.arrays import PLACE
from attention_audit.given.files import write_given
from attention_audit.given.readouts import GivenReadout, check_beside
from attention_audit.jobs.audit import AuditsJob
from attention_audit.plan.auditing import STAGES
from attention_audit.plan.exhibits import TABLES
from attention_audit.plan.job import PlannedJob
from attention_audit.plan.plan import Plan
from attention_audit.stages.job import Job

MODEL, DATASET = "model", "texts"
RETURNED = ("summary", "texts")
"""The tables that are returned beside the audits."""
Report = Callable[[int, int, str], None]
"""Gets how many jobs have run, of how many, and what the next one says."""


def _needed(plan: Plan, tables: Collection[str]) -> list[PlannedJob]:
    """The jobs of all audits and of some tables, and those whose files they read."""
    jobs = plan.jobs()
    makers = {path: job for job in jobs for path in job.files}
    wanted = [job for job in jobs if job.stage in STAGES or Path(job.files[0]).stem in tables]
    found: list[PlannedJob] = []
    while wanted:
        job = wanted.pop()
        if job not in found:
            found.append(job)
            wanted += [makers[path] for path in job.read if path in makers]
    return [job for job in jobs if job in found]


def made_of(plan: Plan, tables: Collection[str] = RETURNED, report: Report | None = None) -> dict[str, pd.DataFrame]:
    """Run the jobs of a plan in this process: its audits, and these tables, by name."""
    columns = {table.name: table.columns for table in TABLES}
    jobs = _needed(plan, tables)
    found: dict[str, pd.DataFrame] = {}
    for number, job in enumerate(jobs):
        files, made = (
            {name: [*map(Path, paths)] for name, paths in group.items()} for group in (job.inputs, job.outputs)
        )
        provenance = Provenance(job.stage, job.settings.model_dump(mode="json"), "")
        told: Callable[[str], None] = partial(report, number, len(jobs)) if report else lambda line: None
        told(job.stage.replace("_", " "))
        import_module(f"attention_audit.stages.{job.stage}").run(Job(job.settings, files, made, provenance, told))
        if isinstance(job.settings, AuditsJob):
            for asked in job.settings.audits:
                found[asked.audit.audit] = read_frame(made[asked.audit.audit][0], artefact(asked.audit.columns))
        elif (name := Path(job.files[0]).stem) in tables:
            found[name] = read_frame(made["parquet"][0], artefact(columns[name]))
    return found


def audit(
    readouts: GivenReadout | Sequence[GivenReadout],
    uniform: GivenReadout | Sequence[GivenReadout] = (),
    adversaries: GivenReadout | Sequence[GivenReadout] = (),
    *,
    classes: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, pd.DataFrame]:
    """All that the suite `own` says of a model, as frames by name: its audits, and the tables `summary` and `texts`.

    readouts: the trainings of the model, one or several. uniform: trainings of its twin with uniform weights, for
    `needed`. adversaries: models that predict as the first training does and attend elsewhere, for `unique`. classes:
    their names. settings: further keys of the configuration, such as {"instance_adversary": {"restarts": 1}}, which
    takes a fifth of the time; docs/configuration/ has them all.

    The columns are those of the workflow's files: docs/readouts.md says where they are described. The data set is
    called `texts` there, and the model `model`; trainings are numbered from 1.

    Raises AuditError, in one line, where readouts are not of the same texts, or where a key of `settings` is wrong.
    """
    with TemporaryDirectory(prefix="attention-audit-") as folder:
        paths: dict[str, list[str]] = {MODEL: [], UNIFORM: [], ADVERSARIES: []}
        first: GivenReadout | None = None
        for name, several in zip(paths, (readouts, uniform, adversaries), strict=True):
            for number, one in enumerate([several] if isinstance(several, GivenReadout) else several, start=1):
                called = replace(one, place=f"{name} {number}") if one.place == PLACE else one
                first = first or called
                check_beside(called, first)
                paths[name].append(f"{folder}/{name}{number}.npz")
                write_given(called, Path(paths[name][-1]))
        own: dict[str, Any] = {"models": {MODEL: paths[MODEL]}}
        own |= {UNIFORM: paths[UNIFORM], ADVERSARIES: paths[ADVERSARIES]}
        if classes and first:
            own["classes"] = classes_named(classes, first.classes)
        raw = {
            **(settings or {}),
            "datasets": [],
            "corpora": {},
            "own": {DATASET: own},
            "results": f"{folder}/results",
        }
        return made_of(Plan(raw, {}, memory=Path(folder)))
