"""single weights -> figures 4 and 8 of Serrano & Smith."""

from __future__ import annotations

from attention_audit.columns.single_weight import SINGLE_WEIGHT
from attention_audit.figures.delta_js import ss_fig4_negative_delta_js
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import stacked_slim

COLUMNS = ("dataset", "model", "ranking", "draw", "delta_js", "delta_attention")


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, ss_fig4_negative_delta_js(stacked_slim(job, "single_weight", SINGLE_WEIGHT, COLUMNS)))
