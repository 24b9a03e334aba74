"""Any audit can be asked of any suite that has what it needs; where one has not, a line says what and why."""

import re
from itertools import product

import pytest
from planned import (
    PLACES,
    asked_of,
    audit_of,
    by_name,
    inputs_of,
    judged_of,
    list_made,
    plan_alone,
    plan_of,
    refuse_plan,
)
from refusal import refusal

from attention_audit.plan.audits import AUDITS, audit_named, explain_one_training
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
    assert re.match(line, refusal(plan.audit_plan.refuse, audit, model, dataset))


def test_every_suite_can_be_asked_all_that_it_has_the_means_for():
    """By name, in the configuration; and the summary then reads it."""
    asked = {key: [a.name for a in AUDITS.values() if (a.name, key) not in LACKING] for key in DATASETS}
    plan = plan_of(
        audits=asked,
        datasets=["needle"],
        serrano_smith={"datasets": ["digest"], "models": ["flan_none"]},
        jain_wallace={"datasets": ["chorus"]},
        diversity={"datasets": ["chorus"]},
        masking={"datasets": ["chorus"]},
    )
    files = plan.audit_files()
    for key, names in asked.items():
        expected = {
            plan.audit_plan.locate(judged, name)
            for judged in plan.scope.find_data(key, DATASETS[key]).judged
            for name in names
            if AUDITS[name].explain is not explain_one_training or has_several_seeds(plan, key, DATASETS[key])
        }
        assert expected <= {*files}
    read = plan.exhibit_plan.list_inputs(TABLES["summary"])["permutation"]
    assert read == [path for path in files if path.endswith("/permutation.parquet")]


def test_a_suites_own_audits_are_asked_by_default():
    plan = plan_of(diversity={"datasets": ["chorus"]}, masking={"datasets": ["chorus"]})
    for suite in map(SUITES.get, DATASETS):
        dataset = plan.scope.list_datasets(suite)[0]
        several = has_several_seeds(plan, suite.name, dataset)
        assert asked_of(plan, suite.name, dataset) == {
            name for name in suite.audits if several or AUDITS[name].explain is not explain_one_training
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
    assert refusal(plan.audit_plan.refuse, "stability", model, "needle").startswith(line)


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
    assert refusal(plan.audit_plan.refuse, "permutation", "base", "digest").startswith(line)


def test_an_audit_that_reads_another_is_told_of_it(plan):
    job = audit_of(plan, "attention_maps", "wp", "needle")
    assert job.after == {"instance_adversary": "columns.audits:INSTANCE_ADVERSARY"}
    inputs = inputs_of(plan, "attention_maps", "wp", "needle")
    assert inputs["instance_adversary"] == ["results/audits/needle/base/instance_adversary.parquet"]
    assert inputs["readouts"] == [
        f"results/readouts/needle/{model}/seed10/test.parquet" for model in ("base", "continuation")
    ]
    assert [run.model for run in job.runs] == ["base", "continuation_chosen"]


def test_every_two_seeds_of_a_model_are_compared_once():
    plan = plan_of(jain_wallace={"datasets": ["chorus"], "seeds": [3, 1, 2], "models": ["lstm_tanh", "cnn_tanh"]})
    inputs = inputs_of(plan, "stability", "jw", "chorus", "cnn_tanh")
    pairs = [(a.split("/")[3:5], b.split("/")[3:5]) for a, b in zip(inputs["against"], inputs["readouts"], strict=True)]
    seeds = [("seed3", "seed1"), ("seed3", "seed2"), ("seed1", "seed2")]
    assert pairs == [(["cnn_tanh", a], ["cnn_tanh", b]) for a, b in seeds]
    runs = audit_of(plan, "stability", "jw", "chorus", "cnn_tanh").runs
    # a seed is compared with those before it
    assert [(run.other, run.seed) for run in runs] == [(3, 1), (3, 2), (1, 2)]


def test_an_audit_reads_the_split_that_it_names(plan):
    for name, split in (("consistency", "dev"), ("comparison", "test")):
        inputs = inputs_of(plan, name, "wp", "needle")
        assert {path.rpartition("/")[2] for path in (*inputs["readouts"], *inputs["against"])} == {f"{split}.parquet"}
        runs = audit_of(plan, name, "wp", "needle").runs
        assert {run.other for run in runs if run.model == "base"} == {plan.config.training.seed}
        assert {run.other for run in runs if run.model != "base"} == {None}


def test_audits_of_a_kind_are_one_job_of_a_model(plan):
    named = {(each.data.name, each.path_name): each for each in plan.audit_plan.asked}
    for planned in plan.audit_plan.plan_jobs():
        judged = named[planned.wildcards["dataset"], planned.wildcards["model"]]
        asked = [audit.name for audit in plan.audit_plan.asked[judged]]
        of_rule = {audit.name for audit in AUDITS.values() if audit.rule == planned.rule}
        assert {*planned.outputs} == of_rule
        job = planned.settings
        reasons = {each.audit: each.reason for each in job.audits}
        assert reasons.keys() == of_rule
        assert {name for name, reason in reasons.items() if not reason} == {*asked} & of_rule
        for paths in planned.inputs.values():
            assert len(set(paths)) == len(paths)
        for each in (each for each in job.audits if not each.reason):
            alone = plan.audit_plan.list_inputs(judged, audit_named(each.audit))
            assert alone["readouts"] == [planned.inputs["readouts"][run.readout] for run in each.runs]
            against = [run.against for run in each.runs if run.against is not None]
            assert alone.get("against", []) == [planned.inputs["against"][place] for place in against]
            if weights := planned.inputs.get("weights"):
                of_runs = [planned.inputs["readouts"][run.readout] for run in each.runs]
                assert [path.replace("/models/", "/readouts/") for path in alone["weights"]] == [
                    path.replace("/test.parquet", ".safetensors") for path in of_runs
                ]
                assert alone["weights"] == [weights[run.readout] for run in each.runs]


def test_of_networks_a_suite_is_asked_what_it_names_and_no_more(plan):
    """Correlations of the base model's attributions would cost as much again as deleting its words."""
    jobs = {job.wildcards["model"]: job.settings for job in plan.audit_plan.plan_jobs() if job.stage == "attribution"}
    for key, asked in {
        "wp": ["located", "replaced", "plausible_words", "word_attributions"],
        "ss": ["located", "plausible_words", "word_attributions"],
        "jw": ["correlation", "agreement", "located", "plausible_words", "word_attributions"],
        "pd": ["impermissible", "located", "replaced", "plausible_words", "word_attributions"],
        "md": ["correlation", "conicity", "located", "word_attributions"],
    }.items():
        audits = jobs[judged_of(plan, key, DATASETS[key]).path_name].audits
        assert [each.audit for each in audits if not each.reason] == asked
    own = map(audit_named, SUITES["hf"].audits)
    network = ["correlation", "agreement", "attribution_stability", "located", "plausible_words", "word_attributions"]
    assert [audit.name for audit in own if "network" in audit.needs] == network
    (alone,) = plan_alone(plan, "correlation", "wp", "needle").settings.audits
    assert list(alone.sections) == ["correlation"]


def test_every_audit_of_a_suite_is_made_by_one_job():
    audits = {"wp": ["attention_maps", "performance", "correlation"], "ss": [], "pd": []}
    plan = plan_of(audits=audits, jain_wallace={"datasets": ["chorus", "babi-1", "snli"]})
    # the maps read an audit that is not named, so it is asked too
    rules = ("performance", "attribution", "instance_adversary", "attention_maps")
    datasets = plan.scope.list_datasets(SUITES["wp"])
    jobs = by_name(job for job in plan.audit_plan.plan_jobs() if job.wildcards["model"] == "base")
    assert {*jobs} == {f"{rule}/{dataset}/base" for dataset in datasets for rule in rules}
    made = [path for job in plan.plan_jobs() for path in job.files]
    assert len(set(made)) == len(made)
    assert {*plan.audit_files()} <= set(made)
    said = refusal(plan.refuse, PLACES.audit_file("chorus", "base", "stability"))
    assert said.endswith("stability is not among the suite's audits; name it in `audits`, with the suite's own")


def test_the_predictions_of_the_model_in_question_are_asked_whatever_a_suite_is():
    """The answer stands on them; what this model is held against is trained where something else asks for it alone."""
    plan = plan_of(datasets=["needle"], audits={"wp": ["located"], "jw": []}, jain_wallace={"datasets": ["needle"]})
    jobs = by_name(plan.plan_jobs())
    performance = jobs["performance/needle/base"]
    asked = [audit.audit for audit in performance.settings.audits if not audit.reason]
    assert (asked, {run.model for run in performance.settings.audits[0].runs}) == (["predictions"], {"base"})
    assert [*performance.inputs] == ["readouts"]
    assert not any(name.startswith("performance/needle/lstm") for name in jobs)


def test_what_reads_an_audit_that_is_not_asked_is_not_made():
    plan = plan_of(audits={"jw": ["performance", "permutation"]})
    made = list_made(plan)
    assert {name for name in made if name.startswith("jw_")} == {"jw_fig_permutation"}
    assert {"wp_fig5_tvd_jsd", "summary"} < made
    said = refusal(plan.exhibit_plan.refuse, "jw_table2")
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
    assert "is not asked predictions" in refusal(alone.exhibit_plan.refuse, "roar_table_racu")
