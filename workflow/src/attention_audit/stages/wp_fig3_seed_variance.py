"""comparison, instance adversary -> figure 3 of Wiegreffe & Pinter."""

from __future__ import annotations

from attention_audit.columns.comparison import COMPARISON
from attention_audit.columns.instance_adversary import INSTANCE_ADVERSARY
from attention_audit.figures.seed_variance import wp_fig3_seed_variance
from attention_audit.stages.frames import stacked
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure


def run(job: Job) -> None:
    """Draw the figure."""
    publish_figure(
        job,
        wp_fig3_seed_variance(
            stacked(job, "comparison", COMPARISON), stacked(job, "instance_adversary", INSTANCE_ADVERSARY)
        ),
    )
