"""performance -> how well the models of Jain & Wallace predict, beside their table 1."""

from __future__ import annotations

from attention_audit.columns.performance import PERFORMANCE
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.correlation import PAPER, jw_table1_performance


def run(job: Job) -> None:
    """Write the table."""
    publish_table(job, jw_table1_performance(stacked(job, "performance", PERFORMANCE)), PAPER, "Table 1")
