"""The job of a data set: its three files, what it says, and what it refuses."""

from pathlib import Path

import pytest
from in_process import run_stage
from refusal import refusal

from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.files import CENSUS, CORPUS, VOCABULARY
from attention_audit.corpus.sources import CorpusJob

TABLE = "split,label,text\ntrain,0,a a b\ntrain,1,b c\ndev,0,d a\ndev,1,d\ntest,0,e a\ntest,1,e a\n"
FILE = {"kind": "file", "path": "own.vec", "dimension": 2}


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Makes the three files of mine.csv, and gives what was said and the words of the vocabulary without the marks."""
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text(TABLE)
    Path("own.vec").write_text("a 1 2\nd 3 4\n")

    def run(vectors=None, **corpus):
        source = {"kind": "table", "path": "mine.csv", "split": "split", **corpus}
        settings = {"dataset": "mine", "corpus": source, "files": ["path"], "vectors": vectors}
        inputs = {"raw": [Path("mine.csv")], "vectors": [Path("own.vec")]}
        outputs = {name: [Path(f"{name}.parquet")] for name in ("corpus", "census", "vocabulary")}
        said = run_stage("prepare", CorpusJob.model_validate(settings), inputs, outputs)
        return said, read_table(Path("vocabulary.parquet"), VOCABULARY).to_pylist()[4:]

    return run


def test_the_vocabulary_is_of_the_training_texts_and_as_min_df_says(make):
    said, rows = make()
    assert [(row["index"], row["word"], row["train_count"]) for row in rows] == [(4, "a", 2), (5, "b", 2), (6, "c", 1)]
    assert said[-1] == "3 words"
    assert all(row["vector"] is None for row in rows)
    assert [row["word"] for row in make(min_df=2)[1]] == ["b"]
    assert "mine: no word is in 3 training texts; lower min_df" in refusal(make, min_df=3)


def test_vectors_are_those_of_the_file(make):
    said, rows = make(FILE)
    assert [row["vector"] for row in rows] == [[1, 2], None, None]
    assert said[-1] == "vectors for 1 of them"
    assert "mine: its word vectors are of none of its words; " in refusal(make, FILE, min_df=2)
    _, rows = make({**FILE, "normalise": True})
    assert rows[0]["vector"] == pytest.approx([1 / 5**0.5, 2 / 5**0.5])


def test_vectors_are_trained_on_train_and_dev(make):
    """Of the words of train, a stands 3 times in both, b twice and c once; test would make 5 of a's."""
    said, rows = make({"kind": "word2vec", "dimension": 8, "min_count": 3, "epochs": 1})
    assert [row["vector"] and len(row["vector"]) for row in rows] == [8, None, None]
    assert "word2vec: 1 words, 8 tokens" in said
    assert "no word occurs 4 times" in refusal(make, {"kind": "word2vec", "dimension": 8, "min_count": 4})


def test_corpus_and_census_are_of_the_file_as_it_is(make):
    make()
    assert read_table(Path("census.parquet"), CENSUS)["kept"].to_pylist() == [1] * 6
    Path("mine.csv").write_text(f"{TABLE}test,1,f\n")
    make()
    assert read_table(Path("census.parquet"), CENSUS)["kept"].to_pylist() == [1] * 5 + [2]
    assert read_table(Path("corpus.parquet"), CORPUS).num_rows == 7
    Path("mine.csv").unlink()
    assert "mine.csv: not there; replace the file" in refusal(make)
