"""The folder of a Transformer -> its record: the checksums of the files that decide what it computes, and where it lies
from there if it was fetched.

All that depends on the Transformer depends on this record, so that another model in the same folder makes it anew.
"""

import os

from attention_audit.artefacts.files import write_record
from attention_audit.transformer.folder import hash_model_files, read_model_facts
from attention_audit.transformer.settings import TransformerJob

from .job import Job


def run(job: Job[TransformerJob]) -> None:
    """Write the record. Raises AuditError where the folder lacks something."""
    record, path = job.output("record"), job.inputs["files"][0]
    folder = path if path.is_dir() else path.parent
    facts = read_model_facts(folder)
    location = {"fetched": os.path.relpath(folder, record.parent)} if job.settings.fetched else {}
    write_record(record, {"path": job.settings.path, "files": hash_model_files(folder)} | location)
    job.report(f"{folder}: {facts.kind}, {facts.layers} layers, {facts.width} wide")
