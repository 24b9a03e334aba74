"""The settings of the jobs that make corpora."""

from __future__ import annotations

from attention_audit.corpus.formats import Corpus
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.vectors import Vectors
from attention_audit.section import Count, Section


class FetchJob(Section):
    """One file to fetch: its entry in the configuration, and the homepage of those who have it ("" for none)."""

    folder: str
    remote: RemoteFile
    homepage: str


class CorpusJob(Section):
    """One data set to read. files: the fields of `corpus` that name its raw files, in the order of the inputs."""

    dataset: str
    corpus: Corpus
    files: list[str]


class VocabularyJob(Section):
    """The vocabulary of one data set. vectors: its word vectors, null for random ones."""

    dataset: str
    min_df: Count
    vectors: Vectors | None
