"""A run of readouts from elsewhere: nothing is trained, and all that can be asked comes out."""

from math import isnan

import pytest
from elsewhere import made, write_all
from folder import assert_rendered, fresh

from attention_audit.questions import QUESTIONS

# one worker, so that the run is made once
pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("readouts")]
TEXTS_GIVEN = 30
FIGURES = [
    "own_fig_attention_maps", "own_fig_tvd_jsd", "own_fig_contributions", "own_fig_permutation", "own_fig_adversary",
    "own_fig_fraction_removed",
]  # fmt: skip
TABLES = [
    "own_table_performance", "own_table_comparison", "summary", "texts"
]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A folder in which two trainings, a twin and an adversary were audited. Do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("readouts") / "audit")
    entry = write_all(folder.path / "given", TEXTS_GIVEN)
    folder.overlay(datasets=[], own={"reviews": entry}, instance_adversary={"steps": 20, "restarts": 1})
    outcome = folder.make("all", network=False)
    assert outcome.jobs()["import_readout"] == 4
    assert not {rule for rule in outcome.jobs() if rule.startswith(("train", "search", "attribution"))}
    assert "reviews, Your own models, mine" in outcome.text
    return folder


def test_everything_is_made_with_nothing_trained(run):
    assert_rendered(run, TABLES, FIGURES)
    results = run.path / "results"
    assert not (results / "models").exists()
    page = (results / "report.html").read_text()
    assert "Your own models" in page
    assert "what notebooks call" not in page


def test_the_answers_are_those_of_what_was_given(run):
    (row,) = run.frame("tables/summary.parquet").to_dict("records")
    assert (row["dataset"], row["suite"], row["model"], row["seeds"]) == ("reviews", "own", "mine", 2)
    assert {name for name in QUESTIONS if isnan(row[f"{name}_value"])} == {"located", "transferable"}
    assert "of the 100 texts needed" in row["used_reason"]
    texts = run.frame("tables/texts.parquet")
    assert sorted(texts["id"]) == sorted(made(1, TEXTS_GIVEN).ids)
    assert set(texts["prediction_name"]) <= {"negative", "positive"}
