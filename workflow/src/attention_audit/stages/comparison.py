"""test readouts of the base and of every other BiLSTM -> comparison: JSD, TVD and decision flips, text by text."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.comparison import against_base
from attention_audit.columns.comparison import COMPARISON
from attention_audit.readout import read_readout
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame, labelled_readouts


def run(job: Job) -> None:
    """Compare every readout with the base model's."""
    base = read_readout(job.input("base"))
    frames = [labelled_frame(identity, against_base(base, readout)) for identity, readout in labelled_readouts(job)]
    write_table(job.output("comparison"), COMPARISON, pd.concat(frames, ignore_index=True), job.provenance)
    job.report(f"{len(frames)} readouts compared with the base model on {len(base)} texts")
