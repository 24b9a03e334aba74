"""The control corpora, in the sizes of their preset: the tests find what is there, and nothing else."""

import pytest
import yaml
from folder import ROOT

pytestmark = pytest.mark.whole


SEEDS = [10, 50, 257, 500231, 100078]
"""Of honest models, liars and lottery; of W&P's models the first three show what the preset claims of five."""


def asked(single, datasets, digest=False):
    """The preset, of W&P's suite on some data sets and J&W's on others.

    It leaves out what no claim is made of: adversaries from scratch, per-instance adversaries, and agreement; and, but
    of needle, liars.
    """
    overlay = yaml.safe_load((ROOT / "presets" / "controls.yaml").read_text())
    del overlay["results"]
    overlay["datasets"] = datasets
    overlay["serrano_smith"] |= {"datasets": ["digest"] if digest else [], "models": ["han_none", "flan_none"]}
    overlay["jain_wallace"] |= {"datasets": single, "models": ["average_tanh"]}
    overlay["overrides"]["lottery"]["jain_wallace"]["seeds"] = SEEDS
    overlay["adversary"] |= {"lambdas": [0.01], "epochs": 1}
    if "needle" in datasets:
        # it has the longest texts, and no claim is made of W&P's models that runs them again
        overlay["audits"] = {
            "wp": ["performance", "predictions", "stability", "comparison", "consistency", "permutation", "evidence"]
        }
        overlay["training"] |= {"further_seeds": SEEDS[1:3]}
        overlay["deception"] |= {"datasets": ["needle"], "seeds": SEEDS}
    else:
        overlay["deception"] |= {"datasets": []}
    overlay["instance_adversary"] = {"steps": 1}
    overlay["agreement"] |= {"texts": 4, "steps": 4}
    return overlay


@pytest.mark.parametrize(
    ("overlay", "claimed"),
    [
        pytest.param(asked(["needle"], ["needle", "poll"]), 29, id="needle and poll"),
        pytest.param(asked(["unison", "debate"], ["beacon"], digest=True), 36, id="beacon and others"),
        pytest.param(asked(["lottery"], ["chorus", "static"]), 18, id="chorus and others", marks=pytest.mark.full),
    ],
)
def test_every_claim_holds(new_folder, overlay, claimed):
    folder = new_folder()
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    folder.make("controls")
    claims = folder.frame("tables/controls.parquet")
    suites = ("serrano_smith", "jain_wallace", "deception")
    assert set(claims["dataset"]) == {*overlay["datasets"]}.union(*(overlay[suite]["datasets"] for suite in suites))
    assert len(claims) == claimed
    assert claims["holds"].all(), claims.to_string()
