"""conicity, permutations -> how alike hidden states are, beside what permuting attention changes."""

from __future__ import annotations

from attention_audit.columns.conicity import CONICITY
from attention_audit.columns.permutation import PERMUTATION
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.stages.slim import stacked_slim
from attention_audit.tables.correlation import PAPER, jw_table_conicity

STATES = ("dataset", "model", "seed", "id", "conicity")
PERMUTED = ("dataset", "model", "seed", "id", "max_attention", "median_tvd")


def run(job: Job) -> None:
    """Write the table."""
    conicity = stacked_slim(job, "conicity", CONICITY, STATES)
    permutation = stacked_slim(job, "permutation", PERMUTATION, PERMUTED)
    publish_table(job, jw_table_conicity(conicity, permutation, job.settings["resamples"]), PAPER)
