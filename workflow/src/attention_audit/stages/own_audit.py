"""readouts, corpus -> an audit of the user's own, whose function takes a readout and returns columns."""

from collections.abc import Iterable
from inspect import signature

from attention_audit.audits.answers import Answers, Training
from attention_audit.audits.facts import TextFacts
from attention_audit.audits.settings import OwnAuditJob
from attention_audit.columns.kinds import Artefact, artefact
from attention_audit.targets import load, name_columns

from .audit_files import AuditFiles, list_trainings, open_facts
from .job import Job


def find_columns(target: str) -> Artefact:
    """Find the declaration of the columns of an audit of the user's own, beside its function."""
    return artefact(name_columns(target))


def ask_own(target: str, trainings: Iterable[Training], answers: Answers, facts: TextFacts) -> None:
    """Ask an audit of the user's own of trainings. A function of two parameters gets the facts of the texts too."""
    function, kind = load(target), find_columns(target)
    text_facts = [facts] if len(signature(function).parameters) > 1 else []
    for training in trainings:
        for readout in training.read_parts():
            answers.add(kind, function(readout, *text_facts), training)
        answers.report(training.describe())


def run(job: Job[OwnAuditJob]) -> None:
    """Ask the audit of all trainings."""
    kind = find_columns(job.settings.target)
    with AuditFiles(job, {}, {kind.name: kind}) as answers:
        ask_own(job.settings.target, list_trainings(job), answers, open_facts(job))
