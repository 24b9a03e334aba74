"""The Stanford Sentiment Treebank itself, where a mirror holds it."""

import os
from pathlib import Path

import pytest
import yaml
from folder import ROOT

MIRROR = Path(os.environ.get("ATTENTION_AUDIT_MIRROR") or "nowhere")

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(
        not (MIRROR / "sst/trainDevTestTrees_PTB.zip").is_file(),
        reason="ATTENTION_AUDIT_MIRROR names no folder with sst/trainDevTestTrees_PTB.zip",
    ),
]


def test_sst_has_the_papers_sizes_and_is_learnt(new_folder):
    folder = new_folder()
    overlay = yaml.safe_load((ROOT / "presets/sst-quick.yaml").read_text())
    recipe = {"epochs": 3, "hidden": 32, "embedding": 32, "first_epoch": True}
    overlay |= {
        "results": "results",
        "mirror": str(MIRROR.resolve()),
        # W&P's whole suite is the dear one, and other runs have it
        "audits": {"jw": ["performance"]},
        "jain_wallace": {"datasets": ["sst"], "models": ["lstm_tanh"], "seeds": [10, 50], "recipe": recipe},
    }
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    folder.make("results/raw/sst/trainDevTestTrees_PTB.zip")
    folder.make("wp_table1", "jw_table1", network=False)
    sizes = folder.frame("tables/wp_table1_datasets.parquet")
    compared = sizes[sizes["published"].notna() & sizes["metric"].isin(["negative", "positive"])]
    assert compared["mean"].tolist() == compared["published"].tolist() == [3034, 3321, 863, 862]
    performance = folder.frame("audits/sst/lstm_tanh/performance.parquet")
    f1 = performance.query("metric == 'f1'")["value"]
    assert len(f1) == 2
    # the majority class alone gives 0.666
    assert f1.min() > 0.7
