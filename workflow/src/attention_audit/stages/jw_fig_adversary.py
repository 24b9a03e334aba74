"""adversaries of all models -> figures 6 to 8 of Jain & Wallace."""

from __future__ import annotations

from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.figures.adversary_histogram import jw_fig_adversary
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import stacked_slim

COLUMNS = ("dataset", "model", "jsd", "base_prediction", "base_max_attention")


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, jw_fig_adversary(stacked_slim(job, "jw_adversary", INSTANCE_ADVERSARY, COLUMNS)))
