"""The words of the training split and their rows in the embedding."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.arrays import Integers, Integers32
from attention_audit.artefacts.parquet import read_batches
from attention_audit.columns.files import CORPUS

from .vectors import WordVectors

MARKS = ("<pad>", "<unk>", "<sos>", "<eos>")
UNKNOWN, START, END = 1, 2, 3
AT_ONCE = 1024
"""How many texts are in memory as Python strings at a time."""


@dataclass(frozen=True)
class WordLists:
    """The words of each text of some splits; every iteration reads them from the start. A pair counts as two texts."""

    corpus: Path
    splits: Sequence[str]

    def __iter__(self) -> Iterator[list[str]]:
        wanted = pa.array(self.splits)
        for table in read_batches(self.corpus, CORPUS, ["split", "tokens", "query"]):
            members = table.filter(pc.is_in(table["split"], wanted))
            for batch in members.to_batches(AT_ONCE):
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
        """The row of each word. Marks are not words: no text contains one."""
        return {word: row for row, word in enumerate(self.words) if row >= len(MARKS)}

    @cached_property
    def _value_set(self) -> pa.Array:
        return pa.array(self.words[len(MARKS) :], pa.string())

    def encode(self, texts: pa.ListArray) -> Encoded:
        """The rows of the words of each text between a start and an end mark; an unknown word has the row of <unk>."""
        lengths = texts.value_lengths().to_numpy().astype(np.int64)
        index = pc.index_in(texts.flatten(), value_set=self._value_set).fill_null(UNKNOWN - len(MARKS)).to_numpy()
        ends = np.cumsum(lengths + 2)
        rows = np.zeros(lengths.sum() + 2 * len(lengths), np.int32)
        rows[ends - lengths - 2] = START
        rows[ends - 1] = END
        rows[rows == 0] = index + len(MARKS)
        return Encoded(rows, lengths)


def build_vocabulary(texts: Iterable[Sequence[str]], min_df: int = 1) -> Vocabulary:
    """The words that occur in at least `min_df` of the training texts, in alphabetic order."""
    counts: Counter[str] = Counter()
    texts_with: Counter[str] = Counter()
    for tokens in texts:
        counts.update(tokens)
        texts_with.update(set(tokens))
    words = sorted(word for word in counts if texts_with[word] >= min_df)
    return Vocabulary([*MARKS, *words], [0] * len(MARKS) + [counts[word] for word in words])


def coverage(vocabulary: Vocabulary, vectors: WordVectors) -> tuple[float, float]:
    """The shares of the vocabulary's words, without marks, and of the training tokens, that have a vector."""
    covered = [word in vectors for word in vocabulary.words[len(MARKS) :]]
    return float(np.mean(covered)), float(np.average(covered, weights=vocabulary.counts[len(MARKS) :]))


def vocabulary_columns(vocabulary: Vocabulary, vectors: WordVectors | None = None) -> dict[str, list[Any]]:
    """The columns that columns.files.VOCABULARY declares, with a row for each row of the embedding.

    Without `vectors`, the column `vector` is null everywhere.
    """
    own = [vectors.get(word) if vectors else None for word in vocabulary.words[len(MARKS) :]]
    return {
        "index": list(range(len(vocabulary.words))),
        "word": vocabulary.words,
        "train_count": vocabulary.counts,
        "vector": [None] * len(MARKS) + own,
    }
