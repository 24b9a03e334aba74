"""performance, evidence, censuses -> what had to be found on the control corpora, and what was."""

from __future__ import annotations

from attention_audit.artefacts.schema import CENSUS, EVIDENCE, PERFORMANCE
from attention_audit.stages.frames import by_dataset, stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.controls import controls


def run(job: Job) -> None:
    """Write the table."""
    publish_table(
        job,
        controls(
            job.settings["kinds"],
            stacked(job, "performance", PERFORMANCE),
            stacked(job, "evidence", EVIDENCE),
            by_dataset(job, "census", CENSUS),
        ),
    )
