"""audits, censuses, the summary -> what had to be found on the control corpora, and what was."""

from __future__ import annotations

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.corpus import CENSUS
from attention_audit.columns.evidence import EVIDENCE
from attention_audit.columns.performance import PERFORMANCE
from attention_audit.columns.planted import PLANTED
from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.columns.summary import SUMMARY
from attention_audit.stages.frames import by_dataset, stacked_if_any
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.controls import controls


def run(job: Job) -> None:
    """Write the table."""
    publish_table(
        job,
        controls(
            job.settings["kinds"],
            stacked_if_any(job, "performance", PERFORMANCE),
            stacked_if_any(job, "evidence", EVIDENCE),
            by_dataset(job, "census", CENSUS),
            stacked_if_any(job, "planted", PLANTED),
            stacked_if_any(job, "ranked_sets", RANKED_SETS),
            read_frame(job.input("summary"), SUMMARY),
        ),
    )
