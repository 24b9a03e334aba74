"""The settings of a job that reads a data set and makes its vocabulary."""

from attention_audit.corpus.source import Vectors
from attention_audit.corpus.sources import Corpus
from attention_audit.section import Section


class CorpusJob(Section):
    """One data set to read.

    files: the fields of `corpus` that name its raw files, in the order of the inputs. vectors: the word vectors of the
    data set, null for random ones.
    """

    dataset: str
    corpus: Corpus
    files: list[str]
    vectors: Vectors | None
