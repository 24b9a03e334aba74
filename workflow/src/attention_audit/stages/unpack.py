"""The archive of an encoder and its record -> the encoder's files, checked."""

import re
import shutil
from pathlib import Path

from attention_audit.artefacts.files import check_recorded, checksum, write_whole
from attention_audit.corpus.encoders import FetchedEncoder
from attention_audit.corpus.raw import BLOCK_BYTES, find_remedy, open_members
from attention_audit.errors import AuditError
from attention_audit.transformer.folder import read_model_facts

from .job import Job


def run(job: Job[FetchedEncoder]) -> None:
    """Unpack the files. Raises AuditError where the archive is not as the record, is damaged, lacks a file or has
    another one, or the encoder is not as declared.
    """
    check_recorded(job.inputs["record"])
    encoder, archive, folder = job.settings, job.input("archive"), job.output("folder")
    folder.mkdir(parents=True, exist_ok=True)
    missing = dict(encoder.files)
    for member, stream in open_members(archive, re.escape(f"{encoder.inside}/") + "[^/]+"):
        name = Path(member).name
        if expected := missing.pop(name, None):
            with write_whole(folder / name) as temporary:
                with temporary.open("wb") as target:
                    shutil.copyfileobj(stream, target, BLOCK_BYTES)
                if (sha256 := checksum(temporary)) != expected:
                    raise AuditError(
                        f"{archive}: {member}",
                        f"its sha256 is {sha256}, not {expected} as the config says",
                        f"check the `files` of the encoder there, or {find_remedy(archive)}",
                    )
    if missing:
        missing_file = f"{encoder.inside}/{next(iter(missing))}"
        raise AuditError(f"{archive}", f"no {missing_file} in it", "check the encoder's entry in the config")
    kind, width, layers, *_ = read_model_facts(folder)
    if (kind, width, layers) != encoder.facts[:3]:
        raise AuditError(
            f"{folder}",
            f"model_type, width and layers are {kind}, {width} and {layers}",
            "say so in the encoder's entry in the config",
        )
    job.report(f"{archive}: {len(encoder.files)} files unpacked")
