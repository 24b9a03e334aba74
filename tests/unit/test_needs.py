"""What jobs ask of a cluster."""

import os
import re
from pathlib import Path

import pytest
import yaml
from planned import CATALOGUE, DEMONSTRATION, overlaid, plan_of
from rules import list_jobs, load_rules
from snakemake.iocontainers import InputFiles
from yte import process_yaml

from attention_audit.artefacts.journal import measure_inputs
from attention_audit.plan.audits import OWN_RULE
from attention_audit.plan.plan import Plan

ROOT = Path(__file__).parents[2]
ASKED = ("mem_mb", "runtime")
"""The resources that a rule asks of a cluster."""
LOCAL = {"fetch", "unpack", "build", "record_transformer", "explorer", "report_html", "table", "overview", "figure"}
"""Rules whose jobs run where Snakemake runs, beside figures of one data set."""


def test_size_is_that_of_the_inputs_but_weights_and_vectors(tmp_path):
    for name, size in {
        "corpus.parquet": 1_500_000,
        "readout.parquet": 500_000,
        "seed10.safetensors": 9_000_000,
    }.items():
        (tmp_path / name).write_bytes(b"0" * size)
    assert measure_inputs(tmp_path.iterdir()) == 2.0
    with pytest.raises(FileNotFoundError):
        measure_inputs([tmp_path / "corpus.parquet", tmp_path / "later.parquet"])
    assert measure_inputs([tmp_path / "later.safetensors", tmp_path / "vectors" / "glove.zip"]) == 0


@pytest.fixture(scope="module")
def demonstration():
    """The plan of what is run where no file is given."""
    return Plan(DEMONSTRATION, CATALOGUE)


def test_every_rule_that_submits_jobs_says_what_they_need(demonstration):
    rules = load_rules(demonstration)
    local = rules["all"].workflow._localrules
    for name, rule in rules.items():
        works = bool(rule.log)
        assert (name in local) == (name != "all" and (name in {*LOCAL, "figure_of_dataset"} or not works)), name
        assert {*ASKED} <= {*rule.resources} or name in local or not works, name
    assert len([name for name, rule in rules.items() if rule.log and name != OWN_RULE]) <= 34
    memory = rules["permutation"].resources["mem_mb"]
    assert [memory._evaluator(None, [], attempt) for attempt in (1, 2)] == [1500, 3000]


def test_a_given_classifier_is_asked_memory_and_time_for_by_its_weights(demonstration, tmp_path):
    """14 GB of weights are in memory as they are, and as float32: 4,000 MB for all else, and thrice 14,000."""
    (tmp_path / "model.safetensors").touch()
    os.truncate(tmp_path / "model.safetensors", 14 * 10**9)
    (tmp_path / "corpus.parquet").write_bytes(b"0" * 10**6)
    files = InputFiles([str(tmp_path / name) for name in ("model.safetensors", "corpus.parquet")])
    files._set_name("given", 0, end=1)
    asked = {
        name: [load_rules(demonstration)[name].resources[resource]._evaluator(None, files, 1) for resource in ASKED]
        for name in ("read_classifier", "attribute", "generate")
    }
    assert asked["read_classifier"] == [4000 + 200 + 3 * 14000, 30 + 20 + 700]
    assert asked["generate"] == [4000 + 200 + 3 * 14000, 60 + 100 + 700]
    assert asked["attribute"] == [2000 + 50 + 2 * 14000, 30 + 10 + 700]


@pytest.mark.parametrize(("device", "gpus", "count"), [("cuda", 0, 1), ("auto", 2, 1), ("auto", 0, 0), ("cpu", 2, 0)])
def test_what_runs_a_network_asks_for_a_gpu_where_one_will_be_used(monkeypatch, device, gpus, count):
    monkeypatch.setattr("attention_audit.artefacts.running.count_gpus", lambda: gpus)
    rules = load_rules(plan_of(device=device)).items()
    asked = {name: rule.resources["gpu"].value for name, rule in rules if "gpu" in rule.resources}
    trained = {"train", "read_out", "train_adversary", "search_adversary", "train_guide", "retrain_masked"}
    reading = {"encode", "attribute", "read_classifier", "take_target", "generate"}
    assert asked == dict.fromkeys({*trained, "fine_tune", *reading}, count)


def test_a_download_is_tried_again_and_nothing_else(demonstration):
    assert {name: rule._restart_times for name, rule in load_rules(demonstration).items() if rule._restart_times} == {
        "fetch": 2
    }


def read_profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())


def test_the_slurm_profile_names_rules_that_there_are(demonstration):
    profile, rules = read_profile("slurm"), load_rules(demonstration)
    for key in ("groups", "set-resources", "set-threads"):
        assert profile.get(key, {}).keys() <= rules.keys()


@pytest.mark.parametrize(
    ("preset", "said"), [(None, r"the default run about (\d+)"), ("sst", r"`presets/sst.yaml`, .*? about (\d+) subm")]
)
def test_a_run_is_as_many_submissions_as_the_page_says(preset, said):
    path = ROOT / "presets" / f"{preset}.yaml" if preset else ROOT / "config.yaml"
    plan = Plan(overlaid(CATALOGUE, yaml.safe_load(path.read_text()) | {"vectors": "random"}), CATALOGUE)
    submissions = sum(job.rule not in LOCAL for job in list_jobs(plan).values())
    match = re.search(said, " ".join((ROOT / "docs" / "cluster.md").read_text().split()))
    assert abs(submissions - int(match[1])) <= submissions // 10


def test_profiles_agree_on_what_both_name():
    """Snakemake gives the default profile the last word, so the other must not differ."""
    assert read_profile("default").keys() & read_profile("slurm").keys() == set()


def test_a_profile_of_the_environment_says_where_to_run(monkeypatch):
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "slurm")
    assert "cores" not in process_yaml((ROOT / "profiles/default/config.yaml").read_text())
