"""The words of the training split and their rows in the embedding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Vectors = Mapping[str, npt.NDArray[np.float32]]

MARKS = ("<pad>", "<unk>", "<sos>", "<eos>")
UNKNOWN, START, END = 1, 2, 3


@dataclass(frozen=True)
class Vocabulary:
    """The word of each row of the embedding, the four marks first; `counts`: how often the training texts hold it."""

    words: list[str]
    counts: list[int]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each word. Marks are not words: a text can not hold one."""
        return {word: row for row, word in enumerate(self.words) if row >= len(MARKS)}

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Rows of the tokens between a start and an end mark; a word out of vocabulary is <unk>."""
        return [START, *(self.rows.get(token, UNKNOWN) for token in tokens), END]


def build_vocabulary(texts: Iterable[Sequence[str]], min_df: int = 1) -> Vocabulary:
    """The words that at least `min_df` of the training texts hold, in alphabetic order."""
    counts: Counter[str] = Counter()
    texts_with: Counter[str] = Counter()
    for tokens in texts:
        counts.update(tokens)
        texts_with.update(set(tokens))
    words = sorted(word for word in counts if texts_with[word] >= min_df)
    return Vocabulary([*MARKS, *words], [0] * len(MARKS) + [counts[word] for word in words])


class Coverage(NamedTuple):
    """Share of the vocabulary's words, and of the training tokens they stand for, that have a pretrained vector."""

    types: float
    tokens: float


def coverage(vocabulary: Vocabulary, vectors: Vectors) -> Coverage:
    """How much of the vocabulary, marks apart, `vectors` cover."""
    counts = {word: vocabulary.counts[row] for word, row in vocabulary.rows.items()}
    found = [word for word in counts if word in vectors]
    return Coverage(len(found) / len(counts), sum(counts[word] for word in found) / sum(counts.values()))


def vocabulary_columns(vocabulary: Vocabulary, vectors: Vectors | None = None) -> dict[str, list[Any]]:
    """The columns of `schema.VOCABULARY`, one row an embedding row; without `vectors` no word has one."""
    found = [vectors.get(word) if vectors else None for word in vocabulary.words[len(MARKS) :]]
    return {
        "index": list(range(len(vocabulary.words))),
        "word": vocabulary.words,
        "train_count": vocabulary.counts,
        "vector": [None] * len(MARKS) + found,
    }
