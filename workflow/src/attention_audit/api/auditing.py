"""Readouts of one's own: their files, and their audits without a workflow.

Audits are made by the workflow's own stages, one after another in this process and in a folder that is removed
afterwards, so that their numbers are the workflow's (`run_plan`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.artefacts.parquet import read_reason
from attention_audit.artefacts.provenance import Provenance
from attention_audit.contrasts import ADVERSARIES, UNIFORM
from attention_audit.errors import AuditError
from attention_audit.given.arrays import PLACE, entries
from attention_audit.given.files import read_given, write_given
from attention_audit.given.readouts import GivenReadout, check_beside
from attention_audit.jobs.audit import AuditsJob
from attention_audit.plan.auditing import STAGES
from attention_audit.plan.job import PlannedJob
from attention_audit.plan.plan import Plan
from attention_audit.stages.job import Job

MODEL, DATASET = "model", "texts"
RETURNED = ("summary", "texts")
"""The tables that are returned beside the audits."""
Report = Callable[[int, int, str], None]
"""Gets how many jobs have run, of how many, and what the next one says."""


def check_path(path: Any, place: str) -> Path:
    """Return a path. Raises AuditError, which names the place, where it is none."""
    if not isinstance(path, str | Path):
        raise AuditError(f"{place}: is {type(path).__name__}, and no path; give one")
    return Path(path)


def check_batch_size(batch_size: Any) -> None:
    """Raise AuditError where it is no number of texts."""
    if not isinstance(batch_size, int | np.integer) or batch_size < 1:
        raise AuditError(f"batch_size: is {batch_size!r:.40}; give a whole number, 1 or more")


def name_classes(classes: Any, count: int) -> list[str]:
    """List the names of C classes. Raises AuditError where they are not as many, or two are the same."""
    names = [str(name) for name in entries(classes, "classes")]
    if len(names) != count:
        raise AuditError(f"classes: has {len(names)} names for {count} classes; name each, in their order")
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise AuditError(f"classes: names {twice[0]!r} twice; give each class a name of its own")
    return names


def name_readouts(**several: GivenReadout | Sequence[GivenReadout]) -> dict[str, list[GivenReadout]]:
    """List the readouts of each argument; those without a name are called by argument and number in messages.

    Raises AuditError where one is no readout, or not of the texts of the first, and where the first argument has none.
    """
    found: dict[str, list[GivenReadout]] = {}
    for name, readouts in several.items():
        found[name] = []
        for number, one in enumerate([readouts] if isinstance(readouts, GivenReadout) else entries(readouts, name), 1):
            if not isinstance(one, GivenReadout):
                raise AuditError(f"{name} {number}: is {type(one).__name__}, and no readout; make one with api.readout")
            found[name].append(replace(one, place=f"{name} {number}") if one.place == PLACE else one)
            check_beside(found[name][-1], next(iter(found.values()))[0])
        if not any(found.values()):
            raise AuditError(f"{name}: there is none; give one or more")
    return found


def write(given: GivenReadout, path: str | Path) -> None:
    """Write a readout as .parquet or .npz, by the ending of the path: a file for the section `own` of a configuration.

    Raises AuditError where the file cannot be written.
    """
    if not isinstance(given, GivenReadout):
        raise AuditError(f"given: is {type(given).__name__}, and no readout; make one with api.readout")
    write_given(given, check_path(path, "path"))


def read(path: str | Path) -> GivenReadout:
    """Read such a file, checked. Raises AuditError, in a line that names file, text and column, where it is wrong."""
    return read_given(check_path(path, "path"))


def run_plan(
    plan: Plan, tables: Collection[str] = RETURNED, report: Report = lambda done, jobs, line: None
) -> dict[str, pd.DataFrame]:
    """Run the jobs of a plan in this process; give its audits, and these tables, by name."""
    jobs: list[PlannedJob] = []
    needed: set[str] = set()
    for job in reversed(plan.jobs()):
        if job.stage in STAGES or Path(job.files[0]).stem in tables or not needed.isdisjoint(job.files):
            jobs.insert(0, job)
            needed.update(job.read)
    found: dict[str, pd.DataFrame] = {}
    for number, job in enumerate(jobs):
        files, made = (
            {name: [*map(Path, paths)] for name, paths in group.items()} for group in (job.inputs, job.outputs)
        )
        provenance = Provenance(job.stage, job.settings.model_dump(mode="json"), "")
        told = partial(report, number, len(jobs))
        told(job.stage.replace("_", " "))
        import_module(f"attention_audit.stages.{job.stage}").run(Job(job.settings, files, made, provenance, told))
        asked = job.settings.audits if isinstance(job.settings, AuditsJob) else ()
        wanted = {*tables, *(each.audit for each in asked)}
        for path in map(Path, job.files):
            if path.suffix == ".parquet" and path.stem in wanted and (path.stem in tables or not read_reason(path)):
                found[path.stem] = pd.read_parquet(path)
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
    given = name_readouts(readouts=readouts, **{UNIFORM: uniform, ADVERSARIES: adversaries})
    with TemporaryDirectory(prefix="attention-audit-") as folder:
        own: dict[str, Any] = {name: [] for name in given}
        for name, several in given.items():
            for number, one in enumerate(several):
                own[name].append(f"{folder}/{name}{number}.npz")
                write_given(one, Path(own[name][-1]))
        own["models"] = {MODEL: own.pop("readouts")}
        if classes:
            own["classes"] = name_classes(classes, given["readouts"][0].classes)
        fixed = {"datasets": [], "corpora": {}, "own": {DATASET: own}, "results": f"{folder}/results"}
        return run_plan(Plan({**(settings or {}), **fixed}, {}, memory=Path(folder)))
