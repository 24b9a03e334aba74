"""ranked sets -> which ranking flips the decision first, two by two."""

from __future__ import annotations

from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.stages.slim import stacked_slim
from attention_audit.tables.erasure import ss_table_pairwise

COLUMNS = ("dataset", "model", "seed", "id", "ranking", "removed")


def run(job: Job) -> None:
    """Write the table."""
    ranked_sets = stacked_slim(job, "ranked_sets", RANKED_SETS, COLUMNS)
    publish_table(job, ss_table_pairwise(ranked_sets, job.settings["resamples"]), "SS2019", "Section 5.4")
