"""test readouts of HANs and FLANs -> what erasing one weight does."""

from __future__ import annotations

from attention_audit.artefacts.parquet import write_batches
from attention_audit.audits.single_weight import single_weight
from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.stages.chunks import audited
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Erase the first item of every ranking, and another one."""
    rows = audited(job, SINGLE_WEIGHT, lambda _, readout: single_weight(readout, job.settings["seed"]))
    write_batches(job.output("single_weight"), SINGLE_WEIGHT, rows, job.provenance)
