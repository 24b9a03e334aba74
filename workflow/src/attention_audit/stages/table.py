"""audits, censuses, other tables -> one table, as .parquet, .csv, .json, .md and .tex. No model is loaded."""

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.kinds import artefact
from attention_audit.jobs.exhibit import ExhibitJob
from attention_audit.stages.frames import label_names, read_arguments
from attention_audit.stages.job import Job
from attention_audit.tables.render import render
from attention_audit.tables.tidy import gaps
from attention_audit.targets import load


def run(job: Job[ExhibitJob]) -> None:
    """Write the table; data sets that could not be had follow at its end, with the paper's values."""
    spec = job.settings.table
    if spec is None:
        raise ValueError(f"{job.settings.exhibit}: not a table")
    table: pd.DataFrame = load(job.settings.target)(**read_arguments(job))
    if spec.gaps:
        table = pd.concat([table, gaps(spec.gaps, spec.number, spec.paper)], ignore_index=True)
    path = job.output("parquet")
    write_table(path, artefact(spec.declared), table, job.provenance)
    top = load(spec.top) if spec.top else None
    render(table, path, job.provenance.text(), load(spec.shown), label_names(job), top)
    job.report(f"{len(table)} rows in {path}")
