"""mirror or web -> a raw file, checked."""

from __future__ import annotations

import os
from pathlib import Path

from attention_audit.corpus.fetch import fetch
from attention_audit.corpus.settings import RemoteFile
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Take the file from the mirror, else download it."""
    remote = RemoteFile.model_validate(job.settings["remote"])
    mirror = os.environ.get("ATTENTION_AUDIT_MIRROR")
    folder = job.settings["folder"]
    sha256 = fetch(remote, folder, Path(mirror) if mirror else None, job.output("file"), job.report)
    job.report(f"{remote.file}: sha256 {sha256}")
