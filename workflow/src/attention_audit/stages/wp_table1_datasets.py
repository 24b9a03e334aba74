"""corpora, vocabularies -> table 1 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.artefacts.schema import CORPUS, VOCABULARY
from attention_audit.stages.frames import by_dataset
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.datasets import wp_table1_datasets


def run(job: Job) -> None:
    """Write the table."""
    publish_table(job, wp_table1_datasets(by_dataset(job, "corpus", CORPUS), by_dataset(job, "vocabulary", VOCABULARY)))
