"""evidence -> how much attention is on the words that are known to decide the label."""

from __future__ import annotations

from attention_audit.columns.evidence import EVIDENCE
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.correlation import PAPER
from attention_audit.tables.evidence import jw_table_evidence


def run(job: Job) -> None:
    """Write the table; it has no row where no evidence is known."""
    publish_table(job, jw_table_evidence(stacked(job, "evidence", EVIDENCE), job.settings["resamples"]), PAPER)
