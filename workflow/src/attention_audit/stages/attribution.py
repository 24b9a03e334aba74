"""corpus, vocabulary, weights, readouts -> the audits of one suite on one data set that run its models again, one file
each.

They share a process, and the attributions of each model: `audits.attributed.Attributed` is what their functions are
called with; their further parameters are those of `stages.audit`. As in `stages.audits`, a file whose settings, code
and inputs are the same as before is kept.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from attention_audit.artefacts.parquet import write_batches
from attention_audit.audits.attributed import Attributed
from attention_audit.columns.kinds import artefact
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob, Networks
from attention_audit.model.architecture import Architecture
from attention_audit.readout import read_readout
from attention_audit.stages.audit import Asking, labelled
from attention_audit.stages.audits import one_of
from attention_audit.stages.device import prepare_device
from attention_audit.stages.job import Job
from attention_audit.stages.loading import (
    build_split,
    of_transformer,
    read_material,
    rebuilt,
    values_checksum,
)

Settings = AuditsJob


def networks_of(job: Job[AuditJob]) -> Networks:
    """What it takes to run the models again. Raises ValueError where an audit names no network."""
    if job.settings.networks is None:
        raise ValueError(f"{job.settings.audit}: no networks are named")
    return job.settings.networks


class Asked(NamedTuple):
    """A run that an audit is asked of, with its architecture and the files of its weights and readout."""

    run: AuditedRun
    architecture: Architecture
    weights: Path
    readout: Path


def runs_of(job: Job[AuditJob]) -> list[Asked]:
    """The runs that an audit is asked of."""
    files = (job.settings.runs, networks_of(job).architectures, job.inputs["weights"], job.inputs["readouts"])
    return [Asked(*each) for each in zip(*files, strict=True)]


def run(job: Job[AuditsJob]) -> None:
    """Ask the audits of one model after another, and write what they say."""
    known = cache(values_checksum)
    jobs = [alone for gathered in job.settings.audits if (alone := one_of(job, gathered, known))]
    if not jobs:
        return
    device = prepare_device(networks_of(jobs[0]))
    asking = {alone.settings.audit: Asking(alone) for alone in jobs}
    tables: dict[str, list[pa.Table]] = {name: [] for name in asking}
    runs = {asked.weights: asked for alone in jobs for asked in runs_of(alone)}
    for architecture, members in groupby(runs.values(), key=attrgetter("architecture")):
        files = jobs[0].inputs
        material = read_material(
            files["corpus"][0], files["vocabulary"][0], architecture, transformer=of_transformer(files)
        )
        texts = material.splits["test"]
        split = build_split(texts, device)
        for asked in members:
            model = rebuilt(material, architecture, asked.run.seed, asked.weights, device)
            job.report(f"{asked.run.model}, seed {asked.run.seed}: {len(texts.ids)} texts")
            attributed = Attributed(model, split, read_readout(asked.readout).aligned(texts.ids), job.report)
            for name, audit in asking.items():
                if asked.weights in audit.job.inputs["weights"]:
                    kind = artefact(audit.settings.columns[name])
                    columns = audit.called(attributed, run=asked.run)
                    tables[name].append(labelled(kind, audit.identity(asked.run), columns))
    for alone in jobs:
        name = alone.settings.audit
        write_batches(alone.output(name), artefact(alone.settings.columns[name]), tables[name], alone.provenance)
