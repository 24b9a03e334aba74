"""Vectors that are read from a file, or trained on a corpus: what they learn, and that a seed decides them."""

import numpy as np
import pytest
from published import pack
from pydantic import ValidationError
from refusal import refusal
from tables_on_disk import write_bytes

from attention_audit.corpus.source import TrainedVectors, VectorFile
from attention_audit.corpus.vocabulary import read_vectors, scale_vectors
from attention_audit.stages.prepare import MAX_GENSIM_WORDS, Runs, train_vectors

PLAIN = b"the 0.5 -1 2e-1\ncat 1 2 3\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.txt", PLAIN),
        ("header.vec", b"2 3\n" + PLAIN),
        ("trailing.vec", b"2 3 \n" + PLAIN.replace(b"\n", b" \n")),
        ("windows.txt", PLAIN.replace(b"\n", b"\r\n")),
        ("packed.vec.gz", b"2 3\n" + PLAIN),
    ],
)
def test_formats(tmp_path, name, content):
    vectors = read_vectors(write_bytes(tmp_path / name, content), {"the", "cat", "dog"}, 3)
    assert {vector.dtype for vector in vectors.values()} == {np.dtype(np.float32)}
    assert {word: vector.tolist() for word, vector in vectors.items()} == {
        "the": [0.5, -1.0, np.float32(0.2)],
        "cat": [1.0, 2.0, 3.0],
    }


def test_words_with_spaces_numbers_and_accents(tmp_path):
    content = "the 1 1\n. . . 2 2\nat name@domain.com 3 3\n1999 4 4\ncaf\u00e9 5 5\nnew\u00a0york 6 6\n".encode()
    # a word that is not in utf-8 is none that is wanted, and of two entries of a word the first one counts
    content = content.replace(b"the 1 1\n", b"caf\xe9 1 1\n") + b"1999 7 7\n"
    wanted = [". . .", "at name@domain.com", "1999", "caf\u00e9", "new\u00a0york"]
    vectors = read_vectors(write_bytes(tmp_path / "vectors.txt", content), wanted, 2)
    assert {word: vector.tolist() for word, vector in vectors.items()} == {
        word: [at, at] for at, word in enumerate(wanted, start=2)
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a 1 2\nb 1 2 3\n", "line 2: 3 numbers, not 2"),
        (b"a 0.25 -1.5e-05 .5 3\n", "line 1: 4 numbers, not 2"),
        (b"a 1 2\n\nb 1 2\n", "line 2: 0 numbers, not 2"),
        (b"2 3\na 1 2 3\n", "line 1: 3 numbers a word, not 2"),
        (b"a 1 2\nb 1 x\n", "line 2: a field is no number"),
        (b"a 1 nan\nb 1 2\n", "line 1: a field is no number"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, content, message):
    assert f": {message}" in refusal(read_vectors, write_bytes(tmp_path / "vectors.txt", content), ["a", "b"], 2)


@pytest.mark.parametrize(
    ("members", "member"),
    [
        ({"folder/": b"", "folder/glove.txt": PLAIN}, None),
        ({"narrow.txt": b"cat 1 2\n", "wide.txt": PLAIN}, "wide.txt"),
    ],
)
def test_a_file_of_a_zip_is_read(tmp_path, members, member):
    assert read_vectors(pack(tmp_path / "vectors.zip", members), ["cat"], 3, member)["cat"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("members", "member", "message"),
    [
        ({"a.txt": PLAIN, "b.txt": PLAIN}, None, "holds a.txt, b.txt; name one as `member`"),
        ({"a.txt": PLAIN}, "b.txt", "holds a.txt; name one as `member`"),
        ({"a.txt": b"cat 1 2\n"}, None, "line 1: 2 numbers, not 3"),
    ],
)
def test_a_zip_with_other_files(tmp_path, members, member, message):
    path = pack(tmp_path / "vectors.zip", members)
    assert refusal(read_vectors, path, ["cat"], 3, member).startswith(f"{path}: {message}")


def test_a_binary_file_is_refused_without_being_read_whole(tmp_path):
    path = write_bytes(tmp_path / "vectors.txt", b"2 3\nthe " + b"\x01" * 2**21)
    assert "line 2: 1 numbers, not 3" in refusal(read_vectors, path, ["the"], 3)


def test_only_a_zip_has_members():
    with pytest.raises(ValidationError, match=r"member: wiki\.vec is no \.zip"):
        VectorFile(kind="file", file="wiki.vec", member="wiki.vec", dimension=300)


def test_vectors_of_length_one_keep_their_direction():
    vectors = {"a": np.array([3, -4], np.float32), "b": np.array([0.5, 0], np.float32), "c": np.zeros(2, np.float32)}
    scaled = {word: vector.tolist() for word, vector in scale_vectors(vectors).items()}
    assert scaled == {"a": pytest.approx([0.6, -0.8]), "b": [1, 0], "c": [0, 0]}


FRUIT, TOOLS = ["apple", "fig", "pear", "plum"], ["axe", "file", "saw", "vice"]


def settings(**given):
    return TrainedVectors(kind="word2vec", dimension=6, **given)


@pytest.fixture(scope="module")
def texts():
    """Each about fruit or about tools."""
    random = np.random.default_rng(0)
    return [random.choice([FRUIT, TOOLS][number % 2], 12).tolist() for number in range(400)]


@pytest.mark.parametrize("skip_gram", [False, True])
def test_words_of_like_contexts_have_like_vectors(texts, skip_gram):
    vectors = scale_vectors(train_vectors(texts, settings(skip_gram=skip_gram, epochs=20), lambda line: None))
    matrix = np.stack([vectors[word] for word in FRUIT + TOOLS])
    likeness = matrix @ matrix.T
    assert min(likeness[:4, :4].min(), likeness[4:, 4:].min()) > likeness[:4, 4:].max()


def test_the_seed_decides(texts):
    def trained(seed):
        vectors = train_vectors(texts, settings(seed=seed), lambda line: None)
        return {word: vector.tobytes() for word, vector in vectors.items()}

    assert trained(1) == trained(1)
    assert trained(1) != trained(2)


def test_a_long_text_is_cut_and_nothing_of_it_lost():
    from gensim.models.word2vec import MAX_WORDS_IN_BATCH

    assert MAX_GENSIM_WORDS == MAX_WORDS_IN_BATCH  # where gensim would drop words
    words = [str(number) for number in range(2 * MAX_GENSIM_WORDS + 1)]
    runs = list(Runs([["a"], words]))
    assert [len(run) for run in runs] == [1, MAX_GENSIM_WORDS, MAX_GENSIM_WORDS, 1]
    assert [word for run in runs[1:] for word in run] == words


def test_each_epoch_is_reported(texts):
    lines = []
    train_vectors(texts, settings(epochs=2), lines.append)
    assert [line.partition(", ")[0] for line in lines] == [
        "word2vec: epoch 1/2",
        "word2vec: epoch 2/2",
        "word2vec: 8 words",
    ]
