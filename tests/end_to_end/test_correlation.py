"""Jain & Wallace's tests alone, on tiny single texts and pairs: what their run holds."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from folder import Folder, assert_rendered, fresh, kind_of

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.correlation import CORRELATION
from attention_audit.columns.readout import HEAD, READOUT

# one worker, so that the run is made once
pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("correlated")]

TABLES = {"jw_table1_performance", "jw_table2_correlation", "jw_table_conicity", "jw_table_evidence"}
FIGURES = {"jw_fig_correlation", "jw_fig_permutation", "jw_fig_adversary", "jw_fig_agreement"}


@pytest.fixture(scope="module")
def correlated(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which `all` has run with neither of the other papers' tests; do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("correlated") / "audit")
    rows = (f'{{"text": "a b{i % 5} c{i % 3}", "question": "d {i % 2}", "label": {i % 2}}}\n' for i in range(80))
    (folder.path / "pairs.jsonl").write_text("".join(rows))
    pairs = {"kind": "table", "path": "pairs.jsonl", "query": "question", "tokens": {"tokenizer": "spaces"}}
    folder.overlay(
        datasets=[],
        corpora={"chorus": {"texts": {"train": 64, "dev": 32, "test": 32}}, "pairs": pairs},
        jain_wallace={
            "datasets": ["chorus", "pairs"],
            "models": ["lstm_tanh", "average_tanh"],
            "recipes": {"default": {"epochs": 1, "hidden": 8, "embedding": 8}},
        },
    )
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    return folder


def test_its_tables_and_figures_are_there_and_all_parquet_is_as_declared(correlated: Folder) -> None:
    results = correlated.path / "results"
    assert {path.stem for path in (results / "tables").iterdir()} >= TABLES
    assert {path.stem for path in (results / "figures").iterdir()} == FIGURES
    assert_rendered(correlated, TABLES, FIGURES)
    files = list(results.rglob("*.parquet"))
    audits = {"jw_performance", "correlation", "agreement", "conicity", "permutation", "jw_adversary", "jw_evidence"}
    assert {path.stem for path in files} >= audits | {"head"}
    for path in files:
        assert pq.read_schema(path).remove_metadata().equals(kind_of(path).schema), path


@pytest.mark.parametrize("model", ["lstm_tanh", "average_tanh"])
@pytest.mark.parametrize(("dataset", "classes"), [("chorus", []), ("pairs", [0, 1])])
def test_pairs_alone_have_candidates_and_a_head(
    correlated: Folder, dataset: str, model: str, classes: list[int]
) -> None:
    folder: Path = correlated.path / f"results/readouts/{dataset}/{model}/seed10"
    readout = read_frame(folder / "test.parquet", READOUT)
    candidates = [[] if found is None else list(found) for found in readout["candidates"]]
    assert candidates == [classes] * len(readout)
    assert read_frame(folder / "head.parquet", HEAD)["class"].tolist() == classes
    audited = read_frame(correlated.path / f"results/audits/{dataset}/correlation.parquet", CORRELATION)
    assert set(audited.loc[audited["model"] == model, "id"]) == set(readout["id"])
