"""Two trainings of a Transformer classifier, given as folders: imported, asked everything, and shown."""

import json

import classifiers_on_disk
import pandas as pd
import pytest
from folder import assert_rendered, fresh
from transformers_on_disk import LETTERS

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("classifiers")]

TABLES = [f"hf_table_{name}" for name in ("performance", "comparison", "heads", "correlation")]
FIGURES = [f"hf_fig_{name}" for name in ("attention_maps", "fraction_removed")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run of two classifiers on a generated corpus, whose classes are 0 and 1."""
    folder = fresh(tmp_path_factory.mktemp("classifiers") / "run")
    for seed in range(2):
        names = ("LABEL_1", "LABEL_0")
        classifiers_on_disk.save(folder.path / f"models/{seed}", names=names, seed=seed, words=LETTERS)
    folder.overlay(datasets=[], hf={"chorus": {"models": {"tiny": ["models/0", "models/1"]}, "max_length": 32}})
    folder.make(*TABLES, *FIGURES, "texts", network=False)
    return folder


def test_tables_and_figures_are_made(run):
    assert_rendered(run, TABLES, FIGURES)


def test_every_audit_has_rows_of_both_trainings(run):
    audits = run.path / "results/audits/chorus/hf_tiny"
    for name in ("permutation", "heads", "contributions", "ranked_sets", "correlation", "located", "evidence"):
        rows = pd.read_parquet(audits / f"{name}.parquet")
        assert set(rows["seed"]) == {1, 2}, name
        assert set(rows["model"]) == {"tiny"}, name
    compared = pd.read_parquet(audits / "comparison.parquet")
    assert set(zip(compared["model"], compared["seed"], strict=True)) == {("tiny", 2), ("imposed", 1)}


def test_marks_are_shown_and_are_no_top_words(run):
    maps = pd.read_parquet(run.path / "results/audits/chorus/hf_tiny/attention_maps.parquet")
    for _, map_ in maps.groupby(["id", "weights"]):
        assert [*map_["token"][-2:]] == ["[CLS]", "[SEP]"]
        assert map_["attention"].sum() == pytest.approx(1, abs=1e-5)
    texts = pd.read_parquet(run.path / "results/tables/texts.parquet")
    assert not texts["words"].explode().isin(["[CLS]", "[SEP]"]).any()


def test_a_folder_that_changes_is_imported_again(run, tmp_path):
    other = run.copy(tmp_path / "other")
    config = other.path / "models/1/config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"note": "changed"}))
    jobs = other.run("-n", *TABLES).jobs()
    assert (jobs["read_classifier"], jobs["impose_uniform"]) == (1, 1)
    assert "prepare" not in jobs
