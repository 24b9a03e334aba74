"""What the table and figure stages share: cached frames in, rendered files out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.artefacts.schema import CONTROLS, TABLE, Artefact
from attention_audit.figures.saving import save
from attention_audit.stages.job import Job
from attention_audit.tables.render import render


def stacked(job: Job, name: str, artefact: Artefact) -> pd.DataFrame:
    """The files of one name, one a data set, as one frame."""
    return pd.concat([read_frame(path, artefact) for path in job.inputs[name]], ignore_index=True)


def by_dataset(job: Job, name: str, artefact: Artefact) -> dict[str, pd.DataFrame]:
    """The files of one name by data set, in the order of the settings."""
    return {
        dataset: read_frame(path, artefact)
        for dataset, path in zip(job.settings["datasets"], job.inputs[name], strict=True)
    }


def publish_table(job: Job, table: pd.DataFrame) -> None:
    """Write a table as Parquet and, beside it, as .csv, .md and .tex."""
    path: Path = job.output("parquet")
    write_table(path, CONTROLS if "holds" in table else TABLE, table, job.provenance)
    render(table, path, job.provenance.text())
    job.report(f"{len(table)} rows in {path}")


def publish_figure(job: Job, figure: Figure) -> None:
    """Write a figure as PDF and PNG."""
    save(figure, job.output("pdf"), job.output("png"), job.provenance.text())
    job.report(f"{job.output('pdf')} and .png")
