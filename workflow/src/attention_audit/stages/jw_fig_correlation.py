"""correlations -> figures 2 to 4 of Jain & Wallace."""

from __future__ import annotations

from attention_audit.columns.correlation import CORRELATION
from attention_audit.figures.correlation import jw_fig_correlation
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import stacked_slim

COLUMNS = ("dataset", "model", "pair", "tau")


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, jw_fig_correlation(stacked_slim(job, "correlation", CORRELATION, COLUMNS)))
