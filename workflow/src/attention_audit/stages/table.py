"""audits, censuses, other tables -> one table, as .parquet, .csv, .json, .md and .tex. No model is loaded."""

import pandas as pd

from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.kinds import artefact
from attention_audit.jobs import ExhibitJob
from attention_audit.tables.render import Block, render
from attention_audit.tables.tidy import list_gaps
from attention_audit.targets import load

from .frames import NotApplicable, label_names, read_arguments
from .job import Job


def run(job: Job[ExhibitJob]) -> None:
    """Write the table; data sets that could not be had follow at its end, with the paper's values."""
    spec = job.settings.table
    if spec is None:
        raise ValueError(f"{job.settings.exhibit}: not a table")
    kind, provenance, path = artefact(spec.declared), job.provenance, job.output("parquet")
    shown, top = load(spec.shown), load(spec.top) if spec.top else None
    try:
        table: pd.DataFrame = load(job.settings.target)(**read_arguments(job))
    except NotApplicable as reason:
        table, provenance = kind.schema.empty_table().to_pandas(), provenance.explain(str(reason))
        if not spec.gaps:
            said = Block(table[[]], text=f"Nothing to show: {reason}.")
            shown, top = lambda *_: [said], None
    if spec.gaps:
        table = pd.concat([table, list_gaps(spec.gaps, spec.number, spec.paper)], ignore_index=True)
    write_table(path, kind, table, provenance)
    render(table, path, provenance.text(), shown, label_names(job), top)
    job.report(f"{len(table)} rows in {path}")
