"""corpus (, word vectors and their record) -> vocabulary: the words of the training split, with their vectors."""

from __future__ import annotations

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.record import check_recorded
from attention_audit.columns.corpus import VOCABULARY
from attention_audit.corpus.vectors import VectorFile, read_vectors
from attention_audit.corpus.vocabulary import (
    Vocabulary,
    WordLists,
    WordVectors,
    build_vocabulary,
    coverage,
    vocabulary_columns,
)
from attention_audit.corpus.word2vec import train_vectors
from attention_audit.errors import AuditError
from attention_audit.jobs.vocabulary import VocabularyJob
from attention_audit.stages.job import Job

Settings = VocabularyJob


def word_vectors(job: Job[VocabularyJob], vocabulary: Vocabulary) -> WordVectors | None:
    """Vectors by word, read from a file or trained, as the settings say; None where they ask for none."""
    vectors = job.settings.vectors
    if vectors is None:
        return None
    if isinstance(vectors, VectorFile):
        check_recorded(job.inputs.get("records", []))
        return read_vectors(job.input("vectors"), vocabulary.rows.keys(), vectors.dimension, vectors.member)
    return train_vectors(WordLists(job.input("corpus"), ["train", "dev"]), vectors, job.report)


def run(job: Job[VocabularyJob]) -> None:
    """Count the words of the training texts, and find their vectors where the run does not start from random ones."""
    min_df = job.settings.min_df
    vocabulary = build_vocabulary(WordLists(job.input("corpus"), ["train"]), min_df)
    if not vocabulary.rows:
        raise AuditError(f"{job.settings.dataset}: no word is in {min_df} training texts; lower min_df")
    job.report(f"{len(vocabulary.rows)} words")
    vectors = word_vectors(job, vocabulary)
    if vectors is not None:
        covered = coverage(vocabulary, vectors)
        job.report(
            f"vectors for {covered.types:.1%} of the words, which are {covered.tokens:.1%} of the training tokens"
        )
    write_table(job.output("vocabulary"), VOCABULARY, vocabulary_columns(vocabulary, vectors), job.provenance)
