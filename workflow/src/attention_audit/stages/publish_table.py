"""A table into its files."""

from __future__ import annotations

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.stages.job import Job
from attention_audit.tables.render import render
from attention_audit.tables.shown import kind_of_table
from attention_audit.tables.tidy import gaps


def publish_table(job: Job, table: pd.DataFrame, paper: str = "WP2019", number: str = "") -> None:
    """Write a table as Parquet and, beside it, as .csv, .md and .tex.

    Data sets that could not be had (the setting `gaps`, reasons by name) follow at the end, with what `paper` gives for
    them in its table `number`.
    """
    path = job.output("parquet")
    if missing := job.settings.get("gaps"):
        table = pd.concat([table, gaps(missing, number, paper)], ignore_index=True)
    write_table(path, kind_of_table(table.columns), table, job.provenance)
    render(table, path, job.provenance.text())
    job.report(f"{len(table)} rows in {path}")
