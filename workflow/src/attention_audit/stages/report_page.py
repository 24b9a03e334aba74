"""tables, figures, captions, configuration and the logs' last lines -> results/report.html."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from attention_audit.artefacts.files import whole
from attention_audit.artefacts.journal import read_journal
from attention_audit.artefacts.parquet import read_published
from attention_audit.report.page import Run, page
from attention_audit.stages.job import Job
from attention_audit.tables.shown import kind_of_table


def run(job: Job) -> None:
    """Write the page."""
    tables, figures = job.inputs["tables"], job.inputs["figures"]
    made = Run(
        tables={path.stem: read_published(path, kind_of_table(pq.read_schema(path).names)) for path in tables},
        figures={path.stem: path for path in figures},
        captions={path.stem: path.read_text(encoding="utf-8") for path in job.inputs["captions"]},
        config=yaml.safe_load(job.input("config").read_text(encoding="utf-8")),
        gaps=job.settings["gaps"],
        raw_files=[json.loads(path.read_text(encoding="utf-8")) for path in job.inputs["records"]],
        jobs=read_journal(Path("results/logs"), [path.as_posix() for path in [*tables, *figures]]),
    )
    text = page(made, datetime.now(UTC), Path.cwd())
    with whole(job.output("page")) as path:
        path.write_text(text, encoding="utf-8")
    job.report(f"{len(tables)} tables and {len(figures)} figures in {job.output('page')}, {len(text) / 2**20:.1f} MB")
