"""permutations -> figure 5 of Jain & Wallace."""

from __future__ import annotations

from attention_audit.columns.permutation import PERMUTATION
from attention_audit.figures.permutation import jw_fig_permutation
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import stacked_slim

COLUMNS = ("dataset", "model", "prediction", "max_attention", "median_tvd")


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, jw_fig_permutation(stacked_slim(job, "permutation", PERMUTATION, COLUMNS)))
