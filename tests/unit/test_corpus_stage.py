"""The job of a data set: when it keeps a corpus of an earlier run, and when it reads the raw files again."""

from pathlib import Path
from typing import Any

import pytest
from in_process import run_stage

from attention_audit.artefacts.files import checksum
from attention_audit.artefacts.parquet import read_provenance, read_table
from attention_audit.columns.corpus import CENSUS, CORPUS, VOCABULARY
from attention_audit.errors import AuditError
from attention_audit.jobs.corpus import CorpusJob

KEPT = "the corpus of an earlier run, read from the same files with the same settings and code"
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
        reading_code: str = "same",
        vectors: dict[str, Any] | None = None,
        vector_file: Path | None = None,
        **corpus: Any,
    ) -> bool:
        """Make the three files; whether the corpus was kept."""
        source = {"kind": "table", "path": str(self.raw), "text": "text", "label": "label", "split": "split", **corpus}
        settings = {
            "dataset": "mine", "corpus": source, "files": ["path"], "reading_code": reading_code, "vectors": vectors,
        }  # fmt: skip
        before = self.outputs["corpus"].stat().st_mtime_ns if self.outputs["corpus"].exists() else None
        outputs = {name: [path] for name, path in self.outputs.items()}
        inputs = {"raw": [self.raw], "vectors": [vector_file] if vector_file else []}
        said = run_stage("corpus", CorpusJob.model_validate(settings), inputs, outputs)
        assert (KEPT in said) == (self.outputs["corpus"].stat().st_mtime_ns == before)
        return KEPT in said

    def words(self) -> int:
        """How many words the vocabulary has, without the four marks."""
        return read_table(self.outputs["vocabulary"], VOCABULARY).num_rows - 4


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A data set whose files are made."""
    own = Own(tmp_path)
    assert not own.make()
    return own


def test_what_decides_the_vocabulary_alone_reads_no_raw_file(own: Own) -> None:
    assert own.words() == len({"a", "film", *WORDS}) + 6
    assert own.make(min_df=6)
    assert own.words() == len({"a", "film", *WORDS})
    assert own.make(vectors={"kind": "word2vec", "dimension": 4, "min_count": 2, "epochs": 1})
    vectors = read_table(own.outputs["vocabulary"], VOCABULARY)["vector"].to_pylist()
    assert {len(vector) for vector in vectors if vector is not None} == {4}
    mine = own.raw.with_suffix(".vec")
    mine.write_text("good 3 4\nbad 0 2\n")
    for normalise, good in ((False, [3, 4]), (True, [0.6, 0.8])):
        entry = {"kind": "file", "path": str(mine), "dimension": 2, "normalise": normalise}
        assert own.make(vectors=entry, vector_file=mine)
        read = read_table(own.outputs["vocabulary"], VOCABULARY).to_pydict()
        assert dict(zip(read["word"], read["vector"], strict=True))["good"] == pytest.approx(good)


def test_other_code_another_setting_or_another_file_reads_again(own: Own) -> None:
    assert own.make()
    assert not own.make(reading_code="edited")
    assert not own.make(reading_code="edited", length={"below": 99})
    own.write(5)
    assert not own.make(reading_code="edited", length={"below": 99})
    assert read_table(own.outputs["corpus"], CORPUS).num_rows == 30


@pytest.mark.parametrize("file", ["corpus", "census"])
def test_a_damaged_file_is_made_again_to_the_same_bytes(own: Own, file: str) -> None:
    before = {name: path.read_bytes() for name, path in own.outputs.items()}
    content = bytearray(before[file])
    content[-20] ^= 1
    own.outputs[file].write_bytes(content)
    assert not own.make()
    assert {name: path.read_bytes() for name, path in own.outputs.items()} == before


def test_corpus_and_census_say_which_raw_file_they_were_made_of(own: Own) -> None:
    for name in ("corpus", "census"):
        record = read_provenance(own.outputs[name])
        assert record["inputs_sha256"] == {"raw": [checksum(own.raw)]}
        assert not {"min_df", "vectors"} & record["settings"]["corpus"].keys()
    assert read_table(own.outputs["census"], CENSUS)["kept"].to_pylist() == [6] * 6


def test_a_raw_file_that_is_gone_is_named(own: Own) -> None:
    own.raw.unlink()
    with pytest.raises(AuditError, match=r"mine\.csv: cannot be read \(No such file or directory\)"):
        own.make()
