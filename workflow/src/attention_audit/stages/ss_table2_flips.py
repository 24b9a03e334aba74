"""single weights, censuses -> table 2 of Serrano & Smith, and their figures 9, 12 and 13."""

from __future__ import annotations

from attention_audit.columns.corpus import CENSUS
from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.stages.frames import by_dataset
from attention_audit.stages.job import Job
from attention_audit.stages.publish_table import publish_table
from attention_audit.stages.slim import stacked_slim
from attention_audit.tables.erasure import ss_table2_flips

COLUMNS = ("dataset", "model", "seed", "id", "ranking", "draw", "top_flips", "other_flips")


def run(job: Job) -> None:
    """Write the table."""
    single_weight = stacked_slim(job, "single_weight", SINGLE_WEIGHT, COLUMNS)
    table = ss_table2_flips(single_weight, by_dataset(job, "census", CENSUS), job.settings["resamples"])
    publish_table(job, table, "SS2019", "Table 2")
