"""A figure into its files."""

from __future__ import annotations

from matplotlib.figure import Figure

from attention_audit.figures.saving import save
from attention_audit.stages.job import Job


def publish_figure(job: Job, figure: Figure) -> None:
    """Write a figure as PDF and PNG."""
    save(figure, job.output("pdf"), job.output("png"), job.provenance.text())
    job.report(f"{job.output('pdf')} and .png")
