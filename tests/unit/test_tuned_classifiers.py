"""Classifiers that a recipe fine-tunes: their plan, and a small run of all models, audits and tables."""

from pathlib import Path

import numpy as np
import pytest
import transformers_on_disk as on_disk
from in_process import make, make_exhibit
from planned import CLASSIFIERS_ALONE, PLACES, asked_of, name_run, plan_of, read_audit, read_made, refuse_plan
from refusal import refusal

from attention_audit import api
from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.files import CORPUS
from attention_audit.plan.configuration import write_configuration
from attention_audit.plan.exhibits import FIGURES
from attention_audit.questions import QUESTIONS
from attention_audit.readout import read_readout
from attention_audit.transformer.settings import MARK_ITEMS

SEEDS = [10, 50]
SIZES = {"train": 48, "dev": 24, "test": 16}


def changes(encoder, **recipe):
    """A configuration with two seeds, a twin, one adversary from scratch, one search, and guides."""
    return {
        **CLASSIFIERS_ALONE,
        "corpora": {"chorus": {"texts": SIZES}},
        "instance_adversary": {"steps": 5},
        "permutation": {"permutations": 5},
        "agreement": {"texts": 4, "steps": 4},
        "answer": {"margins": {"tvd": 0.5}},  # models of random encoders are far from one another
        "hf": {
            "chorus": {
                "recipe": {
                    "path": str(encoder),
                    "seeds": SEEDS,
                    "tuning": {"epochs": 2, "batch_size": 8, "learning_rate": 0.001},
                    "adversary": {
                        "search": "both",
                        "lambdas": [0.01],
                        "epochs": 1,
                        "continuation": {"steps": 2, "epochs": 1, "rounds": 1},
                    },
                    "guides": {"hidden": 8, "attention": 8, "embedding": 8, "epochs": 2},
                }
                | recipe
            }
        },
    }


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    return on_disk.save(folder, [*on_disk.WORDS, *on_disk.LETTERS, *on_disk.known_words("chorus")], positions=400)


@pytest.fixture(scope="module")
def run(encoder, tmp_path_factory):
    """The plan of a run, in whose folder the tests of this module are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("run"))
        yield plan_of(**changes(encoder))


def test_the_models_are_those_of_the_four_tests(run):
    models = run.scope.find_data("hf", "chorus").models
    assert [*models] == [
        "base", "uniform", "adversary_lambda0.01", "continuation_step1", "continuation_step2", "continuation",
        "guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary", "guide_continuation", "imposed",
    ]  # fmt: skip
    assert models["imposed"].compared == [10]
    assert name_run(models["imposed"].find_reference(50)) == ("base", 50)
    assert models["imposed"].selected_on == models["base"].selected_on == "dev"
    assert models["uniform"].architecture.attention == "even_heads"
    assert models["adversary_lambda0.01"].architecture.attention == "heads"
    settings = models["base"].build_settings(SEEDS[0])
    assert (settings.epochs, settings.optimisation.learning_rate, settings.optimisation.warmup) == (2, 0.001, 0.1)
    assert settings.optimisation.decoupled
    assert not settings.optimisation.amsgrad
    search = models["continuation"].build_settings(10)
    assert search.optimisation.learning_rate == pytest.approx(0.0001)
    assert search.epochs == 1
    assert models["base"].seeds == SEEDS


def test_every_model_is_trained_and_read_out(run):
    models = run.scope.find_data("hf", "chorus").models
    readouts = {
        (name, seed): PLACES.readout.format(training=f"chorus/hf_{name}", seed=seed, split="test")
        for name, model in models.items()
        for seed in model.seeds
    }
    make(run, *readouts.values())
    lengths_of = read_frame(Path(PLACES.corpus_file("chorus", "corpus")), CORPUS).set_index("id")["tokens"].map(len)
    for (model, _), path in readouts.items():
        readout = read_readout(Path(path))
        guide = model.startswith("guide")
        assert (readout.attending is None) is (guide or model == "imposed")
        lengths = lengths_of[readout.ids].to_numpy()
        assert (readout.words == lengths).all()
        assert (readout.lengths == lengths + MARK_ITEMS * (not guide)).all()
        assert all(weights.sum() == pytest.approx(1, abs=1e-5) for weights in readout.attention)
        if model in ("uniform", "guide_uniform", "imposed"):
            assert all(np.allclose(weights, 1 / len(weights)) for weights in readout.attention)
    base, imposed = (read_readout(Path(readouts[model, 50])) for model in ("base", "imposed"))
    assert np.abs(imposed.probabilities - base.probabilities).max() > 1e-3
    guided = read_readout(Path(readouts["guide_base_lstm", 50])).align(base.ids)
    for whole, words in zip(base.word_attention, guided.attention, strict=True):
        np.testing.assert_allclose(words, whole / whole.sum(), atol=1e-6)
    train = read_readout(Path(PLACES.readout.format(training="chorus/hf_base", seed=10, split="train")))
    assert train.attending is None
    assert len(train) == SIZES["train"]


def test_a_text_of_ones_own_is_read_by_all_trainings(run):
    for model, seed in [*(("base", seed) for seed in SEEDS), ("continuation", SEEDS[0])]:
        make(run, PLACES.readout.format(training=f"chorus/hf_{model}", seed=seed, split="test"))
    write_configuration(run.config)
    stored = read_readout(Path(PLACES.readout.format(training="chorus/hf_base", seed=10, split="test")))
    corpus = read_frame(Path(PLACES.corpus_file("chorus", "corpus")), CORPUS).set_index("id")
    words = list(corpus.loc[stored.ids[0], "tokens"])
    reading = api.trained("results", "chorus", "hf").read(words, maps=["attn_lrp"])
    assert reading.words["weight"].to_numpy() == pytest.approx(stored.attention[0], abs=1e-5)
    assert reading.words["contribution"].notna().all()
    assert reading.words["gradient"].sum() == pytest.approx(1)
    assert reading.words["attn_lrp"].notna().sum() == len(words)
    assert reading.facts["adversary_jsd"] > 0
    said = refusal(api.trained, "results", "chorus", "hf", "imposed")
    assert said.startswith("imposed: is known by its readouts alone, so no text can be given to it")


def test_audits_and_tables_answer_all_that_the_four_tests_do(run):
    make(run, *run.asked.list_files())
    names = asked_of(run, "hf", "chorus")
    assert {"comparison", "consistency", "heads", "located", "correlation", "attention_maps"} <= names
    comparison, consistency, performance = (
        read_audit(run, name, "chorus", "hf_base")["model"].astype(str)
        for name in ("comparison", "consistency", "performance")
    )
    assert {*comparison} == {"base", "uniform", "adversary", "continuation", "imposed"}
    assert {*consistency} == {"base", "uniform", "adversary", "continuation"}
    assert performance.nunique() == 11
    make_exhibit(run, FIGURES["hf_fig_tvd_jsd"])
    names = ("hf_table_performance", "hf_table_comparison", "summary")
    shown, _, summary = (read_made(run, name) for name in names)
    # no text is cut, which the table says with a 0
    assert {*shown.loc[shown["metric"] == "cut", "mean"]} == {0}
    (row,) = summary.to_dict("records")
    assert row["model"] == "base"
    for question in QUESTIONS:
        assert np.isfinite(row[f"{question}_value"]), (question, row[f"{question}_reason"])


@pytest.mark.parametrize(
    ("recipe", "line"),
    [
        ({"path": "nowhere/encoder"}, r"config: hf\.chorus\.recipe\.path: no such folder"),
        ({"seeds": [10, 10]}, r"config: hf\.chorus\.recipe\.seeds: .*10"),
        ({"adversary": {"search": "scratch", "lambdas": [0.5]}}, r"guides\.adversary_lambda: 0\.01 is not in"),
        ({"epochs": 3}, r"config: hf\.chorus\.recipe\.epochs: "),
    ],
)
def test_a_wrong_recipe_is_one_line(encoder, recipe, line):
    refuse_plan(line, **changes(encoder, **recipe))


def test_without_models_there_is_a_recipe(encoder):
    refuse_plan("names neither models nor a recipe", **changes(encoder) | {"hf": {"chorus": {"max_length": 64}}})
