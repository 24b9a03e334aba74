"""corpus, test readouts -> evidence: attention on the words that are known to decide the label."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import read_table, write_table
from attention_audit.audits.evidence import evidence_mass
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.evidence import EVIDENCE
from attention_audit.stages.job import Job
from attention_audit.stages.readouts import labelled_frame, labelled_readouts


def run(job: Job) -> None:
    """Measure every readout on the texts whose evidence is known; none known gives an empty table."""
    corpus = read_table(job.input("corpus"), CORPUS)
    known = zip(corpus["id"].to_pylist(), corpus["evidence"].to_pylist(), strict=True)
    evidence = {name: positions for name, positions in known if positions is not None}
    frames = [
        labelled_frame(identity, evidence_mass(readout, evidence)) for identity, readout in labelled_readouts(job)
    ]
    write_table(job.output("evidence"), EVIDENCE, pd.concat(frames, ignore_index=True), job.provenance)
    job.report(f"{sum(map(len, frames))} texts with known evidence")
