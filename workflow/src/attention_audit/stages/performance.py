"""readouts, corpus -> performance, predictions and cut_texts: how well a model and what it is held against predict."""

from attention_audit.audits.performance import ask_performance
from attention_audit.audits.settings import AuditJob

from .audit_files import AuditFiles, list_trainings, open_facts
from .job import Job


def run(job: Job[AuditJob]) -> None:
    """Ask the audits of the rule `performance`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_performance(list_trainings(job), answers, open_facts(job))
