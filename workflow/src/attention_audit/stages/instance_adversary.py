"""readouts -> instance_adversary: how far the weights of a text can go while its prediction stays."""

from attention_audit.audits.instance_adversary import ask_instance_adversary
from attention_audit.audits.settings import InstanceAdversaryJob

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[InstanceAdversaryJob]) -> None:
    """Ask the audit `instance_adversary`."""
    with AuditFiles(job, job.settings.unasked) as answers:
        ask_instance_adversary(list_trainings(job), answers, job.settings.instance_adversary)
