import numpy as np
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from small_corpora import corpus_of

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.columns.files import CORPUS, VOCABULARY
from attention_audit.corpus.vocabulary import WordLists, build_columns, build_vocabulary

TEXTS = [["b", "a", "a"], ["c", "a", "\u00e9"], ["b", "Z"]]


@pytest.fixture
def vocabulary():
    return build_vocabulary(TEXTS)


@pytest.mark.parametrize("min_df", [1, 2])
def test_words_are_those_of_the_authors_vectoriser(min_df):
    """A word counts once a text, however often it stands there."""
    texts = [*TEXTS, ["b", "b", "c", "e", "e"]]
    reference = CountVectorizer(min_df=min_df, lowercase=False, token_pattern=None, tokenizer=str.split)
    reference.fit(" ".join(tokens) for tokens in texts)
    assert build_vocabulary(texts, min_df).words[4:] == reference.get_feature_names_out().tolist()


def encoded(vocabulary, texts):
    rows, lengths = vocabulary.encode(pa.array(texts, pa.list_(pa.string())))
    return rows.tolist(), lengths.tolist()


def test_texts_are_rows_between_marks(vocabulary):
    column = pa.array([["b"], ["a", "unheard-of", "Z"], ["\u00e9"]])
    found = vocabulary.encode(column[1:])
    assert (found.rows.tolist(), found.lengths.tolist()) == ([2, 5, 1, 4, 3, 2, 8, 3], [3, 1])
    # a word that is spelt like a mark is none
    assert encoded(build_vocabulary([["a", "<pad>"]]), [["<pad>"]]) == ([2, 4, 3], [1])
    assert encoded(vocabulary, [["<pad>"]]) == ([2, 1, 3], [1])


def test_encoding_of_texts_without_words(vocabulary):
    assert encoded(vocabulary, [[], ["a"], []]) == ([2, 3, 2, 5, 3, 2, 3], [0, 1, 0])
    assert encoded(vocabulary, [[]]) == ([2, 3], [0])
    assert encoded(vocabulary, []) == ([], [])


def test_columns_fit_the_schema(vocabulary):
    vectors = {word: np.array([1, 2], np.float32) for word in ("a", "<unk>")}
    rows = pa.table(build_columns(vocabulary, vectors), schema=VOCABULARY.schema).to_pylist()
    assert [row["word"] for row in rows] == ["<pad>", "<unk>", "<sos>", "<eos>", "Z", "a", "b", "c", "\u00e9"]
    assert rows[1] == {"index": 1, "word": "<unk>", "train_count": 0, "vector": None}
    assert rows[5] == {"index": 5, "word": "a", "train_count": 3, "vector": [1.0, 2.0]}
    assert pa.table(build_columns(vocabulary, {}), schema=VOCABULARY.schema)["vector"].null_count == 9


def test_word_lists_are_those_of_the_splits_in_every_row_group(tmp_path, provenance, monkeypatch):
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    tables = [corpus_of([("train", 0, "a b"), ("test", 1, "c")]), corpus_of([("dev", 0, "d")])]
    write_batches(tmp_path / "corpus.parquet", CORPUS, tables, provenance)
    texts = WordLists(tmp_path / "corpus.parquet", ["train", "dev"])
    assert list(texts) == list(texts) == [["a", "b"], ["d"]]


def test_a_pair_is_two_texts_of_one_vocabulary(tmp_path, provenance):
    pair = corpus_of([("train", 0, "a b"), ("train", 1, "d")], query=[["b", "c"], None])
    write_table(tmp_path / "corpus.parquet", CORPUS, pair, provenance)
    texts = list(WordLists(tmp_path / "corpus.parquet", ["train"]))
    assert sorted(texts) == [["a", "b"], ["b", "c"], ["d"]]
    assert build_vocabulary(texts, min_df=2).words[4:] == ["b"]
