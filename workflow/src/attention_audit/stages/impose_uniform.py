"""The readout of a Transformer and its tail -> that of the same with uniform weights imposed."""

from dataclasses import replace

from attention_audit.readout import Maps, Readout, read_heads, read_readout
from attention_audit.transformer.settings import ImportJob

from .job import Job


def impose_uniform_weights(readout: Readout) -> Readout:
    """Return the readout of the same model with uniform weights on the items of every head.

    What the heads attend to is left out: nothing is asked of other weights than these. Raises ValueError where it is
    not known.
    """
    heads = readout.attending
    if heads is None:
        raise ValueError("uniform weights are imposed on the heads of a Transformer, which this readout has not")
    imposed = read_heads(readout.ids, readout.labels, heads.even)
    return replace(imposed, several=Maps(heads.even.weights, heads.marks, places=heads.places, cut=heads.cut))


def run(job: Job[ImportJob]) -> None:
    """Impose uniform weights on a readout, through the tail beside it; no network is run."""
    settings, readout = job.settings, impose_uniform_weights(read_readout(job.input("given")))
    readout.write(job.output("readout"), job.provenance)
    job.report(f"{settings.dataset}, {settings.model}, training {settings.seed}: {len(readout)} texts")
