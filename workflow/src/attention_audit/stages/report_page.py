"""tables, figures, captions, configuration and the logs' last lines -> results/report.html.

The page also says what the logs of the jobs and git say at the moment. Snakemake does not know of these as inputs, so
the page is made again whenever its tables or figures are, and never compared with an earlier one.
"""

from datetime import UTC, datetime
from pathlib import Path

import yaml

from attention_audit.artefacts.files import whole
from attention_audit.artefacts.journal import read_journal
from attention_audit.artefacts.parquet import read_frame, read_provenance
from attention_audit.artefacts.record import read_record
from attention_audit.columns.kinds import artefact
from attention_audit.jobs.pages import ReportJob
from attention_audit.report.page import FinishedRun, page
from attention_audit.stages.job import Job

Settings = ReportJob


def run(job: Job[ReportJob]) -> None:
    """Write the page."""
    tables, figures = job.inputs["tables"], job.inputs["figures"]
    declared = {exhibit.name: exhibit.columns for exhibit in job.settings.exhibits}
    finished = FinishedRun(
        job=job.settings,
        tables={path.stem: (read_frame(path, artefact(declared[path.stem])), read_provenance(path)) for path in tables},
        figures={path.stem: path for path in figures},
        captions={path.stem: path.read_text(encoding="utf-8") for path in job.inputs["captions"]},
        config=yaml.safe_load(job.input("config").read_text(encoding="utf-8")),
        raw_files=[read_record(path) for path in job.inputs["records"]],
        entries=read_journal(job.output("page").parent / "logs", [path.as_posix() for path in [*tables, *figures]]),
    )
    text = page(finished, datetime.now(UTC), Path.cwd())
    with whole(job.output("page")) as path:
        path.write_text(text, encoding="utf-8")
    job.report(f"{len(tables)} tables and {len(figures)} figures in {job.output('page')}, {len(text) / 2**20:.1f} MB")
