"""raw files with records, or nothing for a generated corpus -> corpus: split into words, filtered; and its census."""

from __future__ import annotations

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.record import check_recorded
from attention_audit.columns.corpus import CENSUS
from attention_audit.corpus.prepare import prepare
from attention_audit.jobs.corpus import CorpusJob
from attention_audit.stages.job import Job

Settings = CorpusJob


def run(job: Job[CorpusJob]) -> None:
    """Read the source that the settings name."""
    check_recorded(job.inputs.get("records", []))
    settings = job.settings
    raw = dict(zip(settings.files, job.inputs["raw"], strict=True))
    census = prepare(
        settings.dataset, settings.corpus, raw, job.output("corpus"), job.provenance, job.threads, job.report
    )
    write_table(job.output("census"), CENSUS, census, job.provenance)
    for split, texts in census.groupby("split", sort=False)["kept"].sum().items():
        if texts:
            job.report(f"{split}: {texts} texts of {census['label_name'].nunique()} classes")
