"""The Stanford Sentiment Treebank itself, where a mirror holds it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from folder import ROOT, Folder

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.audits import PERFORMANCE
from attention_audit.columns.tables import TABLE

MIRROR = Path(os.environ.get("ATTENTION_AUDIT_MIRROR") or "nowhere")

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.whole,
    pytest.mark.skipif(
        not (MIRROR / "sst/trainDevTestTrees_PTB.zip").is_file(),
        reason="ATTENTION_AUDIT_MIRROR names no folder with sst/trainDevTestTrees_PTB.zip",
    ),
]


def test_sst_has_the_papers_sizes_and_is_learnt(new_folder: Callable[[], Folder]) -> None:
    folder = new_folder()
    overlay = yaml.safe_load((ROOT / "presets/sst-quick.yaml").read_text())
    overlay["results"] = "results"
    overlay["mirror"] = str(MIRROR.resolve())
    # W&P's whole suite is the dear one, and other runs have it
    overlay["audits"] = {"jw": ["performance"]}
    overlay["jain_wallace"] = {"datasets": ["sst"], "models": ["lstm_tanh"], "seeds": [10, 50]}
    overlay["jain_wallace"]["recipe"] = {"epochs": 3, "hidden": 32, "embedding": 32, "first_epoch": True}
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    fetched = folder.run("results/raw/sst/trainDevTestTrees_PTB.zip")
    assert fetched.status == 0, fetched.text
    outcome = folder.run("wp_table1", "jw_table1", network=False)
    assert outcome.status == 0, outcome.text
    sizes = read_frame(folder.path / "results/tables/wp_table1_datasets.parquet", TABLE)
    compared = sizes[sizes["published"].notna() & sizes["metric"].isin(["negative", "positive"])]
    assert compared["mean"].tolist() == compared["published"].tolist() == [3034, 3321, 863, 862]
    performance = read_frame(folder.path / "results/audits/sst/lstm_tanh/performance.parquet", PERFORMANCE)
    f1 = performance.query("metric == 'f1'")["value"]
    assert len(f1) == 2
    # the majority class alone gives 0.666
    assert f1.min() > 0.7
