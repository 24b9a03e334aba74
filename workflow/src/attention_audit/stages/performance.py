"""test readouts of every model -> performance: accuracy, F1 and ROC-AUC."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.audits.performance import performance
from attention_audit.columns.performance import PERFORMANCE
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame, labelled_readouts


def run(job: Job) -> None:
    """Measure every readout against the gold labels."""
    frames = []
    for identity, readout in labelled_readouts(job):
        measured = performance(readout)
        selection = "train" if identity["model"] == "adversary" else job.settings["selection"]
        columns = {"metric": list(measured), "value": list(measured.values())}
        about = {"selection": selection, "classes": readout.probabilities.shape[1]}
        frames.append(labelled_frame(identity | about, columns))
    write_table(job.output("performance"), PERFORMANCE, pd.concat(frames, ignore_index=True), job.provenance)
    job.report(f"{len(frames)} readouts measured")
