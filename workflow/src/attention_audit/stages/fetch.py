"""mirror or web -> a raw file, checked; and the record of what it is."""

from dataclasses import asdict

from attention_audit.artefacts.files import write_record
from attention_audit.corpus.fetch import fetch
from attention_audit.corpus.source import FetchJob
from attention_audit.transformer.folder import find_mirror

from .job import Job


def run(job: Job[FetchJob]) -> None:
    """Take the file from the mirror, else download it."""
    remote, folder = job.settings.remote, job.settings.folder
    fetched = fetch(remote, folder, find_mirror(), job.output("file"), job.report, job.settings.homepage)
    write_record(job.output("record"), {"folder": folder} | asdict(fetched))
    job.report(f"{remote.file}: sha256 {fetched.sha256}")
