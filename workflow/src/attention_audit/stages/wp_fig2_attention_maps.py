"""attention maps -> figure 2 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.columns.attention_maps import ATTENTION_MAPS
from attention_audit.figures.attention_maps import wp_fig2_attention_maps
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(job, wp_fig2_attention_maps(stacked(job, "maps", ATTENTION_MAPS)))
