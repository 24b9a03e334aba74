"""Vectors trained on a corpus: what they learn, and that a seed decides them."""

from typing import Any

import numpy as np
import pytest

from attention_audit.corpus.vectors import TrainedVectors, of_length_one
from attention_audit.errors import AuditError
from attention_audit.stages.prepare import LONGEST, Runs, train_vectors

FRUIT, TOOLS = ["apple", "fig", "pear", "plum"], ["axe", "file", "saw", "vice"]


def settings(**given: Any) -> TrainedVectors:
    return TrainedVectors(kind="word2vec", dimension=6, **given)


@pytest.fixture(scope="module")
def texts() -> list[list[str]]:
    """Each about fruit or about tools."""
    random = np.random.default_rng(0)
    return [random.choice([FRUIT, TOOLS][number % 2], 12).tolist() for number in range(400)]


@pytest.mark.parametrize("skip_gram", [False, True])
def test_words_of_like_contexts_have_like_vectors(texts: list[list[str]], skip_gram: bool) -> None:
    vectors = of_length_one(train_vectors(texts, settings(skip_gram=skip_gram, epochs=20), lambda line: None))
    matrix = np.stack([vectors[word] for word in FRUIT + TOOLS])
    likeness = matrix @ matrix.T
    assert likeness[:4, :4].min() > likeness[:4, 4:].max()
    assert likeness[4:, 4:].min() > likeness[:4, 4:].max()


def test_the_seed_decides(texts: list[list[str]]) -> None:
    def trained(seed: int) -> dict[str, bytes]:
        vectors = train_vectors(texts, settings(seed=seed), lambda line: None)
        return {word: vector.tobytes() for word, vector in vectors.items()}

    assert trained(1) == trained(1)
    assert trained(1) != trained(2)


def test_each_epoch_is_reported(texts: list[list[str]]) -> None:
    lines: list[str] = []
    train_vectors(texts, settings(epochs=2), lines.append)
    assert [line.partition(", ")[0] for line in lines] == [
        "word2vec: 8 words",
        "word2vec: epoch 1/2",
        "word2vec: epoch 2/2",
    ]


def test_rare_words_have_no_vector() -> None:
    words = ["a"] * 3 + ["b"] * 2
    assert list(train_vectors([words], settings(min_count=3), lambda line: None)) == ["a"]
    with pytest.raises(AuditError, match="no word occurs 4 times in the texts; lower its min_count"):
        train_vectors([words], settings(min_count=4), lambda line: None)


def test_a_long_text_is_cut_and_nothing_of_it_lost() -> None:
    words = [str(number) for number in range(2 * LONGEST + 1)]
    runs = list(Runs([["a"], words]))
    assert [len(run) for run in runs] == [1, LONGEST, LONGEST, 1]
    assert [word for run in runs[1:] for word in run] == words


def test_the_cut_is_where_gensim_would_drop_words() -> None:
    from gensim.models.word2vec import MAX_WORDS_IN_BATCH

    assert LONGEST == MAX_WORDS_IN_BATCH
