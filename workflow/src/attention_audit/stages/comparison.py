"""readouts of a base model and of others -> comparison and consistency: how far the others are from it."""

from attention_audit.audits.comparison import ask_comparison
from attention_audit.audits.settings import ComparisonJob

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[ComparisonJob]) -> None:
    """Ask the audits of the rule `comparison`."""
    base, *compared = list_trainings(job)
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_comparison(base, compared, answers, job.settings.permutation)
