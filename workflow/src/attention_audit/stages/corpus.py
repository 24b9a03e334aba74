"""raw files with records, or nothing for a generated corpus -> corpus: split into words, filtered; and its census."""

from __future__ import annotations

from pydantic import TypeAdapter

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.record import check_recorded
from attention_audit.columns.corpus import CENSUS
from attention_audit.corpus.catalogue import Corpus
from attention_audit.corpus.prepare import prepare
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Read the source that the settings name."""
    check_recorded(job.inputs.get("records", []))
    source: Corpus = TypeAdapter(Corpus).validate_python(job.settings["corpus"])
    raw = dict(zip(job.settings["files"], job.inputs["raw"], strict=True))
    census = prepare(
        job.settings["dataset"], source, raw, job.output("corpus"), job.provenance, job.threads, job.report
    )
    write_table(job.output("census"), CENSUS, census, job.provenance)
    for split, texts in census.groupby("split", sort=False)["kept"].sum().items():
        if texts:
            job.report(f"{split}: {texts} texts of {census['label_name'].nunique()} classes")
