"""The job of a data set: its three files, and what it says where the raw file is gone."""

from pathlib import Path
from typing import Any

import pytest
from in_process import run_stage

from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.corpus import CENSUS, CORPUS, VOCABULARY
from attention_audit.errors import AuditError
from attention_audit.jobs.corpus import CorpusJob

WORDS = ["good", "bad"]


class Own:
    """A data set in a csv of one's own, made again and again with other settings."""

    def __init__(self, folder: Path) -> None:
        self.raw = folder / "mine.csv"
        self.outputs = {name: folder / f"{name}.parquet" for name in ("corpus", "census", "vocabulary")}
        self.write(6)

    def write(self, texts: int) -> None:
        """Write the raw file: so many texts of each class in every split."""
        rows = [
            f"{split},{label},a {WORDS[label]} film {number}"
            for split in ("train", "dev", "test")
            for label in (0, 1)
            for number in range(texts)
        ]
        self.raw.write_text("\n".join(["split,label,text", *rows, ""]))

    def make(
        self,
        vectors: dict[str, Any] | None = None,
        vector_file: Path | None = None,
        **corpus: Any,
    ) -> None:
        """Make the three files."""
        source = {"kind": "table", "path": str(self.raw), "text": "text", "label": "label", "split": "split", **corpus}
        settings = {
            "dataset": "mine", "corpus": source, "files": ["path"], "vectors": vectors,
        }  # fmt: skip
        outputs = {name: [path] for name, path in self.outputs.items()}
        inputs = {"raw": [self.raw], "vectors": [vector_file] if vector_file else []}
        run_stage("prepare", CorpusJob.model_validate(settings), inputs, outputs)

    def words(self) -> int:
        """How many words the vocabulary has, without the four marks."""
        return read_table(self.outputs["vocabulary"], VOCABULARY).num_rows - 4


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A data set whose files are made."""
    own = Own(tmp_path)
    own.make()
    return own


def test_the_vocabulary_is_as_min_df_and_the_vectors_say(own: Own) -> None:
    assert own.words() == len({"a", "film", *WORDS}) + 6
    own.make(min_df=6)
    assert own.words() == len({"a", "film", *WORDS})
    own.make(vectors={"kind": "word2vec", "dimension": 4, "min_count": 2, "epochs": 1})
    vectors = read_table(own.outputs["vocabulary"], VOCABULARY)["vector"].to_pylist()
    assert {len(vector) for vector in vectors if vector is not None} == {4}
    mine = own.raw.with_suffix(".vec")
    mine.write_text("good 3 4\nbad 0 2\n")
    for normalise, good in ((False, [3, 4]), (True, [0.6, 0.8])):
        entry = {"kind": "file", "path": str(mine), "dimension": 2, "normalise": normalise}
        own.make(vectors=entry, vector_file=mine)
        read = read_table(own.outputs["vocabulary"], VOCABULARY).to_pydict()
        assert dict(zip(read["word"], read["vector"], strict=True))["good"] == pytest.approx(good)


def test_corpus_and_census_are_of_the_file_as_it_is(own: Own) -> None:
    assert read_table(own.outputs["census"], CENSUS)["kept"].to_pylist() == [6] * 6
    own.write(5)
    own.make()
    assert read_table(own.outputs["census"], CENSUS)["kept"].to_pylist() == [5] * 6
    assert read_table(own.outputs["corpus"], CORPUS).num_rows == 30


def test_a_raw_file_that_is_gone_is_named(own: Own) -> None:
    own.raw.unlink()
    with pytest.raises(AuditError, match=r"mine\.csv: not there; replace the file"):
        own.make()
