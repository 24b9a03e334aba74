"""The one place that knows which reader makes which kind of data set."""

from __future__ import annotations

from pathlib import Path

from attention_audit.corpus.controls import generate
from attention_audit.corpus.instances import Instance, check_instances, filter_lengths
from attention_audit.corpus.settings import ControlCorpus, Corpus
from attention_audit.corpus.sst import read_sst


def read_texts(name: str, corpus: Corpus, raw: Path | None) -> list[Instance]:
    """All texts of a data set, of any length. `raw`: folder of its raw files; None for a generated corpus."""
    if isinstance(corpus, ControlCorpus):
        return generate(name, corpus)
    if raw is None:
        raise ValueError(f"{name}: a corpus of kind {corpus.kind} is read from raw files")
    return read_sst(name, raw / corpus.archive.file)


def read_corpus(name: str, corpus: Corpus, raw: Path | None) -> list[Instance]:
    """The texts to audit: those of `read_texts` that pass the length filter.

    Raises AuditError where a raw file is damaged or the corpus can not be audited.
    """
    texts = read_texts(name, corpus, raw)
    if not isinstance(corpus, ControlCorpus):
        texts = filter_lengths(texts, corpus.length)
    check_instances(name, texts)
    return texts
