"""Any audit can be asked of any suite that has what it needs; where one has not, a line says what and why."""

import re
from itertools import product

import pytest
from planned import (
    PLACES,
    asked_of,
    audit_of,
    judged_of,
    list_made,
    plan_of,
    refuse_plan,
)
from refusal import refusal
from rules import find_job, list_jobs

from attention_audit.plan.audits import AUDITS, list_runs
from attention_audit.plan.exhibits import TABLES
from attention_audit.plan.model import COMMON_AUDITS
from attention_audit.plan.suites import SUITES

DATASETS = {"wp": "needle", "ss": "digest", "jw": "chorus", "pd": "needle", "md": "chorus", "roar": "chorus"}
"""A data set of each suite whose models are trained here."""
LACKING = [
    *product(
        [audit.name for audit in AUDITS.values() if audit.base],
        [name for name in DATASETS if not SUITES[name].base],
    )
]
"""Audits that need a base model, with the suites that have none; all others can be asked."""


def has_several_seeds(plan, suite, dataset):
    """Tell whether any model in question is trained with several seeds, so that trainings can be compared."""
    return any(len(judged.seeds) > 1 for judged in plan.scope.find_data(suite, dataset).judged)


def needs_several_seeds(audit):
    """Tell whether an audit compares trainings of one model."""
    return audit.runs is list_runs and audit.least > 1


@pytest.fixture(scope="module")
def plan():
    """Every suite on a data set of its own, every model with two seeds; none that attends to sentences."""
    return plan_of(
        datasets=["needle"],
        serrano_smith={"datasets": ["digest"], "models": ["flan_rnn", "flan_none"], "seeds": [1, 2]},
        jain_wallace={"datasets": ["chorus"], "seeds": [1, 2]},
        diversity={"datasets": ["chorus"], "seeds": [1, 2]},
        masking={"datasets": ["chorus"], "percent": [100], "seeds": [1, 2]},
    )


@pytest.mark.parametrize(("audit", "key"), LACKING)
def test_an_audit_that_needs_a_base_model_is_refused_to_a_suite_without_one(plan, audit, key):
    """All others are asked of any suite, and run, in test_stages."""
    dataset = DATASETS[key]
    model = judged_of(plan, key, dataset).path_name
    line = f"{dataset}/{model}: {audit} needs a base model that .* has not; ask for another audit, or of"
    assert re.match(line, refusal(plan.asked.refuse, audit, model, dataset))


def test_every_suite_can_be_asked_all_that_it_has_the_means_for():
    """By name, in the configuration; and the summary then reads it."""
    known = [audit.name for audit in AUDITS.values() if not audit.generated]
    asked = {key: [name for name in known if (name, key) not in LACKING] for key in DATASETS}
    plan = plan_of(
        audits=asked,
        datasets=["needle"],
        serrano_smith={"datasets": ["digest"], "models": ["flan_none"]},
        jain_wallace={"datasets": ["chorus"]},
        diversity={"datasets": ["chorus"]},
        masking={"datasets": ["chorus"]},
    )
    files = plan.asked.list_files()
    for key, names in asked.items():
        expected = {
            plan.asked.locate(judged, name)
            for judged in plan.scope.find_data(key, DATASETS[key]).judged
            for name in names
            if not needs_several_seeds(AUDITS[name]) or has_several_seeds(plan, key, DATASETS[key])
        }
        assert expected <= {*files}
    read = plan.exhibits.list_inputs(TABLES["summary"])["permutation"]
    assert read == [path for path in files if path.endswith("/permutation.parquet")]


def test_a_suites_own_audits_are_asked_by_default():
    plan = plan_of(diversity={"datasets": ["chorus"]}, masking={"datasets": ["chorus"]})
    for suite in map(SUITES.get, DATASETS):
        dataset = plan.scope.list_datasets(suite)[0]
        several = has_several_seeds(plan, suite.name, dataset)
        assert asked_of(plan, suite.name, dataset) == {
            name for name in suite.audits if several or not needs_several_seeds(AUDITS[name])
        }
        assert {*COMMON_AUDITS} <= {*suite.audits}
    assert {name for name in DATASETS if has_several_seeds(plan, name, plan.scope.list_datasets(SUITES[name])[0])} == {
        "wp", "pd", "md", "roar",
    }  # fmt: skip


def test_what_every_suite_is_asked_reads_readouts_and_texts_alone():
    for audit in map(AUDITS.get, COMMON_AUDITS):
        assert not audit.network, audit.name
        assert not audit.base, audit.name


def test_an_audit_of_no_model_with_several_seeds_is_left_out_or_one_line():
    plan = plan_of()
    assert "stability" not in asked_of(plan, "jw", "needle")
    model = judged_of(plan, "jw", "needle").path_name
    line = f"needle/{model}: stability is not asked, as Jain & Wallace 2019 has no model with several seeds here; ask"
    assert refusal(plan.asked.refuse, "stability", model, "needle").startswith(line)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"audits": {"wp": ["permutations"]}},
            r"audits: 'permutations' is not known \(did you mean 'permutation'\?\); name one of performance, .*",
        ),
        (
            {"audits": {"xx": []}},
            f"suite 'xx' is not known; name one of {', '.join(SUITES)}",
        ),
        (
            {"audits": {"ss": ["comparison"]}},
            "audits.ss: comparison needs a base model that others are compared with, which this suite has not; leave "
            "it out",
        ),
    ],
)
def test_an_audit_that_cannot_be_is_one_line(changes, line):
    refuse_plan(f"^{line}$", **changes)


def test_a_model_that_a_data_set_has_not_is_one_line(plan):
    line = "digest/base: not a model whose attention is audited (of digest: flan_rnn, flan_none); name one of these"
    assert refusal(plan.asked.refuse, "permutation", "base", "digest").startswith(line)


def test_maps_are_shown_with_the_instance_adversary_and_all_others(plan):
    job = audit_of(plan, "attention_maps", "wp", "needle")
    assert job.inputs["instance_adversary"] == ["results/audits/needle/base/instance_adversary.parquet"]
    trainings = [(training.model, training.seed) for training in job.settings.trainings]
    assert trainings[0] == ("base", 10)
    assert {name for name, _ in trainings[1:]} == {"adversary", "continuation"}
    assert len(job.inputs["readouts"]) == len(trainings)


def list_answered(job):
    """List the audits that a job answers; the others of its rule have files that say why they are not asked."""
    return [name for name in job.outputs if name not in job.settings.unasked]


def test_a_rule_makes_its_audits_and_says_which_are_not_asked(plan):
    jobs = list_jobs(plan, *plan.asked.list_files())
    for model, audits in plan.asked.by_model.items():
        for rule in {audit.rule for audit in audits}:
            job = jobs[f"{rule}/{model.data.name}/{model.path_name}"]
            assert {*job.outputs} == {audit.name for audit in AUDITS.values() if audit.rule == rule}
            assert {*list_answered(job)} == {audit.name for audit in audits if audit.rule == rule}
            assert all(len({*paths}) == len(paths) for paths in job.inputs.values())


def test_of_networks_a_suite_is_asked_what_it_names_and_no_more(plan):
    """Correlations of the base model's attributions would cost as much again as deleting its words."""
    for key, asked in {
        "wp": {"located", "replaced", "plausible_words", "word_attributions"},
        "ss": {"located", "plausible_words", "word_attributions"},
        "jw": {"correlation", "agreement", "located", "plausible_words", "word_attributions"},
        "pd": {"impermissible", "located", "replaced", "plausible_words", "word_attributions"},
        "md": {"correlation", "conicity", "located", "word_attributions"},
    }.items():
        job = audit_of(plan, "located", key, DATASETS[key])
        assert {*list_answered(job)} == asked
        first, second = ({*find_job(plan, path).settings.audits} for path in job.inputs["attributions"][:2])
        # of the first training alone, what is said of each word
        assert (first, second) == (asked, asked - {"word_attributions"})
    network = ["correlation", "agreement", "attribution_stability", "located", "plausible_words", "word_attributions"]
    assert [name for name in SUITES["hf"].audits if AUDITS[name].network] == network


def test_every_audit_of_a_suite_is_made_by_one_job():
    audits = {"wp": ["attention_maps", "performance", "correlation"], "ss": [], "pd": []}
    plan = plan_of(audits=audits, jain_wallace={"datasets": ["chorus", "babi-1", "snli"]})
    # the maps read an audit that is not named, so it is asked too
    rules = ("performance", "attribution", "instance_adversary", "attention_maps")
    datasets = plan.scope.list_datasets(SUITES["wp"])
    jobs = list_jobs(plan)
    audited = {name for name, job in jobs.items() if "trainings" in type(job.settings).model_fields}
    assert {name for name in audited if name.endswith("/base")} == {
        f"{rule}/{dataset}/base" for dataset in datasets for rule in rules
    }
    made = [path for job in jobs.values() for path in job.files]
    assert len(set(made)) == len(made)
    assert {*plan.asked.list_files()} <= set(made)
    said = refusal(plan.refuse, PLACES.audit_file("chorus", "base", "stability"))
    assert said.endswith("stability is not among the suite's audits; name it in `audits`, with the suite's own")


def test_the_predictions_of_the_model_in_question_are_asked_whatever_a_suite_is():
    """The answer stands on them; what this model is held against is trained where something else asks for it alone."""
    plan = plan_of(datasets=["needle"], audits={"wp": ["located"], "jw": []}, jain_wallace={"datasets": ["needle"]})
    jobs = list_jobs(plan)
    performance = jobs["performance/needle/base"]
    assert list_answered(performance) == ["predictions"]
    assert {training.model for training in performance.settings.trainings} == {"base"}
    assert performance.inputs["search"] == []
    assert not any(name.startswith("performance/needle/lstm") for name in jobs)


def test_what_reads_an_audit_that_is_not_asked_is_not_made():
    plan = plan_of(audits={"jw": ["performance", "permutation"]})
    made = list_made(plan)
    assert {name for name in made if name.startswith("jw_")} == {"jw_fig_permutation"}
    assert {"wp_fig5_tvd_jsd", "summary"} < made
    said = refusal(plan.exhibits.refuse, "jw_table2")
    assert "jw_table2: not made, since Jain & Wallace 2019 is not asked correlation" in said


def test_an_exhibit_of_all_suites_is_made_where_any_is_asked_what_it_is_about():
    about = {"table_plausibility", "fig_plausibility"}
    some = plan_of(audits={key: ["performance"] for key in SUITES if key != "jw"})
    none = plan_of(audits={key: ["performance", "ranked_sets"] for key in SUITES})
    for plan, shown in ((some, about), (none, set())):
        assert {"summary", *about} & list_made(plan) == {"summary", *shown}


def test_what_compares_models_is_not_made_of_predictions_that_are_asked_for_the_answer_alone():
    masked = {"masking": {"datasets": ["chorus"], "percent": [100], "seeds": [1, 2]}}
    compared = {"roar_fig_masked", "roar_table_racu"}
    for audits, shown in (({"roar": ["permutation"]}, set()), ({"roar": ["predictions"]}, compared)):
        plan = plan_of(audits=audits, **masked)
        assert {"summary", *compared} & list_made(plan) == {"summary", *shown}
    alone = plan_of(audits={"roar": ["permutation"]}, **masked)
    assert "is not asked predictions" in refusal(alone.exhibits.refuse, "roar_table_racu")
