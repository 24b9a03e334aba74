"""readouts, corpus, per-instance adversaries -> attention_maps: a few texts word by word."""

from attention_audit.artefacts.parquet import read_frame
from attention_audit.audits.attention_maps import ask_attention_maps
from attention_audit.audits.settings import AttentionMapsJob
from attention_audit.columns.audits import INSTANCE_ADVERSARY

from .audit_files import AuditFiles, list_trainings, open_facts
from .job import Job


def run(job: Job[AttentionMapsJob]) -> None:
    """Ask the audit `attention_maps`."""
    rows = next((read_frame(path, INSTANCE_ADVERSARY) for path in job.inputs.get("instance_adversary", [])), None)
    with AuditFiles(job, job.settings.unasked) as answers:
        if trainings := list_trainings(job):
            ask_attention_maps(trainings, answers, open_facts(job), job.settings.attention_maps, rows)
