"""A readout from elsewhere, and that of the model's first training -> the readout of a training."""

import numpy as np

from attention_audit.arrays import Floats
from attention_audit.given import GivenReadout, check_beside
from attention_audit.given.files import read_given_readout
from attention_audit.readout import Maps, Readout
from attention_audit.transformer.settings import ImportJob

from .job import Job


def join_marks(given: GivenReadout, number: int) -> tuple[Floats, Floats]:
    """Join the marks of a text behind its words, as items of their own: the weights of its heads, (H, L_i), and
    contributions (L_i, O), by which they add what they added before.
    """
    words, marks = given.items[number]
    weights, added = np.atleast_2d(given.attention[number]), given.contribution[number]
    seen = weights.mean(0)
    joined = [np.average(added[mark], 0, seen[mark]) if seen[mark].any() else added[mark].mean(0) for mark in marks]
    by_mark = [weights[:, mark].sum(1, keepdims=True) for mark in marks]
    return np.concatenate([weights[:, words], *by_mark], 1), np.stack([*added[words], *joined])


def build_readout(given: GivenReadout) -> Readout:
    """Return what the audits need of a readout that has been checked. The decision is the class of the highest
    probability.
    """
    weights, contribution = zip(*(join_marks(given, number) for number in range(len(given))), strict=True)
    marks = np.array([len(marks) for _, marks in given.items], np.int64)
    several = Maps([each.T.astype(np.float32) for each in weights], marks)
    return Readout(
        ids=given.ids,
        labels=given.labels,
        predictions=given.probabilities.argmax(1),
        probabilities=given.probabilities.astype(np.float32),
        attention=[each.mean(0).astype(np.float32) for each in weights],
        contribution=[values.astype(np.float32) for values in contribution],
        bias=given.bias.astype(np.float32),
        several=several if given.heads > 1 or marks.any() else None,
        maps={
            name: [values[words].astype(np.float32) for values, (words, _) in zip(scores, given.items, strict=True)]
            for name, scores in given.maps.items()
        },
    )


def run(job: Job[ImportJob]) -> None:
    """Check the file, alone and beside the first one, and write it with its texts in the first one's order."""
    path, beside, settings = job.input("given"), job.input("beside"), job.settings
    first = read_given_readout(beside)
    given = first if path == beside else read_given_readout(path)
    check_beside(given, first)
    readout = build_readout(given).align(first.ids)
    readout.write(job.output("readout"), job.provenance)
    where = f"{settings.dataset}, {settings.model}, training {settings.seed}"
    if readout.several and readout.several.marks.any():
        job.report(f"{where}: a tokenizer's marks are items of the map, and no words")
    job.report(f"{where}: {len(given)} texts of {path}")
