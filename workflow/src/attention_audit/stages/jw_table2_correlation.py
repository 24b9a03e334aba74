"""correlations -> table 2 of Jain & Wallace."""

from __future__ import annotations

from attention_audit.columns.correlation import CORRELATION
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.stages.slim import stacked_slim
from attention_audit.tables.correlation import PAPER, jw_table2_correlation

COLUMNS = ("dataset", "model", "seed", "id", "prediction", "pair", "tau", "p", "top_k_overlap")


def run(job: Job) -> None:
    """Write the table."""
    correlation = stacked_slim(job, "correlation", CORRELATION, COLUMNS)
    publish_table(job, jw_table2_correlation(correlation, job.settings["resamples"]), PAPER, "Table 2")
