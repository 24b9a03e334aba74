"""corpus (, word vectors) -> vocabulary: the words of the training split, with their pretrained vectors."""

from __future__ import annotations

import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_table, write_table
from attention_audit.artefacts.schema import CORPUS, VOCABULARY
from attention_audit.corpus.vectors import read_vectors
from attention_audit.corpus.vocabulary import build_vocabulary, coverage, vocabulary_columns
from attention_audit.stages.job import Job


def run(job: Job) -> None:
    """Count the words, and look their vectors up where the run uses pretrained ones."""
    texts = read_table(job.input("corpus"), CORPUS)
    vocabulary = build_vocabulary(texts.filter(pc.equal(texts["split"], "train"))["tokens"].to_pylist())
    job.report(f"{len(vocabulary.rows)} words")
    vectors = None
    if job.inputs["vectors"]:
        vectors = read_vectors(job.input("vectors"), vocabulary.rows.keys(), job.settings["dimension"])
        covered = coverage(vocabulary, vectors)
        job.report(
            f"vectors for {covered.types:.1%} of the words, which are {covered.tokens:.1%} of the training tokens"
        )
    write_table(job.output("vocabulary"), VOCABULARY, vocabulary_columns(vocabulary, vectors), job.provenance)
