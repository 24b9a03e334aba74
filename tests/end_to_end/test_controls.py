"""The control corpora, in the default run's sizes: the tests find what is there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml
from folder import ROOT, Folder

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.controls import CONTROLS

pytestmark = pytest.mark.end_to_end


RUNS: dict[str, tuple[list[str], int]] = {"needle": (["needle"], 8), "others": (["chorus", "static", "beacon"], 19)}
"""Data sets, and how many claims there are of them."""
SEEDS = [10, 50, 257]
"""Three show what the default run claims of five, except for what is said of W&P's models of the other data sets."""


@pytest.mark.parametrize("run", RUNS)
def test_every_claim_holds(new_folder: Callable[[], Folder], run: str) -> None:
    datasets, claimed = RUNS[run]
    folder = new_folder()
    overlay = yaml.safe_load((ROOT / "config.yaml").read_text())
    if run == "needle":
        overlay["training"] |= {"further_seeds": SEEDS[1:]}
    overlay["datasets"] = datasets
    digest = ["digest"] if run == "others" else []
    overlay["serrano_smith"] |= {"datasets": digest, "models": ["han_none", "flan_none"]}
    single = ["needle"] if run == "needle" else ["unison", "debate", "lottery"]
    overlay["jain_wallace"] |= {"datasets": single, "models": ["average_tanh"]}
    overlay["models"]["lottery"]["jain_wallace"]["seeds"] = SEEDS
    overlay["deception"] |= {"datasets": ["needle"] if run == "needle" else [], "seeds": SEEDS}
    # no claim is made of the adversaries from scratch, nor of agreement; of the search, of needle alone
    overlay["adversary"] |= {"lambdas": [0.01], "epochs": 1}
    if run == "others":
        overlay["adversary"]["continuation"] |= {"steps": 1, "epochs": 1}
    overlay["instance_adversary"] |= {"steps": 1}
    overlay["agreement"] |= {"texts": 4, "steps": 4}
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    outcome = folder.run("controls")
    assert outcome.status == 0, outcome.text
    claims = read_frame(folder.path / "results/tables/controls.parquet", CONTROLS)
    assert set(claims["dataset"]) == {*datasets, *digest, *single}
    assert len(claims) == claimed
    assert claims["holds"].all(), claims.to_string()
