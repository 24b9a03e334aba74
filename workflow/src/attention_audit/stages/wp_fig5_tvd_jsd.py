"""comparison, instance adversary -> figure 5 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.columns.comparison import COMPARISON
from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.figures.tvd_jsd import wp_fig5_tvd_jsd
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(
        job,
        wp_fig5_tvd_jsd(stacked(job, "comparison", COMPARISON), stacked(job, "instance_adversary", INSTANCE_ADVERSARY)),
    )
