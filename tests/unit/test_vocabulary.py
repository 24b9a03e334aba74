from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from attention_audit.artefacts.schema import VOCABULARY
from attention_audit.corpus.vocabulary import Vocabulary, build_vocabulary, coverage, vocabulary_columns

TEXTS = [["b", "a", "a"], ["c", "a", "\u00e9"], ["b", "Z"]]
MARKS = ["<pad>", "<unk>", "<sos>", "<eos>"]


@pytest.fixture
def vocabulary() -> Vocabulary:
    return build_vocabulary(TEXTS)


def test_marks_come_first_then_words_in_order(vocabulary: Vocabulary) -> None:
    assert vocabulary.words == [*MARKS, "Z", "a", "b", "c", "\u00e9"]
    assert vocabulary.counts == [0, 0, 0, 0, 1, 3, 2, 1, 1]


@pytest.mark.parametrize("min_df", [1, 2, 3])
def test_words_are_those_of_the_authors_vectoriser(min_df: int) -> None:
    """A word counts once a text: "a" stands three times in two texts."""
    texts = [*TEXTS, ["b", "b", "c"]]
    reference = CountVectorizer(min_df=min_df, lowercase=False, token_pattern=None, tokenizer=str.split)
    reference.fit(" ".join(tokens) for tokens in texts)
    assert build_vocabulary(texts, min_df).words[4:] == reference.get_feature_names_out().tolist()


def test_encoding(vocabulary: Vocabulary) -> None:
    assert vocabulary.encode(["a", "unheard-of", "Z"]) == [2, 5, 1, 4, 3]
    assert vocabulary.encode([]) == [2, 3]


def test_a_word_spelt_like_a_mark_is_no_mark() -> None:
    assert build_vocabulary([["a", "<pad>"]]).encode(["<pad>"]) == [2, 4, 3]
    assert build_vocabulary([["a"]]).encode(["<pad>"]) == [2, 1, 3]


def test_coverage_by_hand(vocabulary: Vocabulary) -> None:
    """a and b of the five words, 5 of the 8 tokens; a vector for a mark or an unknown word counts for nothing."""
    vectors = {word: np.zeros(2, np.float32) for word in ("a", "b", "<unk>", "unheard-of")}
    assert coverage(vocabulary, vectors) == (2 / 5, 5 / 8)


def test_columns_fit_the_schema(vocabulary: Vocabulary) -> None:
    vectors = {word: np.array([1, 2], np.float32) for word in ("a", "<unk>")}
    rows = pa.table(vocabulary_columns(vocabulary, vectors), schema=VOCABULARY.schema).to_pylist()
    assert rows[1] == {"index": 1, "word": "<unk>", "train_count": 0, "vector": None}
    assert rows[5] == {"index": 5, "word": "a", "train_count": 3, "vector": [1.0, 2.0]}
    assert rows[6] == {"index": 6, "word": "b", "train_count": 2, "vector": None}


def test_columns_without_vectors(vocabulary: Vocabulary) -> None:
    table = pa.table(vocabulary_columns(vocabulary), schema=VOCABULARY.schema)
    assert table["vector"].null_count == table.num_rows == 9
