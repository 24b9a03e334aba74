"""readouts of a base model and of others -> comparison and consistency: how far the others are from it."""

from attention_audit.audits.comparison import ask_comparison
from attention_audit.audits.settings import ComparisonJob

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[ComparisonJob]) -> None:
    """Ask the audits of the rule `comparison`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        if trainings := list_trainings(job):
            ask_comparison(trainings[0], trainings[1:], answers, job.settings.permutation)
