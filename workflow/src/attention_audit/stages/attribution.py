"""readouts, attributions, corpus -> the audits of attributions, and those that ran the trainings again."""

from pathlib import Path

import numpy as np

from attention_audit.arrays import Floats
from attention_audit.artefacts.parquet import read_batches, read_provenance, read_table
from attention_audit.audits.again import RUN_AGAIN
from attention_audit.audits.answers import Training
from attention_audit.audits.attributed import Attributions
from attention_audit.audits.correlation import ask_attribution
from attention_audit.audits.settings import AttributionJob
from attention_audit.columns.audits import ATTRIBUTIONS

from .attribute import FALL, INTEGRATED
from .audit_files import AuditFiles, list_trainings, open_facts
from .job import Job


def read_attributions(path: Path, training: Training) -> Attributions:
    """Read the attributions of a training, beside its readout. Raises AuditError where a file is damaged."""
    readout = training.read()
    attributions = Attributions(readout)
    numbers = {id_: number for number, id_ in enumerate(readout.ids)}
    by_name: dict[str, dict[int, Floats]] = {}
    for row in read_table(path, ATTRIBUTIONS).to_pylist():
        by_name.setdefault(row["attribution"], {})[numbers[row["id"]]] = np.array(row["scores"], np.float64)
    attributions.falls, attributions.integrated = by_name.pop(FALL, {}), by_name.pop(INTEGRATED, {})
    attributions.scores = {name: [of_texts[i] for i in range(len(readout))] for name, of_texts in by_name.items()}
    return attributions


def run(job: Job[AttributionJob]) -> None:
    """Ask the audits of attributions, and gather those of each training that was run again."""
    settings, paths = job.settings, job.inputs["attributions"]
    with AuditFiles(job, job.settings.unasked) as answers:
        trainings = {
            training: read_attributions(path, training)
            for training, path in zip(list_trainings(job), paths, strict=False)
        }
        ask_attribution(trainings, answers, open_facts(job), settings.correlation, settings.deletion, settings.erasure)
        for kind in RUN_AGAIN:
            for path in (path.with_name(f"{kind.name}.parquet") for path in paths):
                if answers.asks(kind) and (lack := read_provenance(path)["settings"].get("reason")):
                    answers.lacks[kind.name] = lack
                elif answers.asks(kind):
                    for rows in read_batches(path, kind, kind.schema.names):
                        answers.store(kind, rows)
