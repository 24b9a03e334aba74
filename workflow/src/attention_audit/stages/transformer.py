"""The folder of a Transformer -> its record: the checksums of the files that decide what it computes.

All that depends on the Transformer depends on this record, so that another model in the same folder makes it anew.
"""

from attention_audit.artefacts.record import write_record
from attention_audit.jobs.importing import TransformerJob
from attention_audit.stages.job import Job
from attention_audit.transformer.folder import ENCODER, checksums, find_folder, known_mirror, read_facts

Settings = TransformerJob


def run(job: Job[TransformerJob]) -> None:
    """Write the record. Raises AuditError where the folder lacks something."""
    folder = find_folder(job.settings.path, known_mirror(), ENCODER)
    facts = read_facts(folder)
    write_record(job.output("record"), {"path": job.settings.path, "files": checksums(folder)})
    job.report(f"{folder}: {facts.kind}, {facts.layers} layers, {facts.width} wide")
