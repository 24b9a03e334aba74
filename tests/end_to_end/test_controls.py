"""The control corpora, in the default run's sizes: the tests find what is there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml
from folder import ROOT, Folder

from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.schema import CONTROLS

pytestmark = pytest.mark.end_to_end


def test_every_claim_holds(new_folder: Callable[[], Folder]) -> None:
    folder = new_folder()
    overlay = yaml.safe_load((ROOT / "config.yaml").read_text())
    # the claims do not touch the consistent adversary beyond its being there
    overlay["adversary"] |= {"lambdas": [0.01], "epochs": 1}
    overlay["training"]["further_seeds"] = [50, 257]
    overlay["serrano_smith"]["models"] = ["han_none", "flan_none"]
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    outcome = folder.run("controls")
    assert outcome.status == 0, outcome.text
    claims = read_frame(folder.path / "results/tables/controls.parquet", CONTROLS)
    assert set(claims["dataset"]) == {"needle", "chorus", "static", "digest"}
    assert len(claims) == 8
    assert claims["holds"].all(), claims.to_string()
