"""Any audit can be asked of any suite that has what it needs; where one has not, a line says what and why."""

import json
from typing import Any

import pytest
from planned import PLACES, TRAINED, asked_of, audit_of, by_name, inputs_of, judged_of, plan_alone, plan_of

from attention_audit.errors import AuditError
from attention_audit.jobs.audit import AuditJob, AuditsJob
from attention_audit.plan.auditing import choose_stage, hash_audit
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.exhibits import TABLES
from attention_audit.plan.plan import Plan, write_json
from attention_audit.targets import load, name_module

SUITE_KEYS = [suite.name for suite in TRAINED]
DATASETS = {"wp": "needle", "ss": "digest", "jw": "chorus", "pd": "needle", "md": "chorus", "roar": "chorus"}
"""A data set of each suite."""
LACKING = {
    (audit, key)
    for audit in ("comparison", "consistency", "attention_maps")
    for key in ("ss", "jw", "pd", "md", "roar")
}
"""Audits that need a base model, with the suites that have none; all others can be asked."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Every suite on a data set of its own, every model with two seeds; none that attends to sentences."""
    return plan_of(
        datasets=["needle"],
        serrano_smith={"datasets": ["digest"], "models": ["flan_rnn", "flan_none"], "seeds": [1, 2]},
        jain_wallace={"datasets": ["chorus"], "seeds": [1, 2]},
        diversity={"datasets": ["chorus"], "seeds": [1, 2]},
        masking={"datasets": ["chorus"], "percent": [100], "seeds": [1, 2]},
    )


@pytest.mark.parametrize("key", SUITE_KEYS)
@pytest.mark.parametrize("audit", [audit.name for audit in AUDITS.values()])
def test_any_audit_is_a_job_of_any_suite_that_has_what_it_needs(plan: Plan, audit: str, key: str) -> None:
    entry, dataset = audit_named(audit), DATASETS[key]
    if (audit, key) in LACKING:
        judged = judged_of(plan, key, dataset)
        line = rf"^{dataset}/{judged.name}: {audit} needs a base model that .* has not; ask for another audit, or of"
        with pytest.raises(AuditError, match=line):
            plan.auditing.refuse(audit, judged.name, dataset)
        return
    job = audit_of(plan, audit, key, dataset)
    assert (job.audit, job.target, job.columns) == (audit, entry.target, entry.columns)
    assert AuditJob.model_validate(json.loads(write_json(job))) == job
    inputs = inputs_of(plan, audit, key, dataset)
    assert set(inputs) <= {"readouts", "against", "corpus", "vocabulary", "weights", "search", *entry.after}
    assert len(job.runs) == len(inputs["readouts"]) > 0
    suite = plan.scope.find_suite(key)
    assert {run.model for run in job.runs} <= plan.scope.list_looks(suite).keys()
    assert all(f"results/readouts/{dataset}/" in path for path in inputs["readouts"])
    for name in ("against", "weights"):
        assert name not in inputs or len(inputs[name]) == len(job.runs)
    assert all(bool(run.architecture) == ("weights" in inputs) for run in job.runs)


def test_every_suite_can_be_asked_all_that_it_has_the_means_for() -> None:
    """By name, in the configuration; and the summary then reads it."""
    asked = {key: [a.name for a in AUDITS.values() if (a.name, key) not in LACKING] for key in SUITE_KEYS}
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
            plan.auditing.locate(judged, name)
            for judged in plan.scope.list_judged(plan.scope.find_suite(key), DATASETS[key])
            for name in names
            # one seed: nothing to compare
            if not name.endswith("stability") or key in ("wp", "pd", "md", "roar")
        }
        assert expected <= {*files}
    summary = next(table for table in TABLES.values() if table.name == "summary")
    read = plan.exhibiting.list_inputs(summary)["permutation"]
    assert read == [path for path in files if path.endswith("/permutation.parquet")]


def test_a_suites_own_audits_are_asked_by_default() -> None:
    plan = plan_of(diversity={"datasets": ["chorus"]}, masking={"datasets": ["chorus"]})
    for suite in (plan.scope.find_suite(key) for key in SUITE_KEYS):
        assert asked_of(plan, suite.name, plan.scope.list_datasets(suite)[0]) == {
            name for name in suite.audits if name != "stability" or suite.name in ("wp", "pd", "md", "roar")
        }
        # what reads nothing but readouts costs seconds
        cheap = {"predictions", "stability", "permutation", "contributions", "single_weight", "ranked_sets", "shuffles"}
        assert cheap <= set(suite.audits)


def test_an_audit_of_no_model_with_several_seeds_is_left_out_or_one_line() -> None:
    plan = plan_of()
    assert "stability" not in asked_of(plan, "jw", "needle")
    model = judged_of(plan, "jw", "needle").name
    line = rf"^needle/{model}: stability is not asked, as Jain & Wallace 2019 has no model with several seeds here; ask"
    with pytest.raises(AuditError, match=line):
        plan.auditing.refuse("stability", model, "needle")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"audits": {"wp": ["permutations"]}},
            r"audit 'permutations' is not known \(did you mean 'permutation'\?\) \(known: .*\); declare it in "
            r"plan/audits\.yaml, or ask for another",
        ),
        (
            {"audits": {"xx": []}},
            r"suite 'xx' is not known \(known: wp, ss, jw, pd, md, roar, own, hf\); declare it in plan/suites\.yaml",
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


def test_a_model_that_a_data_set_has_not_is_one_line(plan: Plan) -> None:
    line = r"^digest/base: not a model whose attention is audited \(of digest: flan_rnn, flan_none\); name one of these"
    with pytest.raises(AuditError, match=line):
        plan.auditing.refuse("permutation", "base", "digest")


def test_an_audit_that_reads_another_is_told_of_it(plan: Plan) -> None:
    job = audit_of(plan, "attention_maps", "wp", "needle")
    assert job.after == {"instance_adversary": "columns.audits:INSTANCE_ADVERSARY"}
    inputs = inputs_of(plan, "attention_maps", "wp", "needle")
    assert inputs["instance_adversary"] == ["results/audits/needle/base/instance_adversary.parquet"]
    assert inputs["readouts"] == [
        f"results/readouts/needle/{model}/seed10/test.parquet" for model in ("base", "continuation")
    ]
    assert [run.model for run in job.runs] == ["base", "continuation_chosen"]


def test_every_two_seeds_of_a_model_are_compared_once() -> None:
    plan = plan_of(jain_wallace={"datasets": ["chorus"], "seeds": [3, 1, 2], "models": ["lstm_tanh", "cnn_tanh"]})
    inputs = inputs_of(plan, "stability", "jw", "chorus", "cnn_tanh")
    pairs = [(a.split("/")[3:5], b.split("/")[3:5]) for a, b in zip(inputs["against"], inputs["readouts"], strict=True)]
    seeds = [("seed3", "seed1"), ("seed3", "seed2"), ("seed1", "seed2")]
    assert pairs == [(["cnn_tanh", a], ["cnn_tanh", b]) for a, b in seeds]
    runs = audit_of(plan, "stability", "jw", "chorus", "cnn_tanh").runs
    # a seed is compared with those before it
    assert [(run.other, run.seed) for run in runs] == [(3, 1), (3, 2), (1, 2)]


def test_an_audit_reads_the_split_that_it_names(plan: Plan) -> None:
    for name, split in (("consistency", "dev"), ("comparison", "test")):
        inputs = inputs_of(plan, name, "wp", "needle")
        assert {path.rpartition("/")[2] for path in (*inputs["readouts"], *inputs["against"])} == {f"{split}.parquet"}
        runs = audit_of(plan, name, "wp", "needle").runs
        assert {run.other for run in runs if run.model == "base"} == {plan.config.training.seed}
        assert {run.other for run in runs if run.model != "base"} == {None}


def test_audits_of_a_kind_are_one_job_of_a_model(plan: Plan) -> None:
    named = {
        (dataset, each.name): each
        for suite, dataset in plan.scope.asked
        for each in plan.scope.list_judged(suite, dataset)
    }
    for planned in plan.auditing.plan_jobs():
        judged = named[planned.wildcards["dataset"], planned.wildcards["model"]]
        asked = [audit.name for audit in plan.auditing.list_asked(judged)]
        of_rule = {audit.name for audit in AUDITS.values() if audit.rule == planned.rule}
        assert {*planned.outputs} == of_rule
        job = planned.settings
        assert isinstance(job, AuditsJob)
        reasons = {each.audit: each.reason for each in job.audits}
        assert reasons.keys() == of_rule
        assert {name for name, reason in reasons.items() if not reason} == {*asked} & of_rule
        for paths in planned.inputs.values():
            assert len(set(paths)) == len(paths)
        for each in (each for each in job.audits if not each.reason):
            alone = plan.auditing.list_inputs(judged, audit_named(each.audit))
            assert alone["readouts"] == [planned.inputs["readouts"][run.readout] for run in each.runs]
            against = [run.against for run in each.runs if run.against is not None]
            assert alone.get("against", []) == [planned.inputs["against"][place] for place in against]
            if weights := planned.inputs.get("weights"):
                of_runs = [planned.inputs["readouts"][run.readout] for run in each.runs]
                assert [path.replace("/models/", "/readouts/") for path in alone["weights"]] == [
                    path.replace("/test.parquet", ".safetensors") for path in of_runs
                ]
                assert alone["weights"] == [weights[run.readout] for run in each.runs]


def test_of_networks_a_suite_is_asked_what_it_names_and_no_more(plan: Plan) -> None:
    """Correlations of the base model's attributions would cost as much again as deleting its words."""
    jobs = [job for job in plan.auditing.plan_jobs() if job.stage == "attribution"]
    gathered = {
        job.wildcards["model"]: tuple(each.audit for each in job.settings.audits if not each.reason) for job in jobs
    }
    models = {key: judged_of(plan, key, DATASETS[key]).name for key in ("wp", "ss", "jw", "pd", "md")}
    gathered = {key: gathered[model] for key, model in models.items()}
    assert gathered == {
        "wp": ("located", "replaced", "plausible_words", "word_attributions"),
        "ss": ("located", "plausible_words", "word_attributions"),
        "jw": ("correlation", "agreement", "located", "plausible_words", "word_attributions"),
        "pd": ("impermissible", "located", "replaced", "plausible_words", "word_attributions"),
        "md": ("correlation", "conicity", "located", "word_attributions"),
    }
    own = map(audit_named, plan.scope.find_suite("hf").audits)
    network = ["correlation", "agreement", "attribution_stability", "located", "plausible_words", "word_attributions"]
    assert [audit.name for audit in own if "network" in audit.needs] == network
    job = plan_alone(plan, "correlation", "wp", "needle").settings
    assert isinstance(job, AuditsJob)
    (alone,) = job.audits
    assert list(alone.sections) == ["correlation"]


def test_every_audit_of_a_suite_is_made_by_one_job() -> None:
    audits = {"wp": ["attention_maps", "performance", "correlation"], "ss": [], "pd": []}
    plan = plan_of(audits=audits, jain_wallace={"datasets": ["chorus", "babi-1", "snli"]})
    # the maps read an audit that is not named, so it is asked too
    rules = ("performance", "attribution", "instance_adversary", "attention_maps")
    datasets = plan.scope.list_datasets(plan.scope.find_suite("wp"))
    jobs = by_name(job for job in plan.auditing.plan_jobs() if job.wildcards["model"] == "base")
    assert {*jobs} == {f"{rule}/{dataset}/base" for dataset in datasets for rule in rules}
    made = [path for job in plan.plan_jobs() for path in job.files]
    assert len(set(made)) == len(made)
    assert {*plan.audit_files()} <= set(made)
    with pytest.raises(AuditError, match=r"stability is not among the suite's audits; name it in `audits`$"):
        plan.refuse(PLACES.audit_file("chorus", "base", "stability"))


def test_what_reads_an_audit_that_is_not_asked_is_not_made() -> None:
    plan = plan_of(audits={"jw": ["performance", "permutation"]}).exhibiting
    made = {exhibit.name for folder in ("figures", "tables") for exhibit in plan.list_made(folder)}
    assert {name for name in made if name.startswith("jw_")} == {"jw_fig_permutation"}
    assert {"wp_fig5_tvd_jsd", "summary"} < made
    with pytest.raises(AuditError, match="jw_table2: not made, since Jain & Wallace 2019 is not asked correlation"):
        plan.refuse("jw_table2")


def test_an_exhibit_of_all_suites_is_made_where_any_is_asked_what_it_is_about() -> None:
    about = {"table_plausibility", "fig_plausibility"}
    some = plan_of(audits={key: ["performance"] for key in SUITE_KEYS if key != "jw"}).exhibiting
    none = plan_of(audits={key: ["performance", "ranked_sets"] for key in SUITE_KEYS}).exhibiting
    for plan, shown in ((some, about), (none, set())):
        made = {exhibit.name for folder in ("figures", "tables") for exhibit in plan.list_made(folder)}
        assert "summary" in made
        assert about & made == shown


def test_the_code_of_an_audit_is_that_of_its_function_and_columns(plan: Plan) -> None:
    hashes = {audit.name: hash_audit(audit) for audit in AUDITS.values()}
    # those that run the same modules are made again together
    assert len(set(hashes.values())) == len({(choose_stage(one), name_module(one.target)) for one in AUDITS.values()})
    assert choose_stage(audit_named("permutation")) == "audits"
    assert choose_stage(audit_named("located")) == "attribution"
    assert callable(load(audit_named("permutation").target))
