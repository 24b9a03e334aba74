"""A readout from elsewhere, and that of the model's first training -> the readout of a training."""

import numpy as np

from attention_audit.given import GivenReadout, check_beside
from attention_audit.given.files import read_given_readout
from attention_audit.readout import Maps, Readout
from attention_audit.transformer.settings import ImportJob

from .job import Job


def build_readout(given: GivenReadout) -> Readout:
    """Return what the audits need of a readout that has been checked. The decision is the class of the highest
    probability.
    """
    of_heads = [weights.T.astype(np.float32) for weights in given.attention]
    return Readout(
        ids=given.ids,
        labels=given.labels,
        predictions=given.probabilities.argmax(1),
        probabilities=given.probabilities.astype(np.float32),
        attention=[weights.astype(np.float32) for weights in given.seen],
        contribution=[values.astype(np.float32) for values in given.contribution],
        bias=given.bias.astype(np.float32),
        several=Maps(of_heads, np.zeros(len(given), np.int64)) if given.heads > 1 else None,
        maps={name: [values.astype(np.float32) for values in scores] for name, scores in given.maps.items()},
    )


def run(job: Job[ImportJob]) -> None:
    """Check the file, alone and beside the first one, and write it with its texts in the first one's order."""
    path, beside, settings = job.input("given"), job.input("beside"), job.settings
    first = read_given_readout(beside)
    given = first if path == beside else read_given_readout(path)
    check_beside(given, first)
    readout = build_readout(given).align(first.ids)
    readout.write(job.output("readout"), job.provenance)
    job.report(f"{settings.dataset}, {settings.model}, training {settings.seed}: {len(given)} texts of {path}")
