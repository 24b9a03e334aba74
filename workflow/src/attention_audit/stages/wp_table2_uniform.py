"""performance -> table 2 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.columns.performance import PERFORMANCE
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.performance import wp_table2_uniform


def run(job: Job) -> None:
    """Write the table."""
    publish_table(job, wp_table2_uniform(stacked(job, "performance", PERFORMANCE)), number="Table 2")
