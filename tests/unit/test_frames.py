"""What the functions of tables and figures are called with."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.files import CORPUS
from attention_audit.columns.tables import CONTROLS
from attention_audit.jobs.exhibit import ExhibitJob, FileOf, ReadSpec
from attention_audit.stages.frames import read_arguments, to_categorical
from attention_audit.stages.job import Job


def test_lists_become_columns_as_many_as_the_longest_has():
    lists = pa.chunked_array([[[1, 2, 3], [4], None], [[], [5, 6]]], pa.list_(pa.int32()))
    table = to_categorical(pa.table({"word": list("aabbc"), "n": lists}))
    assert table.column_names == ["word", "n_0", "n_1", "n_2"]
    assert table["n_0"].to_pylist() == [1, 4, None, None, 5]
    assert table["n_2"].to_pylist() == [3, None, None, None, None]
    assert pa.types.is_dictionary(table["word"].type)
    empty = pa.table({"n": pa.chunked_array([], pa.list_(pa.int32()))})
    assert to_categorical(empty).column_names == []


def read(path: Path, provenance: Provenance, **spec: Any) -> Any:
    """What a table or figure is called with that reads one file."""
    plain = {"columns": [], "split": "", "categories": False, "each": False, "suites": False, "needed": True}
    settings = ExhibitJob(
        exhibit="some", target="", suite="", reads={"it": ReadSpec(**plain | spec)}, settings={}, takes=[], models={},
        titles={}, fetched={}, font=[],
    )  # fmt: skip
    return read_arguments(Job(settings, {"it": [path]}, {}, provenance, lambda line: None))["it"]


def test_of_a_corpus_some_columns_of_one_split_are_read(tmp_path: Path, provenance: Provenance) -> None:
    path = tmp_path / "corpus.parquet"
    text = {column.name: None for column in CORPUS.columns}
    text |= {"label": 0, "label_name": "no", "tokens": ["a", "b"], "sentences": [0], "text": "a b"}
    rows = [text | {"id": f"x-{split}", "split": split} for split in ("train", "test")]
    write_table(path, CORPUS, pa.Table.from_pylist(rows, schema=CORPUS.schema), provenance)
    columns = ["id", "split", "tokens"]
    of_test = {"columns": columns, "split": "test", "files": [FileOf(name="x")]}
    frame = read(path, provenance, source="corpus", declared="columns.files:CORPUS", **of_test)["x"]
    assert list(frame.columns) == columns
    assert frame["id"].tolist() == ["x-test"]
    assert frame["tokens"].map(list).tolist() == [["a", "b"]]


def test_of_a_table_the_rows_of_one_data_set_are_read(tmp_path: Path, provenance: Provenance) -> None:
    path = tmp_path / "controls.parquet"
    row: dict[str, Any] = {**CONTROLS.blank, "claim": "it is", "statistic": "one", "value": 1.0}
    write_table(path, CONTROLS, pd.DataFrame([{**row, "dataset": name} for name in ("x", "y")]), provenance)
    for only, names in (("", ["x", "y"]), ("y", ["y"])):
        found = read(path, provenance, source="table", declared="columns.tables:CONTROLS", files=[], only=only)
        assert found["dataset"].tolist() == names
