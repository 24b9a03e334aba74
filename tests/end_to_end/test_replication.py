"""A run of a data set that the papers have: their numbers beside ours, and what a reader must know to compare them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable

import pytest
from folder import Folder

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.replication import REPLICATION
from attention_audit.columns.table import TABLE

pytestmark = pytest.mark.end_to_end


def test_published_numbers_stand_beside_ours(new_folder: Callable[[], Folder]) -> None:
    folder = new_folder()
    archive = folder.path / "mirror/sst/trainDevTestTrees_PTB.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as trees:
        for split in ("train", "dev", "test"):
            texts = (
                f"({4 * (i % 2)} (2 a) (2 b{i % 5}) (2 c{i % 3}) (2 d) (2 e) (2 f) (2 g{i % 7}))" for i in range(60)
            )
            # the filter drops the longest
            longest = f"(0 {' '.join(['(2 a)'] * 30)})"
            trees.writestr(f"trees/{split}.txt", "\n".join([*texts, longest]))
    folder.overlay(
        datasets=[],
        mirror="mirror",
        corpora={"sst": {"archive": {"bytes": None, "sha256": None}}},
        jain_wallace={
            "datasets": ["sst"],
            "models": ["average_tanh"],
            "seeds": [10, 50],
            "recipes": {"default": {"epochs": 1, "hidden": 8, "embedding": 8}},
        },
    )
    outcome = folder.run("replication")
    assert outcome.status == 0, outcome.text
    found = read_frame(folder.path / "results/tables/replication.parquet", REPLICATION)
    assert set(found["dataset"]) == {"sst"}
    sizes = found[(found["paper"] == "WP2019") & (found["table"] == "Table 1")].set_index(["row", "metric"])
    assert sizes.loc[("train", "negative"), ["published", "ours", "difference"]].tolist() == [3034, 30, -3004]
    assert sizes.loc[("train", "negative"), "within_seeds"] == "no"
    assert sizes["note"].str.contains("data not as in the paper: archive changed").all()
    models = found[found["paper"] == "JW2019"]
    assert {"Table 1", "Table 2"} == set(models["table"])
    assert (models["seeds"] == 2).all()
    assert models["note"].str.contains("our word vectors: random; hidden 8, the paper's 128").all()
    ours = read_frame(folder.path / "results/tables/jw_table1_performance.parquet", TABLE)
    compared = models[models["table"] == "Table 1"]
    assert len(compared) == ours["published"].notna().sum()
    assert compared["ours"].tolist() == ours.loc[ours["published"].notna(), "mean"].tolist()
    text = (folder.path / "results/tables/replication.md").read_text()
    assert "## Jain & Wallace 2019, table 2" in text
