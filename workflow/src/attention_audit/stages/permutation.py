"""readouts -> permutation and heads: how far predictions move when weights are shuffled."""

from attention_audit.audits.permutation import ask_permutation
from attention_audit.audits.settings import PermutationJob

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[PermutationJob]) -> None:
    """Ask the audits of the rule `permutation`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_permutation(list_trainings(job), answers, job.settings.permutation)
