"""The settings of a job that makes a vocabulary."""

from __future__ import annotations

from attention_audit.corpus.vectors import Vectors
from attention_audit.section import Count, Section


class VocabularyJob(Section):
    """The vocabulary of one data set. vectors: its word vectors, null for random ones."""

    dataset: str
    min_df: Count
    vectors: Vectors | None
