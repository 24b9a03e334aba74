"""The archive of an encoder and its record -> the encoder's files, checked."""

from attention_audit.artefacts.files import check_recorded
from attention_audit.corpus.encoders import Encoder, unpack

from .job import Job


def run(job: Job[Encoder]) -> None:
    """Unpack the files. Raises AuditError where the archive is not as the record, or the encoder not as declared."""
    check_recorded(job.inputs["record"])
    encoder, folder = job.settings, job.output("folder")
    folder.mkdir(parents=True, exist_ok=True)
    unpack(job.input("archive"), encoder, {name: folder / name for name in encoder.files})
    job.report(f"{job.input('archive')}: {len(encoder.files)} files unpacked")
