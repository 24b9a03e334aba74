"""performance, comparison, instance adversary -> table 5 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.columns.comparison import COMPARISON
from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.columns.performance import PERFORMANCE
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.adversary import wp_table5_adversary


def run(job: Job) -> None:
    """Write the table."""
    publish_table(
        job,
        wp_table5_adversary(
            stacked(job, "performance", PERFORMANCE),
            stacked(job, "comparison", COMPARISON),
            stacked(job, "instance_adversary", INSTANCE_ADVERSARY),
        ),
    )
