"""readouts, corpus -> evidence, plausibility and planted: do maps point to words that are marked or known to decide?"""

from attention_audit.audits.plausibility import ask_plausibility
from attention_audit.audits.settings import AuditJob

from .audit_files import AuditFiles, list_trainings, open_facts
from .job import Job


def run(job: Job[AuditJob]) -> None:
    """Ask the audits of the rule `plausibility`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_plausibility(list_trainings(job), answers, open_facts(job))
