"""A run of readouts from elsewhere: nothing is trained, and all that can be asked comes out."""

from pathlib import Path

import pytest
from elsewhere import write_all
from folder import assert_rendered, fresh

pytestmark = pytest.mark.whole
FIGURES = [
    "own_fig_attention_maps", "own_fig_tvd_jsd", "own_fig_permutation", "own_fig_fraction_removed",
]  # fmt: skip
TABLES = ["own_table_performance", "own_table_comparison", "summary", "texts"]


def test_everything_is_made_with_nothing_trained(tmp_path, monkeypatch):
    """Of two trainings, a twin and an adversary."""
    folder = fresh(tmp_path / "audit")
    monkeypatch.chdir(folder.path)
    entry = write_all(Path("given"), texts=30)
    folder.overlay(datasets=[], own={"reviews": entry}, instance_adversary={"steps": 20, "restarts": 1})
    outcome = folder.make("all", network=False)
    assert outcome.jobs()["import_readout"] == 4
    assert not {rule for rule in outcome.jobs() if rule.startswith(("train", "search", "attribution"))}
    assert "reviews, Your own models, mine" in outcome.text
    assert_rendered(folder, TABLES, FIGURES)
    assert not (folder.path / "results/models").exists()
    page = (folder.path / "results/report.html").read_text()
    assert "Your own models" in page
    assert "what notebooks call" not in page
