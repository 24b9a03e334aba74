"""The job of a data set: its three files, and what it says where the raw file is gone."""

from pathlib import Path

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

    def make(self) -> None:
        """Make the three files."""
        source = {"kind": "table", "path": str(self.raw), "split": "split"}
        settings = {"dataset": "mine", "corpus": source, "files": ["path"], "vectors": None}
        outputs = {name: [path] for name, path in self.outputs.items()}
        run_stage("prepare", CorpusJob.model_validate(settings), {"raw": [self.raw]}, outputs)


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A data set whose files are made."""
    own = Own(tmp_path)
    own.make()
    return own


def test_corpus_and_census_are_of_the_file_as_it_is(own: Own) -> None:
    assert read_table(own.outputs["census"], CENSUS)["kept"].to_pylist() == [6] * 6
    own.write(5)
    own.make()
    assert read_table(own.outputs["census"], CENSUS)["kept"].to_pylist() == [5] * 6
    assert read_table(own.outputs["corpus"], CORPUS).num_rows == 30
    # without the four marks
    assert read_table(own.outputs["vocabulary"], VOCABULARY).num_rows - 4 == len({"a", "film", *WORDS}) + 5


def test_a_raw_file_that_is_gone_is_named(own: Own) -> None:
    own.raw.unlink()
    with pytest.raises(AuditError, match=r"mine\.csv: not there; replace the file"):
        own.make()
