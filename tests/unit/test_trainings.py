"""Which trainings there are, and that none is made twice: what two suites ask for alike is one training."""

from pathlib import Path

import pytest
from planned import DEMONSTRATION, audit_of, list_seeds, overlaid, plan_of, settings_of
from rules import list_jobs

from attention_audit.corpus.text import SPLITS
from attention_audit.plan.model import READ_OUT
from attention_audit.training.settings import Optimisation, Training

TRAINING = Training.model_validate(DEMONSTRATION["training"] | {"further_seeds": [50]}).model_dump()
RECIPE = {name: TRAINING[name] for name in (*Optimisation.model_fields, "epochs")} | {"hidden": 32, "embedding": 32}
SAME = {
    "datasets": ["chorus"],
    "training": TRAINING,
    "jain_wallace": {
        "datasets": ["chorus"],
        "models": ["lstm_tanh", "average_tanh"],
        "seeds": [10, 7],
        "recipe": RECIPE,
    },
}
"""Jain & Wallace's BiLSTM is built and trained as Wiegreffe & Pinter's base model; they share seed 10."""
BASE, LSTM = "chorus/base", "chorus/lstm_tanh"


def home_of(plan, dataset, model, seed, suite="jw"):
    runs = plan.scope.find_data(suite, dataset).models[model].runs
    home = next(home for run, home in plan.trainings.homes.items() if run in runs and run.seed == seed)
    return home.training, home.seed


def test_a_model_that_two_suites_ask_for_is_trained_once():
    plan = plan_of(**SAME)
    assert home_of(plan, "chorus", "base", 10, "wp") == (BASE, 10)
    assert home_of(plan, "chorus", "lstm_tanh", 10) == (BASE, 10)
    assert home_of(plan, "chorus", "lstm_tanh", 7) == (LSTM, 7)
    assert list_seeds(plan)[BASE] == (10, 50)
    assert list_seeds(plan)[LSTM] == (7,)
    # a model of its own is trained with all its seeds
    assert list_seeds(plan)["chorus/average_tanh"] == (10, 7)


def test_a_model_whose_seeds_are_all_trained_elsewhere_is_not_trained():
    plan = plan_of(**overlaid(SAME, {"jain_wallace": {"seeds": [50, 10]}}))
    assert LSTM not in list_seeds(plan)
    inputs = audit_of(plan, "performance", "jw", "chorus").inputs["readouts"]
    assert inputs[:2] == [f"results/readouts/{BASE}/seed{seed}/test.parquet" for seed in (50, 10)]


@pytest.mark.parametrize(
    "change",
    [
        {
            "word_vectors": {
                "one": {"kind": "file", "file": "one.vec", "url": "https://example.org/a.vec", "dimension": 32}
            },
            "vectors": "one",
        },
        {"device": "cpu", "threads": 2},
    ],
)
def test_what_changes_both_alike_leaves_them_one(change):
    assert home_of(plan_of(**overlaid(SAME, change)), "chorus", "lstm_tanh", 10) == (BASE, 10)


@pytest.mark.parametrize(
    "change",
    [
        {"training": {"epochs": 9}},
        {"training": {"learning_rate": 0.002}},
        {"training": {"selection": "test"}},
        {"model": {"hidden": 16}},
        {"model": {"attention_hidden": 16}},
        {"model": {"embedding": 16}},
        {"model": {"encoder": "conv"}},
        {"model": {"attention": "dot"}},
        {"jain_wallace": {"models": ["lstm_dot"]}},
        {"jain_wallace": {"recipe": {"batch_size": 8}}},
        {"overrides": {"chorus": {"jain_wallace": {"recipe": {"batch_size": 8}}}}},
        {"datasets": ["static"]},
    ],
)
def test_whatever_differs_is_a_training_of_its_own(change):
    plan = plan_of(**overlaid(SAME, change))
    model = next(iter(plan.scope.find_data("jw", "chorus").models))
    assert home_of(plan, "chorus", model, 10) == (f"chorus/{model}", 10)
    assert list_seeds(plan)[f"chorus/{model}"] == (10, 7)


def test_what_is_trained_on_another_models_readouts_differs_with_that_model():
    """Guides that are told the same settings are two trainings where the attention imposed on them is another's."""
    plan = plan_of(datasets=["chorus"])
    lstm, adversary = (settings_of(plan, f"chorus/{name}", 10) for name in ("guide_base_lstm", "guide_adversary"))
    assert lstm.model_copy(update={"model": "guide_adversary"}) == adversary
    for model in ("guide_base_lstm", "guide_adversary"):
        assert home_of(plan, "chorus", model, 10, "wp") == (f"chorus/{model}", 10)
    for seed in plan.config.training.seeds:
        assert plan.trainings.list_references(plan.trainings.made["chorus/guide_base_lstm", seed]) == [
            f"results/readouts/{BASE}/seed{seed}/{split}.parquet" for split in ("train", "dev", "test")
        ]
    assert plan.trainings.list_references(plan.trainings.made[BASE, 10]) == []


def test_every_training_is_made_by_one_rule_and_each_seed_by_one_job():
    plan = plan_of(**overlaid(SAME, {"adversary": {"seeds": [3, 4]}}))
    jobs = [job for job in list_jobs(plan).values() if job.rule in READ_OUT]
    assert len(jobs) == sum(map(len, list_seeds(plan).values()))
    for job in jobs:
        training, seed = "{dataset}/{model}".format(**job.wildcards), int(job.wildcards["seed"])
        assert job.settings == settings_of(plan, training, seed)
        assert job.settings.seed == seed
        # a search makes all its steps, and the chosen one once more
        models = 1 + plan.config.adversary.continuation.steps * (job.rule == "search_adversary")
        assert len(job.outputs["weights"]) == models
        assert len(job.outputs["readouts"]) == 2 * (models - 1) + len(READ_OUT[job.rule])


def test_a_model_is_read_out_on_its_training_split_where_others_are_trained_on_it():
    plan = plan_of(datasets=["chorus"], jain_wallace={"datasets": ["chorus"], "models": ["average_tanh"]})
    made = (job for job in list_jobs(plan).values() if "readouts" in job.outputs)
    read = {Path(path).parts[2:] for job in made for path in job.outputs["readouts"]}
    splits = {
        model: [split for split in SPLITS if ("chorus", model, seed, f"{split}.parquet") in read]
        for model, seed in (
            ("base", "seed50"),
            ("continuation", "seed10"),
            ("continuation_step1", "seed10"),
            ("uniform", "seed50"),
            ("guide_uniform", "seed10"),
            ("average_tanh", "seed10"),
        )
    }
    # a guide has the map of each base model, and of the chosen adversary
    expected = {model: [*SPLITS] if model in ("base", "continuation") else ["dev", "test"] for model in splits}
    assert splits == expected


def test_a_data_set_may_have_models_seeds_and_recipes_of_its_own():
    plan = plan_of(
        datasets=[],
        deception={"datasets": []},
        serrano_smith={"datasets": ["digest", "chorus"], "models": ["han_rnn", "flan_rnn"], "seeds": [122]},
        jain_wallace={"datasets": ["debate", "unison"], "models": ["lstm_tanh"], "seeds": [10]},
        overrides={
            "chorus": {"serrano_smith": {"models": ["flan_none"], "seeds": [1, 2], "recipes": {"flan": {"epochs": 3}}}},
            "unison": {"jain_wallace": {"models": ["lstm_tanh", "cnn_dot"], "recipe": {"epochs": 7, "hidden": 8}}},
        },
    )
    assert list_seeds(plan) == {
        "digest/han_rnn": (122,),
        "digest/flan_rnn": (122,),
        "chorus/flan_none": (1, 2),
        "debate/lstm_tanh": (10,),
        "unison/lstm_tanh": (10,),
        "unison/cnn_dot": (10,),
    }
    job = settings_of(plan, "chorus/flan_none", 2)
    # the rest of its recipe is that of all data sets
    assert (job.epochs, job.patience, job.seed) == (3, 4, 2)
    assert settings_of(plan, "digest/flan_rnn", 122).epochs == 12
    assert settings_of(plan, "unison/cnn_dot", 10).epochs == 7
    assert settings_of(plan, "debate/lstm_tanh", 10).epochs == 6
    # two seeds are compared, and one is not: so the audits of the two data sets are others
    jobs = list_jobs(plan)
    assert "stability/chorus/flan_none" in jobs
    assert "stability/digest/flan_rnn" not in jobs
    assert {(subject.dataset, subject.model, subject.seeds) for subject in plan.exhibits.list_subjects()} == {
        ("digest", "han_rnn", 1), ("digest", "flan_rnn", 1), ("chorus", "flan_none", 2), ("debate", "lstm_tanh", 1),
        ("unison", "lstm_tanh", 1), ("unison", "cnn_dot", 1),
    }  # fmt: skip
