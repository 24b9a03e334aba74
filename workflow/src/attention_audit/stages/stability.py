"""readouts of all trainings of a model -> stability and map_stability: how far any two of them are apart."""

from attention_audit.audits.comparison import ask_stability
from attention_audit.audits.settings import ComparisonJob

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[ComparisonJob]) -> None:
    """Ask the audits of the rule `stability`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_stability(list_trainings(job), answers, job.settings.permutation)
