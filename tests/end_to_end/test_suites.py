"""All suites in one run, on a user's own file with what `init` writes for it, on pairs, and on a paper's data set."""

import subprocess
import sys

import pyarrow.parquet as pq
import pytest
import yaml
from folder import TINY, assert_rendered, fresh
from texts import write_pairs, write_reviews, write_treebank

from attention_audit.artefacts.parquet import read_provenance

# one worker, so that the run is made once
pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("suites")]


def overlay(example):
    """The example, small, for two more suites; with pairs and SST for Jain & Wallace."""
    tiny = {key: TINY[key] for key in ("model", "training", "guides", "instance_adversary")}
    pairs = {"kind": "table", "path": "pairs.jsonl", "query": "question", "tokens": {"tokenizer": "spaces"}}
    small = {"hidden": 8, "embedding": 8}
    return example | tiny | {
        "results": "results",
        "mirror": "mirror",
        "corpora": {
            "reviews": example["corpora"]["reviews"] | {"tokens": {"tokenizer": "en", "sentences": True}},
            "pairs": pairs,
            "sst": {"archive": {"bytes": None, "sha256": None}},
        },
        "serrano_smith": small
        | {"datasets": ["reviews"], "models": ["han_rnn", "flan_none"]}
        | {"attention": 8, "recipes": {"han": {"epochs": 2}}},
        "jain_wallace": {
            "datasets": ["reviews", "pairs", "sst"],
            "models": ["lstm_tanh", "average_tanh"],
            "seeds": [10, 7],
            "recipe": small | {name: TINY["training"][name] for name in ("epochs", "learning_rate")},
        },
        "diversity": {
            "datasets": ["pairs"],
            "models": ["vanilla_lstm", "orthogonal_lstm", "diversity_lstm"],
            "seeds": [10, 7],
            "recipe": small | {"epochs": 1},
        },
        }  # fmt: skip


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    """A folder in which `all` has run; do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("suites") / "audit")
    write_reviews(folder.path / "reviews.csv", stars=5, texts=250)
    write_pairs(folder.path / "pairs.jsonl", texts=80)
    write_treebank(folder.path / "mirror/sst/trainDevTestTrees_PTB.zip")
    command = [sys.executable, "-m", "attention_audit", "init", "reviews.csv"]
    subprocess.run(command, cwd=folder.path, capture_output=True, check=True)
    example = yaml.safe_load((folder.path / "mine.yaml").read_text())
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay(example)))
    folder.make("all")
    return folder


def test_every_table_and_figure_is_there_in_all_its_formats(suites):
    made = ("tables/*.parquet", "figures/*.png")
    tables, figures = ({path.stem for path in (suites.path / "results").glob(pattern)} for pattern in made)
    assert {"wp_table5_adversary", "ss_table2_flips", "jw_table2_correlation", "md_table_diversity"} <= tables
    assert_rendered(suites, tables, figures)


def test_the_readmes_example_runs_on_a_file_of_five_classes(suites):
    for model in ("base", "han_rnn", "flan_none", "lstm_tanh", "average_tanh"):
        assert set(suites.frame(f"audits/reviews/{model}/performance.parquet")["classes"]) == {5}
    table = (suites.path / "results/tables/wp_table2_uniform.md").read_text()
    assert "F1: macro average of 5 classes" in table


def test_every_suite_is_asked_what_its_data_sets_allow(suites):
    # pairs are asked what needs no linear predictions
    audits = suites.path / "results/audits"
    assert (audits / "pairs/lstm_tanh/permutation.parquet").is_file()
    # what has no rows says why
    path = audits / "reviews/base/evidence.parquet"
    assert pq.read_metadata(path).num_rows == 0
    assert read_provenance(path)["settings"]["reason"].endswith("needs marked words, and reviews has none")
    summary = suites.frame("tables/summary.parquet").query("dataset == 'pairs'")
    assert summary["signed_reason"].str.contains("needs predictions that are linear in the attention").all()


def test_published_numbers_stand_beside_ours(suites):
    compared = suites.frame("tables/replication.parquet")
    assert set(compared["dataset"]) == {"sst"}
    sizes = compared[(compared["paper"] == "WP2019") & (compared["table"] == "Table 1")].set_index(["part", "metric"])
    assert sizes.loc[("train", "negative"), ["published", "ours", "difference"]].tolist() == [3034, 30, -3004]
    assert sizes["note"].str.contains("data not as in the paper: archive changed").all()
    assert {"Table 1", "Table 2"} == set(compared.loc[compared["paper"] == "JW2019", "table"])
