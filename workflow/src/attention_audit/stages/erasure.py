"""readouts -> contributions, single_weight, ranked_sets and shuffles: which items decide."""

from attention_audit.audits.contributions import ask_erasure
from attention_audit.audits.settings import ErasureJob

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[ErasureJob]) -> None:
    """Ask the audits of the rule `erasure`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_erasure(list_trainings(job), answers, job.settings.erasure, job.settings.permutation)
