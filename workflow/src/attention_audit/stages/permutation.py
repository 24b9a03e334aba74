"""test readouts -> how far permuted attention moves the predictions."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.columns.permutation import PERMUTATION
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame, labelled_readouts


def run(job: Job) -> None:
    """Permute the attention of every text."""
    settings = Permutation.model_validate(job.settings["permutation"])
    frames = []
    for identity, readout in labelled_readouts(job):
        frames.append(labelled_frame(identity, permutation(readout, settings, job.settings["seed"])))
        job.report(f"{identity['model']}, seed {identity['seed']}: {len(readout)} texts")
    write_table(job.output("permutation"), PERMUTATION, pd.concat(frames, ignore_index=True), job.provenance)
