"""agreement of attributions -> one matrix a data set and model."""

from __future__ import annotations

from attention_audit.columns.agreement import AGREEMENT
from attention_audit.figures.agreement import jw_fig_agreement
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import stacked_slim

COLUMNS = ("dataset", "model", "first", "second", "tau", "texts")


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, jw_fig_agreement(stacked_slim(job, "agreement", AGREEMENT, COLUMNS)))
