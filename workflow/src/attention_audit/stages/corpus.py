"""raw archive, or nothing for a generated corpus -> corpus: tokenised, filtered, checked."""

from __future__ import annotations

from collections import Counter

from pydantic import TypeAdapter

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.schema import CORPUS
from attention_audit.corpus.instances import corpus_columns
from attention_audit.corpus.settings import Corpus
from attention_audit.corpus.sources import read_corpus
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Read the source that the settings name."""
    source: Corpus = TypeAdapter(Corpus).validate_python(job.settings["corpus"])
    archive = job.inputs["archive"]
    instances = read_corpus(job.settings["dataset"], source, archive[0].parent if archive else None)
    write_table(job.output("corpus"), CORPUS, corpus_columns(instances), job.provenance)
    for (split, label), count in sorted(Counter((x.split, x.label) for x in instances).items()):
        job.report(f"{split}: {count} texts of class {label}")
