"""ranked sets -> figure 11 of Serrano & Smith."""

from __future__ import annotations

from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.figures.removed import ss_fig11_mass_removed
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import stacked_slim

COLUMNS = ("dataset", "model", "ranking", "mass_removed")


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, ss_fig11_mass_removed(stacked_slim(job, "ranked_sets", RANKED_SETS, COLUMNS)))
