"""readouts -> an audit of the user's own, whose function takes a readout and returns columns."""

from attention_audit.audits.settings import OwnAuditJob
from attention_audit.columns.kinds import artefact
from attention_audit.targets import load

from .audit_files import AuditFiles, list_trainings
from .job import Job


def run(job: Job[OwnAuditJob]) -> None:
    """Ask the audit of all trainings."""
    target = job.settings.target
    module, _, name = target.partition(":")
    function, kind = load(target), artefact(f"{module}:{name.upper()}")
    with AuditFiles(job, {}, {kind.name: kind}) as answers:
        for training in list_trainings(job):
            for readout in training.read_parts():
                answers.add(kind, function(readout), training)
            answers.report(training.describe())
