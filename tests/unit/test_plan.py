"""The plan: which models a configuration asks for, and what each is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from attention_audit.config import parse_config
from attention_audit.plan import texts
from attention_audit.plan.plan import Run
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter

ROOT = Path(__file__).parents[2]
OWN = yaml.safe_load((ROOT / "config.yaml").read_text())
CATALOGUE = yaml.safe_load((ROOT / "workflow" / "catalogue.yaml").read_text())
DEFAULT = CATALOGUE | OWN | {"corpora": CATALOGUE["corpora"] | OWN["corpora"]}


@pytest.fixture
def plan() -> WiegreffePinter:
    """Two seeds, two lambdas, pretrained vectors."""
    changes = {
        "vectors": "glove-twitter-25d",
        "training": DEFAULT["training"] | {"further_seeds": [50]},
        "adversary": DEFAULT["adversary"] | {"lambdas": [2.0e-5, 0.01], "seeds": [3, 4]},
    }
    return WiegreffePinter(parse_config(DEFAULT | changes))


def test_models_and_their_seeds(plan: WiegreffePinter) -> None:
    assert plan.bilstms == ["base", "uniform", "adversary_lambda2e-05", "adversary_lambda0.01"]
    assert plan.seeds("base") == plan.seeds("guide_uniform") == [10, 50]
    assert plan.seeds("adversary_lambda0.01") == [3, 4]
    assert plan.lambda_("adversary_lambda2e-05") == 2e-5
    assert plan.lambda_("base") is None
    assert len(plan.models) == 8


def test_what_each_model_is_trained_on(plan: WiegreffePinter) -> None:
    assert plan.reference("base") is None
    assert plan.reference("guide_trained_mlp") is None
    assert plan.reference("guide_base_lstm") == plan.reference("adversary_lambda2e-05") == Run("base", 10)
    assert plan.reference("guide_adversary") == Run("adversary_lambda0.01", 3)


def test_architectures(plan: WiegreffePinter) -> None:
    base, uniform, guide, mlp = (
        plan.architecture("needle", model) for model in ("base", "uniform", "guide_adversary", "guide_trained_mlp")
    )
    assert (base.encoder, base.attention) == ("bilstm", "additive")
    assert uniform == base.model_copy(update={"attention": "uniform"})
    assert plan.architecture("needle", "adversary_lambda0.01") == base
    assert (guide.encoder, guide.attention) == ("affine", "imposed")
    assert (mlp.encoder, mlp.attention) == ("affine", "additive")
    assert base.embedding == 25
    assert base.pretrained


def test_adversaries_have_their_own_epochs_and_patience(plan: WiegreffePinter) -> None:
    base, adversary = (plan.train_settings("needle", model) for model in ("base", "adversary_lambda0.01"))
    assert (base.epochs, base.patience, base.lambda_) == (8, None, None)
    assert (adversary.epochs, adversary.patience, adversary.lambda_) == (20, 5, 0.01)
    assert adversary.model == "adversary"
    assert adversary.seeds == [3, 4]


def test_the_base_model_is_not_compared_with_itself(plan: WiegreffePinter) -> None:
    runs = plan.compared()
    assert runs[:3] == [Run("base", 50), Run("uniform", 10), Run("uniform", 50)]
    assert plan.identities(runs)[0] == {"model": "base", "lambda": None, "seed": 50}


def test_a_data_set_may_have_word_vectors_of_its_own(plan: WiegreffePinter) -> None:
    assert plan.architecture("diabetes", "base").embedding == 300
    assert json.loads(texts.vocabulary_settings(plan.config, "diabetes"))["vectors"]["kind"] == "word2vec"
    assert (
        json.loads(texts.vocabulary_settings(plan.config, "needle"))["vectors"]["file"]
        == "glove.twitter.27B.25d.top12k.txt"
    )


def test_data_sets_from_one_archive_fetch_it_once(plan: WiegreffePinter) -> None:
    assert (
        texts.fetched_files(plan.config, "newsgroups")
        == texts.fetched_files(plan.config, "newsgroups-20")
        == [("newsgroups", "20news-bydate.tar.gz")]
    )
    assert texts.fetched_files(plan.config, "needle") == []
    entry, homepage = texts.remote_file(plan.config, "newsgroups", "20news-bydate.tar.gz")
    assert entry.bytes == 14464277
    assert homepage == "http://qwone.com/~jason/20Newsgroups/"


def test_raw_files_are_fetched_or_the_users_own(plan: WiegreffePinter, tmp_path: Path) -> None:
    (tmp_path / "mimic").mkdir()
    notes = tmp_path / "mimic" / "NOTEEVENTS.csv.gz"
    notes.touch()
    paths = texts.raw_paths(plan.config, "diabetes", tmp_path)
    assert paths["notes"] == notes
    assert paths["train_ids"] == Path("results/raw/mimic/train_50_hadm_ids.csv")
    assert texts.raw_paths(plan.config, "needle", None) == {}
