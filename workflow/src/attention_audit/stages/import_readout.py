"""readouts from elsewhere, one file a training, and the first training's of their texts -> the readouts of a model."""

import numpy as np

from attention_audit.artefacts.parquet import write_batches
from attention_audit.given.files import read_given
from attention_audit.given.readouts import GivenReadout, check_beside
from attention_audit.jobs.importing import ImportJob
from attention_audit.readout import Maps, Readout
from attention_audit.stages.job import Job

Settings = ImportJob


def as_readout(given: GivenReadout) -> Readout:
    """What the audits need of a readout that has been checked. The decision is the class of the highest probability."""
    of_heads = [weights.T.astype(np.float32) for weights in given.attention]
    return Readout(
        given.ids,
        given.labels,
        given.probabilities.argmax(1),
        given.probabilities.astype(np.float32),
        [weights.astype(np.float32) for weights in given.seen],
        [values.astype(np.float32) for values in given.contribution],
        given.bias.astype(np.float32),
        several=Maps(of_heads, np.zeros(len(given), np.int64)) if given.heads > 1 else None,
        maps={name: [values.astype(np.float32) for values in scores] for name, scores in given.maps.items()},
    )


def run(job: Job[ImportJob]) -> None:
    """Check each file, alone and beside the first one, and write it with its texts in the first one's order."""
    first = read_given(job.input("beside"))
    for seed, path, output in zip(job.settings.seeds, job.inputs["given"], job.outputs["readouts"], strict=True):
        given = first if path == job.input("beside") else read_given(path)
        check_beside(given, first)
        readout = as_readout(given).aligned(first.ids)
        write_batches(output, readout.kind, readout.tables(), job.provenance, seed)
        job.report(f"{job.settings.dataset}, {job.settings.model}, training {seed}: {len(given)} texts of {path}")
