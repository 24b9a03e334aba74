"""The settings of a job that reads a data set and makes its vocabulary."""

from attention_audit.corpus.formats import Corpus
from attention_audit.corpus.vectors import Vectors
from attention_audit.section import Section


class CorpusJob(Section):
    """One data set to read.

    files: the fields of `corpus` that name its raw files, in the order of the inputs. reading_code: hash of the code
    that reads them, without that which makes the vocabulary; a corpus that carries it, with the same settings and raw
    files, is kept. vectors: the word vectors of the data set, null for random ones.
    """

    dataset: str
    corpus: Corpus
    files: list[str]
    reading_code: str
    vectors: Vectors | None
