"""mirror or web -> a raw file, checked; and the record of what it is."""

import os
from dataclasses import asdict
from pathlib import Path

from attention_audit.artefacts.record import write_record
from attention_audit.corpus.fetch import fetch
from attention_audit.jobs.fetch import FetchJob
from attention_audit.stages.job import Job

Settings = FetchJob


def run(job: Job[FetchJob]) -> None:
    """Take the file from the mirror, else download it."""
    remote, folder = job.settings.remote, job.settings.folder
    mirror = os.environ.get("ATTENTION_AUDIT_MIRROR")
    fetched = fetch(
        remote, folder, Path(mirror) if mirror else None, job.output("file"), job.report, job.settings.homepage
    )
    write_record(job.output("record"), {"folder": folder} | asdict(fetched))
    job.report(f"{remote.file}: sha256 {fetched.sha256}")
