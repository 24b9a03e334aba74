"""From files to the network: texts encoded split by split, their sentences, vectors, references joined by id."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from networks import make_architecture
from small_corpora import corpus_of

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.columns.files import CORPUS, READOUT, VOCABULARY
from attention_audit.corpus.vocabulary import build_columns, build_vocabulary
from attention_audit.errors import AuditError
from attention_audit.model.batch import Split
from attention_audit.stages.loading import build_model, build_split, read_material

CPU = torch.device("cpu")
TEXTS = [
    ("test", 2, "a z"),
    ("train", 0, "b"),
    ("dev", 1, "z c"),
    ("train", 1, "c a"),
    ("test", 0, "a b c"),
    ("train", 0, "a"),
]


architecture = partial(make_architecture, "affine", "uniform", embedding=2)


@pytest.fixture
def read(tmp_path, provenance, monkeypatch):
    """Read a corpus in two row groups, its splits in any order, with these columns; and its vocabulary a, b, c with
    vectors for b and c.
    """
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    corpus, vocabulary = tmp_path / "corpus.parquet", tmp_path / "vocabulary.parquet"
    words = build_vocabulary(text.split() for split, _, text in TEXTS if split == "train")
    vectors = {"b": np.array([1, 2], np.float32), "c": np.array([3, 4], np.float32)}
    write_table(vocabulary, VOCABULARY, build_columns(words, vectors), provenance)

    def write_and_read(model=None, hides=False, cut=0, **columns):
        table = corpus_of(TEXTS, **columns)
        write_batches(corpus, CORPUS, [table[:3], table[3:]], provenance)
        if cut:
            corpus.write_bytes(corpus.read_bytes()[:-cut])
        files = {"corpus": [corpus], "vocabulary": [vocabulary]}
        return read_material(files, model or architecture(), hides)

    return write_and_read


@pytest.fixture
def material(read):
    return read(architecture(pretrained=True))


def test_texts_are_encoded_between_marks_split_by_split(material):
    assert {name: texts.ids for name, texts in material.splits.items()} == {
        "train": ["text-1", "text-3", "text-5"],
        "dev": ["text-2"],
        "test": ["text-0", "text-4"],
    }
    assert list(material.splits) == ["train", "dev", "test"]
    train, dev = material.splits["train"], material.splits["dev"]
    assert train.texts.flat.tolist() == [2, 5, 3, 2, 6, 4, 3, 2, 4, 3]
    assert train.lengths.tolist() == [1, 2, 1]
    assert train.labels.tolist() == [0, 1, 0]
    # an unknown word is marked
    assert dev.texts.flat.tolist() == [2, 1, 6, 3]
    # classes are counted over all splits
    assert (material.classes, material.words) == (3, 7)


def test_words_without_a_vector_have_nan_and_start_at_zero(material):
    expected = np.array([[np.nan, np.nan]] * 5 + [[1, 2], [3, 4]], np.float32)
    np.testing.assert_array_equal(material.vectors, expected)
    weight = build_model(material, architecture(pretrained=True), seed=0).embedding.weight
    assert weight.tolist() == np.nan_to_num(expected).tolist()


def test_words_without_a_vector_may_be_drawn_with_the_seed(material):
    drawn = architecture(pretrained=True).model_copy(update={"missing": "normal"})
    one, again, other = (build_model(material, drawn, seed).embedding.weight for seed in (0, 0, 1))
    assert torch.equal(one, again)
    # padding is zero, marks and the word without a vector are drawn, the others are as they were
    assert one[0].tolist() == [0, 0]
    assert (one[1:5] != 0).all()
    assert (one[1:5] != other[1:5]).all()
    assert one[5:].tolist() == [[1, 2], [3, 4]]


def test_without_pretrained_vectors_none_are_read(read):
    material = read()
    assert material.vectors is None
    assert build_model(material, architecture(), seed=0).embedding.weight[4:].all()


def test_a_reference_is_joined_by_id(material, tmp_path, provenance, random_readout):
    path = tmp_path / "train.parquet"
    readout = random_readout([9, 1, 9, 2, 9, 1], outputs=3)
    write_table(path, READOUT, readout.columns(), provenance)
    batch = build_split(material.splits["train"], CPU, path).batch(np.array([0, 1]))
    np.testing.assert_array_equal(batch.attention, [[1, 0], readout.attention[3]])
    np.testing.assert_array_equal(batch.probabilities, readout.probabilities[[1, 3]])


SENTENCES = [[0], [0], [0, 1], [0, 1], [0, 2], [0]]


def test_sentences_are_read_for_a_hierarchical_model(read):
    material = read(architecture(hierarchical=True), sentences=SENTENCES)
    train = build_split(material.splits["train"], CPU).batch(np.array([1, 0]))
    assert [group.words.tolist() for group in train.documents.groups] == [[[6], [4], [5]]]
    assert train.documents.places.tolist() == [[0, 1], [2, 0]]
    assert train.items.tolist() == [2, 1]
    test = build_split(material.splits["test"], CPU)
    assert test.items.tolist() == [1, 2]
    assert test.widths.tolist() == [2, 2]


def test_a_flat_model_reads_no_sentences(read):
    split = build_split(read(sentences=SENTENCES).splits["train"], CPU)
    assert split.items.tolist() == split.lengths.tolist() == [1, 2, 1]


def test_attention_is_to_keep_away_from_impermissible_words(read):
    words = [[1], None, [0, 1], [1], None, [0]]
    splits = read(hides=True, blocked=words).splits
    marked = {
        name: build_split(texts, CPU).batch(np.arange(len(texts.ids))).impermissible for name, texts in splits.items()
    }
    assert {name: hidden.tolist() for name, hidden in marked.items() if hidden is not None} == {
        "train": [[False, False], [False, True], [True, False]],
        "dev": [[True, True]],
        "test": [[False, True, False], [False, False, False]],
    }
    honest = read(blocked=words).splits["train"]
    assert build_split(honest, CPU).batch(np.array([0])).impermissible is None


def test_the_marks_of_a_transformer_are_permitted():
    # texts of one and two words, each between two marks
    split = Split(np.zeros(7, np.int64), [1, 2], [0, 0], CPU, impermissible=[True, False, True], marks=2)
    hidden = split.batch(np.arange(2)).impermissible
    assert hidden.tolist() == [[True, False, False, False], [False, True, False, False]]


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (
            {"hides": True, "blocked": [[0], None, [0], None, [0], None]},
            r"no training text has impermissible words, .* name another",
        ),
        (
            {"model": architecture(hierarchical=True), "sentences": [*SENTENCES[:3], None, [0, 2], None]},
            r"text 'text-3': no sentence boundaries, .*; set `tokens\.sentences: true`",
        ),
        ({"cut": 10}, "truncated or corrupt Parquet; rebuild"),
    ],
)
def test_a_corpus_without_what_a_model_reads_is_one_line(read, asked, line):
    with pytest.raises(AuditError, match=rf"corpus\.parquet: {line}"):
        read(**asked)


def test_what_a_transformer_has_not_read_is_cut_off(material):
    # one, two and one words, of which the first word of the second is impermissible
    train, first = (
        replace(material.splits["train"], impermissible=np.array([False, True, False, True])),
        np.zeros(1, int),
    )
    assert train.cut([first, np.arange(2), first]).texts.flat.tolist() == train.texts.flat.tolist()
    for place, word in enumerate((6, 4)):
        shorter = train.cut([first, first + place, first])
        assert shorter.texts.flat.tolist() == [2, 5, 3, 2, word, 3, 2, 4, 3]
        assert shorter.impermissible.tolist() == [False, place == 0, True]
