"""The words of the training split with their rows in the embedding; and how to read published word vectors, which have
one word and its numbers on a line.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.arrays import Floats32, Integers, Integers32
from attention_audit.artefacts.parquet import read_batches
from attention_audit.columns.files import CORPUS
from attention_audit.errors import AuditError

from .raw import LONGEST_LINE, open_members, open_raw, report_damage
from .text import list_few

WordVectors = dict[str, Floats32]
"""The vector of each word, (dimension,)."""
VECTOR_NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?")
VOCABULARY_MARKS = ("<pad>", "<unk>", "<sos>", "<eos>")
UNKNOWN_ROW, START_ROW, END_ROW = 1, 2, 3
TEXTS_A_BATCH = 1024
"""How many texts are in memory as Python strings at a time."""


@contextmanager
def open_vectors(path: Path, member: str | None) -> Iterator[IO[bytes]]:
    """Open a vector file as a stream, unpacked where it ends in .gz or .zip.

    Raises AuditError as `raw.report_damage` does, and where a file in a zip archive is not there, or not the only one.
    """
    if path.suffix != ".zip":
        with open_raw(path) as stream:
            yield stream
        return
    with report_damage(path), zipfile.ZipFile(path) as archive:
        names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    chosen = [name for name in names if member in (None, name)]
    if len(chosen) != 1:
        raise AuditError(path, f"holds {list_few(names) or 'nothing'}", "name one as `member` in the config")
    for _, stream in open_members(path, re.escape(chosen[0])):
        yield stream


def read_vectors(path: Path, words: Collection[str], dimension: int, member: str | None = None) -> WordVectors:
    """Read the vectors (dimension,) of those `words` that the file has; where a word occurs twice, the first vector.

    The file is read line by line and words are compared as bytes, so neither its size nor invalid UTF-8 matters. The
    last `dimension` fields of a line are the vector; the word before them may contain spaces, as some of GloVe's do. A
    first line of two whole numbers is word2vec's header. Raises AuditError, naming the line, at a line that does not
    have `dimension` numbers.
    """
    wanted = {word.encode(): word for word in words}
    vectors: WordVectors = {}
    mend = "mend its dimension in the config, or the file"
    with open_vectors(path, member) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), start=1):
            if number == 1 and (header := re.fullmatch(rb"[0-9]+ ([0-9]+)\s*", line)):
                if int(header[1]) != dimension:
                    raise AuditError(f"{path}: line 1", f"{int(header[1])} numbers a word, not {dimension}", mend)
                continue
            word, *fields = line.rstrip().rsplit(b" ", dimension)
            # parts of the word that are numbers, except its first part, are of a longer vector
            count = len(fields) + sum(VECTOR_NUMBER.fullmatch(part) is not None for part in word.split(b" ")[1:])
            if count != dimension:
                raise AuditError(f"{path}: line {number}", f"{count} numbers, not {dimension}", mend)
            if word in wanted and wanted[word] not in vectors:
                with suppress(ValueError), np.errstate(over="ignore"):
                    vectors[wanted[word]] = np.array([*map(float, fields)]).astype(np.float32)
                if not np.isfinite(vectors.get(wanted[word], np.nan)).all():
                    raise AuditError(f"{path}: line {number}", "a field is no number", "mend the file")
    return vectors


def scale_vectors(vectors: WordVectors) -> WordVectors:
    """Divide each vector by its Euclidean length; zeros stay as they are."""
    return {word: vector / (np.linalg.norm(vector) or 1) for word, vector in vectors.items()}


@dataclass(frozen=True)
class WordLists:
    """Words of each text of some splits; every iteration reads them from the start. A pair counts as two texts."""

    corpus: Path
    splits: Sequence[str]

    def __iter__(self) -> Iterator[list[str]]:
        wanted = pa.array(self.splits)
        for table in read_batches(self.corpus, CORPUS, ["split", "tokens", "query"]):
            members = table.filter(pc.is_in(table["split"], wanted))
            for batch in members.to_batches(TEXTS_A_BATCH):
                yield from batch["tokens"].to_pylist()
                yield from batch["query"].drop_null().to_pylist()


class Encoded(NamedTuple):
    """N texts as rows of the embedding, one after another, each between both marks; lengths (N,) without marks."""

    rows: Integers32
    lengths: Integers


@dataclass(frozen=True)
class Vocabulary:
    """The word of each row of the embedding, the four marks first. counts: how often each occurs in training texts."""

    words: list[str]
    counts: list[int]

    @cached_property
    def rows(self) -> dict[str, int]:
        """Return the row of each word. Marks are not words: no text contains one."""
        return {word: row for row, word in enumerate(self.words) if row >= len(VOCABULARY_MARKS)}

    def encode(self, texts: pa.ListArray) -> Encoded:
        """Find the rows of the words of each text, between both marks; an unknown word has the row of <unk>."""
        lengths = texts.value_lengths().to_numpy().astype(np.int64)
        words = pa.array(self.words[len(VOCABULARY_MARKS) :], pa.string())
        index = pc.index_in(texts.flatten(), value_set=words).fill_null(UNKNOWN_ROW - len(VOCABULARY_MARKS)).to_numpy()
        ends = np.cumsum(lengths + 2)
        rows = np.zeros(lengths.sum() + 2 * len(lengths), np.int32)
        rows[ends - lengths - 2] = START_ROW
        rows[ends - 1] = END_ROW
        rows[rows == 0] = index + len(VOCABULARY_MARKS)
        return Encoded(rows, lengths)


def build_vocabulary(texts: Iterable[Sequence[str]], min_df: int = 1) -> Vocabulary:
    """Find the words that occur in at least `min_df` of the training texts, in alphabetic order."""
    counts: Counter[str] = Counter()
    texts_with: Counter[str] = Counter()
    for tokens in texts:
        counts.update(tokens)
        texts_with.update(set(tokens))
    words = sorted(word for word in counts if texts_with[word] >= min_df)
    return Vocabulary([*VOCABULARY_MARKS, *words], [0] * len(VOCABULARY_MARKS) + [counts[word] for word in words])


def build_columns(vocabulary: Vocabulary, vectors: WordVectors) -> dict[str, list[Any]]:
    """Build the columns that columns.files.VOCABULARY declares, with a row for each row of the embedding.

    The column `vector` is null where `vectors` have no word.
    """
    return {
        "index": list(range(len(vocabulary.words))),
        "word": vocabulary.words,
        "train_count": vocabulary.counts,
        "vector": [None] * len(VOCABULARY_MARKS)
        + [vectors.get(word) for word in vocabulary.words[len(VOCABULARY_MARKS) :]],
    }
