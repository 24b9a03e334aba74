"""corpus, vocabulary, weights, readouts -> the audits of one suite on one data set that run its models again.

Their function is called with the model, the test split and the readout, and what it returns is by audit; its further
parameters are those of `stages.audit`.
"""

from __future__ import annotations

import pyarrow as pa

from attention_audit.artefacts.parquet import write_batches
from attention_audit.columns.kinds import artefact
from attention_audit.jobs.audit import AuditJob, Networks
from attention_audit.readout import read_readout
from attention_audit.stages.audit import Asking, labelled
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, build_split, load_weights, prepare_device, read_material

Settings = AuditJob


def ask(job: Job[AuditJob], networks: Networks) -> dict[str, list[pa.Table]]:
    """Rows of every audit of the job, a table a run."""
    asking = Asking(job)
    device = prepare_device(networks)
    tables: dict[str, list[pa.Table]] = {name: [] for name in job.settings.columns}
    runs = zip(job.settings.runs, networks.architectures, job.inputs["weights"], job.inputs["readouts"], strict=True)
    for run, architecture, weights, path in runs:
        material = read_material(job.input("corpus"), job.input("vocabulary"), architecture)
        texts = material.splits["test"]
        model = build_model(material, architecture, run.seed).to(device)
        load_weights(model, weights)
        job.report(f"{run.model}, seed {run.seed}: {len(texts.ids)} texts")
        readout = read_readout(path).aligned(texts.ids)
        for name, columns in asking.called(model, build_split(texts, device), readout, run=run).items():
            tables[name].append(labelled(artefact(job.settings.columns[name]), asking.identity(run), columns))
    return tables


def run(job: Job[AuditJob]) -> None:
    """Ask the audits, and write what they say."""
    if job.settings.networks is None:
        raise ValueError(f"{job.settings.audit}: no networks are named")
    for name, tables in ask(job, job.settings.networks).items():
        write_batches(job.output(name), artefact(job.settings.columns[name]), tables, job.provenance)
