"""The control corpora, in the default run's sizes: the tests find what is there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from folder import ROOT, Folder

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.controls import CONTROLS

pytestmark = pytest.mark.end_to_end


# needle is the dear one: what is claimed of it, three seeds show too
RUNS: dict[str, tuple[list[str], dict[str, Any], int]] = {
    "needle": (["needle"], {"further_seeds": [50, 257]}, 8),
    "others": (["chorus", "static", "beacon"], {}, 19),
}


@pytest.mark.parametrize("run", RUNS)
def test_every_claim_holds(new_folder: Callable[[], Folder], run: str) -> None:
    datasets, seeds, claimed = RUNS[run]
    folder = new_folder()
    overlay = yaml.safe_load((ROOT / "config.yaml").read_text())
    # the claims do not touch the adversaries from scratch beyond their being there
    overlay["adversary"] |= {"lambdas": [0.01], "epochs": 1}
    overlay["instance_adversary"] |= {"steps": 1}
    overlay["training"] |= seeds
    overlay["datasets"] = datasets
    digest = ["digest"] if run == "others" else []
    overlay["serrano_smith"] |= {"datasets": digest, "models": ["han_none", "flan_none"]}
    single = ["needle"] if run == "needle" else ["unison", "debate", "lottery"]
    overlay["jain_wallace"] |= {"datasets": single, "models": ["average_tanh"]}
    overlay["deception"] |= {"datasets": ["needle"] if run == "needle" else []}
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    outcome = folder.run("controls")
    assert outcome.status == 0, outcome.text
    claims = read_frame(folder.path / "results/tables/controls.parquet", CONTROLS)
    assert set(claims["dataset"]) == {*datasets, *digest, *single}
    assert len(claims) == claimed
    assert claims["holds"].all(), claims.to_string()
