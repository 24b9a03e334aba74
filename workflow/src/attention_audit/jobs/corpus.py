"""The settings of a job that reads a data set."""

from __future__ import annotations

from attention_audit.corpus.formats import Corpus
from attention_audit.section import Section


class CorpusJob(Section):
    """One data set to read. files: the fields of `corpus` that name its raw files, in the order of the inputs."""

    dataset: str
    corpus: Corpus
    files: list[str]
