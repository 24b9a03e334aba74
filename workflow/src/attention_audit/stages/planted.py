"""corpus, test readouts of HANs and FLANs -> whether the rankings put the known evidence first."""

from __future__ import annotations

from typing import Any

from attention_audit.artefacts.parquet import read_batches, write_batches
from attention_audit.audits.planted import planted, sentences_of
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.planted import PLANTED
from attention_audit.readout import Readout
from attention_audit.stages.chunks import audited
from attention_audit.stages.job import Job

HIERARCHICAL = "han_"


def run(job: Job) -> None:
    """Look where each ranking starts; without known evidence the table is empty."""
    words: dict[str, set[int]] = {}
    sentences: dict[str, set[int]] = {}
    for table in read_batches(job.input("corpus"), CORPUS, ["id", "sentences", "evidence"]):
        for id_, starts, positions in zip(*(column.to_pylist() for column in table.columns), strict=True):
            if positions is not None:
                words[id_] = set(positions)
                sentences[id_] = sentences_of(positions, starts or [0])

    def audit(model: str, readout: Readout) -> dict[str, Any]:
        return planted(readout, sentences if model.startswith(HIERARCHICAL) else words)

    write_batches(job.output("planted"), PLANTED, audited(job, PLANTED, audit), job.provenance)
