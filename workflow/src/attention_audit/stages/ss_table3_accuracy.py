"""performance -> table 3 of Serrano & Smith."""

from __future__ import annotations

from attention_audit.columns.performance import PERFORMANCE
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.erasure import ss_table3_accuracy


def run(job: Job) -> None:
    """Write the table."""
    publish_table(job, ss_table3_accuracy(stacked(job, "performance", PERFORMANCE)), "SS2019", "Table 3")
