"""A table into its files."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.schema import CONTROLS, TABLE
from attention_audit.stages.job import Job
from attention_audit.tables.render import render


def publish_table(job: Job, table: pd.DataFrame) -> None:
    """Write a table as Parquet and, beside it, as .csv, .md and .tex."""
    path = job.output("parquet")
    write_table(path, CONTROLS if "holds" in table else TABLE, table, job.provenance)
    render(table, path, job.provenance.text())
    job.report(f"{len(table)} rows in {path}")
