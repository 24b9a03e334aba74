"""censuses, vocabularies, records of fetched files -> table 1 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.columns.corpus import CENSUS, VOCABULARY
from attention_audit.stages.frames import by_dataset, records_by_dataset
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.datasets import wp_table1_datasets


def run(job: Job) -> None:
    """Write the table."""
    table = wp_table1_datasets(
        by_dataset(job, "census", CENSUS), by_dataset(job, "vocabulary", VOCABULARY), records_by_dataset(job)
    )
    publish_table(job, table, number="Table 1")
