"""raw files with records, or nothing for a generated corpus (, word vectors) -> corpus, its census, and vocabulary.

All three share a process, since on small data sets the imports of another would cost more than the work. Corpus and
census still have their own reasons to be made again: other word vectors read no raw file.
"""

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.record import check_recorded
from attention_audit.columns.corpus import VOCABULARY
from attention_audit.corpus.vectors import VectorFile, of_length_one, read_vectors
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
from attention_audit.jobs.corpus import CorpusJob
from attention_audit.stages.job import Job
from attention_audit.stages.reading import read_corpus

Settings = CorpusJob


def word_vectors(job: Job[CorpusJob], vocabulary: Vocabulary) -> WordVectors | None:
    """Vectors by word, read from a file or trained, as the settings say; None where they ask for none."""
    vectors = job.settings.vectors
    if vectors is None:
        return None
    if isinstance(vectors, VectorFile):
        found = read_vectors(job.input("vectors"), vocabulary.rows.keys(), vectors.dimension, vectors.member)
    else:
        found = train_vectors(WordLists(job.output("corpus"), ["train", "dev"]), vectors, job.report)
    return of_length_one(found) if vectors.normalise else found


def make_vocabulary(job: Job[CorpusJob]) -> None:
    """Count the words of the training texts, and find their vectors where the run does not start from random ones.

    Raises AuditError where no word is in enough of these texts.
    """
    min_df = job.settings.corpus.min_df
    vocabulary = build_vocabulary(WordLists(job.output("corpus"), ["train"]), min_df)
    if not vocabulary.rows and job.settings.corpus.trained:
        raise AuditError(f"{job.settings.dataset}: no word is in {min_df} training texts; lower min_df")
    job.report(f"{len(vocabulary.rows)} words")
    vectors = word_vectors(job, vocabulary)
    if vectors is not None:
        types, tokens = coverage(vocabulary, vectors)
        job.report(f"vectors for {types:.1%} of the words, which are {tokens:.1%} of the training tokens")
    write_table(job.output("vocabulary"), VOCABULARY, vocabulary_columns(vocabulary, vectors), job.provenance)


def run(job: Job[CorpusJob]) -> None:
    """Make the three files, each from what came before it."""
    check_recorded(job.inputs.get("records", []))
    read_corpus(job)
    make_vocabulary(job)
