"""published tables -> every number of the papers that this run has a counterpart of, ours beside it."""

from __future__ import annotations

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.table import TABLE
from attention_audit.stages.frames import records_by_dataset
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.tables.datasets import rebuilt
from attention_audit.tables.replication import SOURCES, replication


def run(job: Job) -> None:
    """Write the table."""
    tables = {name: read_frame(path, TABLE) for name in set(SOURCES.values()) for path in job.inputs.get(name, [])}
    of_data = {
        dataset: [*filter(None, [rebuilt(records)]), *job.settings["of_data"][dataset]]
        for dataset, records in records_by_dataset(job).items()
    }
    publish_table(job, replication(tables, of_data, job.settings["of_models"]))
