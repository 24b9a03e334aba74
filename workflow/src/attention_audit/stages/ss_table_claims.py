"""ranked sets, single weights -> the findings of Serrano & Smith, and whether they come back."""

from __future__ import annotations

from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.stages.slim import stacked_slim
from attention_audit.tables.claims import ss_table_claims

RANKED = ("dataset", "model", "seed", "id", "ranking", "removed", "fraction_removed")
SINGLE = ("dataset", "model", "seed", "id", "ranking", "draw", "top_flips")


def run(job: Job) -> None:
    """Write the table."""
    claims = ss_table_claims(
        stacked_slim(job, "ranked_sets", RANKED_SETS, RANKED),
        stacked_slim(job, "single_weight", SINGLE_WEIGHT, SINGLE),
        job.settings["resamples"],
    )
    publish_table(job, claims)
    job.report(f"{claims['holds'].sum()} of {len(claims)} findings come back")
