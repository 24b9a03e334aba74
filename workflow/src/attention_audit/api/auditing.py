"""The audits of readouts of one's own, without a workflow.

They are made by the workflow's own stages, one after another in this process and in a folder that is removed
afterwards, so that their numbers are the workflow's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from attention_audit.api.writing import PLACE
from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.kinds import artefact
from attention_audit.contrasts import ADVERSARIES, UNIFORM
from attention_audit.given.files import write_given
from attention_audit.given.readouts import GivenReadout, check_beside
from attention_audit.plan import corpora
from attention_audit.plan.audits import audit_named
from attention_audit.plan.exhibit import Table
from attention_audit.plan.plan import Plan
from attention_audit.section import Section
from attention_audit.stages.job import Job

MODEL, DATASET, SUITE = "model", "texts", "own"
TABLES = ("summary", "texts")
"""The tables that are returned beside the audits."""


def _run(stage: str, settings: Section, inputs: Mapping[str, Sequence[str]], outputs: Mapping[str, str]) -> None:
    """Run a stage of the workflow."""
    files = {name: [Path(path) for path in paths] for name, paths in inputs.items()}
    made = {name: [Path(path)] for name, path in outputs.items()}
    provenance = Provenance(stage, settings.model_dump(mode="json"), "")
    import_module(f"attention_audit.stages.{stage}").run(Job(settings, files, made, provenance, lambda line: None))


def _import(plan: Plan) -> None:
    """Make the corpus and the readouts of a plan."""
    names = ("corpus", "census", "vocabulary")
    outputs = {name: plan.config.places.corpus_file(DATASET, name) for name in names}
    _run("corpus", corpora.corpus_job(plan.config, DATASET, None), {"raw": plan.raw_files(DATASET)}, outputs)
    for training in plan.trainings.seeds:
        job, sources = plan.import_job(training), plan.trainings.sources(training)
        inputs = {"beside": plan.trainings.beside(training)}
        for seed, path, output in zip(job.seeds, sources, plan.trainings.files(training), strict=True):
            one = job.model_copy(update={"seeds": [seed]})
            _run("import_readout", one, inputs | {"given": [path]}, {"readouts": output})


def _audit(plan: Plan) -> dict[str, pd.DataFrame]:
    """The audits of a plan whose readouts are there, by name."""
    suite = plan.scope.suite(SUITE)
    audits = plan.auditing.gathered("audits", suite, DATASET)
    files = {audit.name: plan.config.places.audit_file(DATASET, SUITE, audit.name) for audit in audits}
    job = plan.auditing.job_together(audits, suite, DATASET, lambda name: "")
    _run("audits", job, {"files": plan.auditing.files_together(audits, suite, DATASET)}, files)
    return {name: read_frame(Path(path), artefact(audit_named(name).columns)) for name, path in files.items()}


def _table(plan: Plan, table: Table) -> pd.DataFrame:
    """A table of a plan whose audits are there."""
    outputs = {ending.removeprefix("."): plan.exhibiting.path(table, ending) for ending in table.endings}
    _run("table", plan.exhibiting.job(table), plan.exhibiting.inputs(table), outputs)
    return read_frame(Path(outputs["parquet"]), artefact(table.columns))


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
    takes a fifth of the time; docs/configuration.md has them all.

    The columns are those of the workflow's files: docs/readouts.md says where they are described. The data set is
    called `texts` there, and the model `model`; trainings are numbered from 1.

    Raises AuditError, in one line, where readouts are not of the same texts, or where a key of `settings` is wrong.
    """
    given: dict[str, list[GivenReadout]] = {}
    for name, several in ((MODEL, readouts), (UNIFORM, uniform), (ADVERSARIES, adversaries)):
        every = [several] if isinstance(several, GivenReadout) else list(several)
        given[name] = [
            replace(one, place=f"{name} {number}" if one.place == PLACE else one.place)
            for number, one in enumerate(every, start=1)
        ]
    for one in (one for several in given.values() for one in several):
        check_beside(one, given[MODEL][0])
    with TemporaryDirectory(prefix="attention-audit-") as folder:
        paths: dict[str, list[str]] = {}
        for name, several in given.items():
            paths[name] = [f"{folder}/{name}{number}.npz" for number, _ in enumerate(several, start=1)]
            for one, path in zip(several, paths[name], strict=True):
                write_given(one, Path(path))
        own = {"models": {MODEL: paths[MODEL]}, UNIFORM: paths[UNIFORM], ADVERSARIES: paths[ADVERSARIES]}
        raw = {
            **(settings or {}),
            "datasets": [],
            "corpora": {},
            "own": {DATASET: own | ({"classes": list(classes)} if classes else {})},
            "results": f"{folder}/results",
        }
        plan = Plan(raw, {}, memory=Path(folder))
        _import(plan)
        frames = _audit(plan)
        for table in plan.tables:
            if table.name in TABLES:
                frames[table.name] = _table(plan, table)
        return frames
