"""Any audit can be asked of any suite that has what it needs; where one has not, a line says what and why."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from planned import plan_of

from attention_audit.errors import AuditError
from attention_audit.jobs.audit import AuditJob
from attention_audit.plan.auditing import audit_file, audit_rules
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.plan import Plan, as_json
from attention_audit.plan.suites import SUITES
from attention_audit.targets import load

SUITE_KEYS = [suite.key for suite in SUITES]
DATASETS = {"wp": "needle", "ss": "digest", "jw": "chorus"}
"""A data set of each suite."""
LACKING = {
    ("comparison", "ss"): "a base model that others are compared with",
    ("comparison", "jw"): "a base model that others are compared with",
    ("attention_maps", "ss"): "a base model that others are compared with",
    ("attention_maps", "jw"): "a base model that others are compared with",
}
"""What suites whose models read tokens and single texts have not, by audit and suite; all other audits are possible."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Every suite on a data set of its own, every model with two seeds; none that attends to sentences."""
    return plan_of(
        datasets=["needle"],
        serrano_smith={"datasets": ["digest"], "models": ["flan_rnn", "flan_none"], "seeds": [1, 2]},
        jain_wallace={"datasets": ["chorus"], "seeds": [1, 2]},
    )


@pytest.mark.parametrize("key", SUITE_KEYS)
@pytest.mark.parametrize("audit", [audit.name for audit in AUDITS])
def test_any_audit_is_a_job_of_any_suite_that_has_what_it_needs(plan: Plan, audit: str, key: str) -> None:
    entry, dataset = audit_named(audit), DATASETS[key]
    if (audit, key) in LACKING:
        with pytest.raises(AuditError, match=rf"^audits\.{key}: {audit} needs {LACKING[audit, key]}.*; leave it out$"):
            plan.auditing.job(entry.job, key, dataset)
        return
    job = plan.auditing.job(entry.job, key, dataset)
    assert (job.dataset, job.suite, job.audit, job.target) == (dataset, key, entry.job, entry.target)
    assert job.columns[audit] == entry.columns
    assert AuditJob.model_validate(json.loads(as_json(job))) == job
    inputs = plan.auditing.inputs(entry.job, key, dataset)
    assert set(inputs) <= {
        "readouts", "against", "base", "contrast", "corpus", "vocabulary", "weights", *entry.after,
    }  # fmt: skip
    if entry.takes != "suite":
        assert len(job.runs) == len(inputs["readouts"]) > 0
        suite = plan.scope.suite(key)
        assert {run.model for run in job.runs} <= suite.labels.keys()
        assert all(f"results/readouts/{dataset}/" in path for path in inputs["readouts"])
    for name in ("against", "weights"):
        assert name not in inputs or len(inputs[name]) == len(job.runs)
    assert (job.networks is None) == ("weights" not in inputs)


def test_every_suite_can_be_asked_all_that_it_has_the_means_for() -> None:
    """By name, in the configuration; and the summary then reads it."""
    asked = {key: [a.name for a in AUDITS if (a.name, key) not in LACKING] for key in SUITE_KEYS}
    plan = plan_of(
        audits=asked,
        datasets=["needle"],
        serrano_smith={"datasets": ["digest"], "models": ["flan_none"]},
        jain_wallace={"datasets": ["chorus"]},
    )
    files = plan.audit_files()
    for key, names in asked.items():
        expected = {
            audit_file(DATASETS[key], key, name)
            for name in names
            # one seed: nothing to compare
            if name != "stability" or key == "wp"
        }
        assert expected == {path for path in files if f"/{key}/" in path}
    summary = next(table for table in plan.tables if table.name == "summary")
    read = plan.exhibiting.inputs(summary)["permutation"]
    assert read == [audit_file(DATASETS[key], key, "permutation") for key in SUITE_KEYS]


def test_a_suites_own_audits_are_asked_by_default() -> None:
    plan = plan_of()
    for suite in plan.scope.suites.values():
        names = [audit.name for audit in plan.auditing.asked(suite)]
        assert names == [name for name in suite.own_audits if name != "stability" or suite.key == "wp"]
    # what reads nothing but the base model's readouts costs seconds
    assert {"permutation", "single_weight", "ranked_sets", "stability", "evidence"} <= set(SUITES[0].own_audits)


def test_an_audit_of_no_model_with_several_seeds_is_left_out_or_one_line() -> None:
    plan = plan_of()
    assert "stability" not in {audit.name for audit in plan.auditing.asked(plan.scope.suite("jw"))}
    with pytest.raises(AuditError, match=r"^stability: Jain & Wallace 2019 has no model with several seeds; name more"):
        plan.auditing.inputs("stability", "jw", "needle")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"audits": {"wp": ["permutations"]}},
            r"audit 'permutations' is not known \(known: performance, comparison, .*\); declare it in plan/audits\.py, "
            "or ask for another",
        ),
        ({"audits": {"xx": []}}, r"suite 'xx' is not known \(known: wp, ss, jw\); declare it in plan/suites\.py"),
        (
            {"audits": {"ss": ["correlation"]}},
            "audits.ss: correlation needs attention over tokens, and han_rnn attends to sentences; leave it out",
        ),
        (
            {"audits": {"jw": ["ranked_sets"]}, "jain_wallace": {"datasets": ["babi-1"]}},
            r"audits.jw: ranked_sets needs predictions that are linear in the attention, which models of pairs "
            r"\(babi-1\) have not; leave it out",
        ),
        (
            {"audits": {"ss": ["comparison"]}},
            "audits.ss: comparison needs a base model that others are compared with, which this suite has not; leave "
            "it out",
        ),
        (
            {"audits": {"jw": ["attention_maps"]}},
            "audits.jw: attention_maps needs a base model that others are compared with, which this suite has not; "
            "leave it out",
        ),
    ],
)
def test_an_audit_that_cannot_be_is_one_line(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(AuditError, match=f"^{line}$"):
        plan_of(**changes)


def test_a_data_set_that_a_suite_does_not_run_is_one_line(plan: Plan) -> None:
    line = "^digest: not a data set of Wiegreffe & Pinter 2019 in this configuration; add it there, or ask for another$"
    for question in (plan.auditing.inputs, plan.auditing.job):
        with pytest.raises(AuditError, match=line):
            question("permutation", "wp", "digest")


def test_an_audit_that_reads_another_is_told_of_it(plan: Plan) -> None:
    job = plan.auditing.job("attention_maps", "wp", "needle")
    assert job.after == {"instance_adversary": "columns.instance_adversary:INSTANCE_ADVERSARY"}
    inputs = plan.auditing.inputs("attention_maps", "wp", "needle")
    assert inputs["instance_adversary"] == ["results/audits/needle/wp/instance_adversary.parquet"]
    assert [inputs[name] for name in ("base", "contrast")] == [
        ["results/readouts/needle/wp/base/seed10/test.parquet"],
        ["results/readouts/needle/wp/adversary_lambda0.01/seed10/test.parquet"],
    ]


def test_seeds_are_compared_with_the_first_of_their_model(plan: Plan) -> None:
    inputs = plan.auditing.inputs("stability", "jw", "chorus")
    pairs = [(a.split("/")[4:6], b.split("/")[4:6]) for a, b in zip(inputs["against"], inputs["readouts"], strict=True)]
    models = ["lstm_tanh", "cnn_tanh", "average_tanh"]
    assert pairs == [([model, "seed1"], [model, "seed2"]) for model in models]


def test_one_job_makes_what_one_function_computes() -> None:
    rules = audit_rules()
    assert [audit.name for audit in rules["attribution"]] == ["correlation", "agreement", "conicity"]
    assert sum(len(audits) for audits in rules.values()) == len(AUDITS)
    for audits in rules.values():
        first = audits[0]
        for audit in audits:
            assert (audit.target, audit.needs, audit.of, audit.takes, audit.settings, audit.after) == (
                first.target, first.needs, first.of, first.takes, first.settings, first.after,
            )  # fmt: skip


def test_audits_without_a_network_are_one_job_of_a_suite_and_data_set(plan: Plan) -> None:
    for key, suite in plan.scope.suites.items():
        names = plan.gathered_audits()[key]
        assert set(names) == {audit.name for audit in plan.auditing.asked(suite) if "network" not in audit.needs}
        job = plan.gathered_job(key, DATASETS[key])
        assert [each.audit.audit for each in job.audits] == names
        files = plan.auditing.gathered_files(suite, DATASETS[key])
        assert len(set(files)) == len(files)
        for each in job.audits:
            named = plan.auditing.inputs(each.audit.audit, key, DATASETS[key])
            of_job = {name: [files[place] for place in places] for name, places in each.inputs.items()}
            # what another audit of the job makes is no input of the job
            assert of_job == {name: paths for name, paths in named.items() if name not in names}


def test_every_audit_of_a_suite_is_made_by_one_rule() -> None:
    plan = plan_of(audits={"wp": ["attention_maps", "performance", "correlation"], "ss": []})
    gathered = plan.gathered_audits()
    # the maps read an audit that is not asked, so they wait for its job
    assert gathered == {"wp": ["performance"], "jw": gathered["jw"]}
    for rule, audits in audit_rules().items():
        alone = [key for key in SUITE_KEYS if re.fullmatch(plan.suites_alone(rule), key)]
        together = [key for key, names in gathered.items() if {audit.name for audit in audits} & {*names}]
        assert sorted([*alone, *together]) == sorted(SUITE_KEYS), rule


def test_the_code_of_an_audit_is_that_of_its_function_and_columns(plan: Plan) -> None:
    hashes = {rule: plan.audit_code(rule) for rule in audit_rules()}
    assert len(set(hashes.values())) == len(hashes)
    assert plan.audit_stage("permutation") == "audit"
    assert plan.audit_stage("attribution") == "network_audit"
    assert callable(load(audit_named("permutation").target))
