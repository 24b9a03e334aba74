"""audits -> one figure, as .pdf and .png. No model is loaded, nothing is computed again."""

from __future__ import annotations

from attention_audit.figures.saving import save
from attention_audit.jobs.exhibit import ExhibitJob
from attention_audit.stages.frames import arguments
from attention_audit.stages.job import Job
from attention_audit.targets import load

Settings = ExhibitJob


def run(job: Job[ExhibitJob]) -> None:
    """Draw the figure."""
    figure = load(job.settings.target)(**arguments(job))
    save(figure, job.output("pdf"), job.output("png"), job.provenance.text())
    job.report(f"{job.output('pdf')} and .png")
