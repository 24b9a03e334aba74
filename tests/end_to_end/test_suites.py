"""All suites in one run, on a user's own file with what `init` writes for it, on pairs, and on a paper's data set."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from folder import SOURCE, TINY, Folder, assert_rendered, fresh, kind_of
from texts import write_pairs, write_reviews, write_treebank

from attention_audit.artefacts.parquet import read_frame, read_provenance
from attention_audit.columns.audits import CORRELATION, INSTANCE_ADVERSARY, PERFORMANCE, PERMUTATION, RANKED_SETS
from attention_audit.columns.files import CORPUS, HEAD, READOUT
from attention_audit.columns.kinds import Artefact
from attention_audit.columns.tables import REPLICATION, SUMMARY, TABLE
from attention_audit.plan.exhibits import FIGURES, TABLES
from attention_audit.plan.suite import SUITES

# one worker, so that the run is made once
pytestmark = [pytest.mark.end_to_end, pytest.mark.whole, pytest.mark.xdist_group("suites")]

SHARED = "base", "lstm_tanh"
"""Two models that are built and trained alike, and share a seed."""


def written(folder: Path) -> dict[str, Any]:
    """The configuration that `init` writes for the file of reviews."""
    command = [sys.executable, "-m", "attention_audit", "init", "reviews.csv"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    example = yaml.safe_load((folder / "mine.yaml").read_text())
    assert isinstance(example, dict)
    return example


def overlay(example: dict[str, Any]) -> dict[str, Any]:
    """The example, small, for two more suites; with pairs and SST for Jain & Wallace; and audits that are not the
    suites' own.
    """
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
        "audits": {
            "wp": [*SUITES["wp"].audits, "correlation"],
            "ss": [*SUITES["ss"].audits, "instance_adversary"],
        },
        }  # fmt: skip


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which `all` has run; do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("suites") / "audit")
    write_reviews(folder.path / "reviews.csv", stars=5, texts=250)
    write_pairs(folder.path / "pairs.jsonl", texts=80)
    write_treebank(folder.path / "mirror/sst/trainDevTestTrees_PTB.zip")
    (folder.path / "overlay.yaml").write_text(yaml.safe_dump(overlay(written(folder.path))))
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    (folder.path / "terminal.txt").write_text(outcome.text)
    return folder


MODELS = {"wp": ["base"], "ss": ["han_rnn", "flan_none"], "jw": ["lstm_tanh", "average_tanh"]}
"""The models of each suite whose attention is in question."""


def audit(folder: Folder, dataset: str, suite: str, name: str) -> Path:
    return folder.path / f"results/audits/{dataset}/{MODELS[suite][0]}/{name}.parquet"


def rows_of(folder: Folder, dataset: str, suite: str, name: str, kind: Artefact) -> pd.DataFrame:
    """The rows of an audit of all models of a suite."""
    paths = (folder.path / f"results/audits/{dataset}/{model}/{name}.parquet" for model in MODELS[suite])
    return pd.concat([read_frame(path, kind) for path in paths])


UNMADE = {"table_soft", "ss_table1_datasets", "ss_table3_accuracy"}
"""Tables of what these data sets have not: an audit that is named, numbers of the paper."""
ELSEWHERE = {"own", "hf", "pd", "roar"}
"""Suites of models that are given, and of models that deceive; they have runs of their own."""


def test_every_table_and_figure_is_there(suites: Folder) -> None:
    tables, figures = ([each.name for each in all_ if each.suite not in ELSEWHERE] for all_ in (TABLES, FIGURES))
    assert_rendered(suites, [name for name in tables if name not in UNMADE], figures)


def test_every_parquet_is_as_declared(suites: Folder) -> None:
    files = list((suites.path / "results").rglob("*.parquet"))
    assert {path.stem for path in files} >= {"head", "planted", "agreement", "attention_maps"}
    for path in files:
        assert pq.read_schema(path).remove_metadata().equals(kind_of(path).schema), path


def test_the_readmes_example_runs_on_a_file_of_five_classes(suites: Folder) -> None:
    corpus = read_frame(suites.path / "results/corpora/reviews/corpus.parquet", CORPUS)
    assert corpus.groupby("split").size().to_dict() == {"train": 170, "dev": 30, "test": 50}
    assert dict(zip(corpus["label"], corpus["label_name"], strict=True)) == {i: str(i + 1) for i in range(5)}
    for suite in ("wp", "ss", "jw"):
        assert set(rows_of(suites, "reviews", suite, "performance", PERFORMANCE)["classes"]) == {5}
    table = (suites.path / "results/tables/wp_table2_uniform.md").read_text()
    assert "F1: macro average of 5 classes" in table


def test_a_model_that_two_suites_ask_for_is_trained_once(suites: Folder) -> None:
    """It has the name that the first of them gives it, and the audits of each have the suite's own name for it."""
    results = suites.path / "results"
    (base, lstm) = SHARED
    weights = {path.name for path in (results / "models/reviews" / lstm).glob("*.safetensors")}
    assert weights == {"seed7.safetensors"}
    assert (results / "models/reviews" / base / "seed10.safetensors").is_file()
    log = (results / "logs/train/reviews" / lstm / "seed7.log").read_text()
    assert "seed 7] epoch 1/2" in log
    assert not (results / "logs/train/reviews" / lstm / "seed10.log").exists()
    theirs = rows_of(suites, "reviews", "jw", "performance", PERFORMANCE).query("model == 'lstm_tanh'")
    ours = rows_of(suites, "reviews", "wp", "performance", PERFORMANCE).query("model == 'base'")
    assert set(theirs["seed"]) == {7, 10}
    assert set(ours["seed"]) == {10, 50}
    values = [rows.query("seed == 10").set_index("metric")["value"].to_dict() for rows in (ours, theirs)]
    assert values[0] == values[1]


def test_audits_that_are_not_a_suites_own_are_asked_by_name(suites: Folder) -> None:
    base = rows_of(suites, "reviews", "wp", "correlation", CORRELATION)
    assert set(zip(base["model"], base["seed"], strict=True)) == {("base", 10), ("base", 50)}
    # of reviews no evidence is known
    assert not audit(suites, "reviews", "wp", "evidence").exists()
    moved = rows_of(suites, "reviews", "ss", "instance_adversary", INSTANCE_ADVERSARY)
    assert set(moved["model"]) == {"han_rnn", "flan_none"}


def test_every_suite_is_asked_what_its_data_sets_allow(suites: Folder) -> None:
    erased = rows_of(suites, "reviews", "jw", "ranked_sets", RANKED_SETS)
    assert set(erased["model"]) == {"lstm_tanh", "average_tanh"}
    assert "random" in set(erased["ranking"])
    permuted = rows_of(suites, "reviews", "ss", "permutation", PERMUTATION)
    assert set(permuted["model"]) == {"han_rnn", "flan_none"}
    assert permuted["median_tvd"].between(0, 1).all()
    # pairs are asked what needs no linear predictions
    assert audit(suites, "pairs", "jw", "permutation").is_file()
    assert not audit(suites, "pairs", "jw", "contributions").exists()
    # others that the same rule makes have no rows, and say why
    reasons = {
        ("pairs", "heads"): "several heads of attention, and lstm_tanh has one",
        ("sst", "planted"): "is not among the audits of jw; name it in `audits`",
    }
    for (dataset, name), reason in reasons.items():
        path = audit(suites, dataset, "jw", name)
        assert pq.read_metadata(path).num_rows == 0
        assert read_provenance(path)["settings"]["reason"].endswith(reason)
    summary = read_frame(suites.path / "results/tables/summary.parquet", SUMMARY).query("dataset == 'pairs'")
    assert summary["signed_reason"].str.contains("needs predictions that are linear in the attention").all()


@pytest.mark.parametrize("model", ["lstm_tanh", "average_tanh"])
@pytest.mark.parametrize(("dataset", "classes"), [("sst", []), ("pairs", [0, 1])])
def test_pairs_alone_have_candidates_and_a_head(suites: Folder, dataset: str, model: str, classes: list[int]) -> None:
    folder: Path = suites.path / f"results/readouts/{dataset}/{model}/seed10"
    readout = read_frame(folder / "test.parquet", READOUT)
    candidates = [[] if allowed is None else list(allowed) for allowed in readout["candidates"]]
    assert candidates == [classes] * len(readout)
    assert read_frame(folder / "head.parquet", HEAD)["class"].tolist() == classes
    audited = rows_of(suites, dataset, "jw", "correlation", CORRELATION)
    assert set(audited.loc[audited["model"] == model, "id"]) == set(readout["id"])


@pytest.mark.parametrize(("model", "items"), [("han_rnn", "sentences"), ("flan_none", "tokens")])
def test_what_is_erased_is_a_sentence_or_a_word(suites: Folder, model: str, items: str) -> None:
    results = suites.path / "results"
    texts = read_frame(results / "corpora/reviews/corpus.parquet", CORPUS).set_index("id")[items]
    readout = read_frame(results / f"readouts/reviews/{model}/seed122/test.parquet", READOUT)
    assert len(readout) == 50
    assert readout["attention"].map(len).tolist() == texts.loc[readout["id"]].map(len).tolist()


def test_published_numbers_stand_beside_ours(suites: Folder) -> None:
    compared = read_frame(suites.path / "results/tables/replication.parquet", REPLICATION)
    assert set(compared["dataset"]) == {"sst"}
    sizes = compared[(compared["paper"] == "WP2019") & (compared["table"] == "Table 1")].set_index(["row", "metric"])
    assert sizes.loc[("train", "negative"), ["published", "ours", "difference"]].tolist() == [3034, 30, -3004]
    assert sizes.loc[("train", "negative"), "agreement"] == "not compatible"
    assert sizes["note"].str.contains("data not as in the paper: archive changed").all()
    models = compared[compared["paper"] == "JW2019"]
    assert {"Table 1", "Table 2"} == set(models["table"])
    assert (models["seeds"] == 2).all()
    assert set(models["agreement"]) == {"unknown"}
    assert models["note"].str.contains("our word vectors: random; hidden 8, the paper's 128").all()
    ours = read_frame(suites.path / "results/tables/jw_table1_performance.parquet", TABLE).dropna(subset="published")
    ours = ours[ours["mean"].notna()]
    first = models[models["table"] == "Table 1"]
    assert first["ours"].tolist() == ours["mean"].tolist()
    text = (suites.path / "results/tables/replication.md").read_text()
    assert "## Jain & Wallace 2019, table 2" in text


def test_nothing_is_left_to_do(suites: Folder) -> None:
    assert "Nothing to be done" in suites.run("-n", "all").text


def test_an_edit_of_the_rankings_reruns_exactly_what_imports_them(suites: Folder, tmp_path: Path) -> None:
    altered = suites.copy(tmp_path / "audit")
    with (altered.path / SOURCE / "audits/rankings.py").open("a") as source:
        source.write("\nEDITED = 1\n")
    jobs = altered.run("-n", "all").jobs()
    assert jobs.keys() == {"erasure", "plausibility", "attribution", "table", "overview", "figure"}
