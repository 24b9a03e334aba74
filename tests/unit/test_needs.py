"""What jobs ask of a cluster."""

import re
from pathlib import Path

import pytest
import yaml
from planned import CATALOGUE, DEMONSTRATION, overlaid
from rules import ASKED, rules
from yte import process_yaml

from attention_audit.artefacts.journal import measure_inputs
from attention_audit.plan.audits import OWN_RULE
from attention_audit.plan.plan import Plan

ROOT = Path(__file__).parents[2]
GATHERING = {"all", "corpora", "audits", "tables", "figures", "report_page"}
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


def test_every_rule_that_submits_jobs_says_what_they_need():
    for name, rule in rules().items():
        works = bool(rule.log)
        assert rule.local == (name != "all" and (name in {*LOCAL, "figure_of_dataset"} or not works)), name
        assert set(rule.resources) >= ({*ASKED[:2]} if works and not rule.local else set()), name
    # a network runs in these alone
    networks = {name for name, rule in rules().items() if "gpu" in rule.resources}
    trained = {"train", "read_out", "train_adversary", "search_adversary", "train_guide", "retrain_masked"}
    assert networks - {OWN_RULE} == {*trained, "encode", "attribution", "read_classifier"}
    assert rules()["permutation"].memory == [1500, 3000]


def test_every_job_of_a_plan_is_one_of_a_rule_with_the_same_files():
    plan = Plan(DEMONSTRATION, CATALOGUE)
    for job in [*plan.plan_jobs(), *plan.plan_further()]:
        made = [pattern.format(**job.wildcards) for pattern in rules()[job.rule].outputs]
        assert sorted(made) == sorted(job.files), job.rule
    assert rules().keys() > GATHERING
    assert len([name for name, rule in rules().items() if rule.log and name != OWN_RULE]) <= 30


def read_profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())


def test_the_slurm_profile_names_rules_that_there_are():
    profile = read_profile("slurm")
    for key in ("groups", "set-resources", "set-threads"):
        assert profile.get(key, {}).keys() <= rules().keys()


@pytest.mark.parametrize(
    ("preset", "said"), [(None, r"the default run about (\d+)"), ("sst", r"`presets/sst.yaml`, .*? about (\d+) subm")]
)
def test_a_run_is_as_many_submissions_as_the_page_says(preset, said):
    path = ROOT / "presets" / f"{preset}.yaml" if preset else ROOT / "config.yaml"
    plan = Plan(overlaid(CATALOGUE, yaml.safe_load(path.read_text()) | {"vectors": "random"}), CATALOGUE)
    submissions = sum(job.rule not in LOCAL for job in plan.plan_jobs())
    match = re.search(said, " ".join((ROOT / "docs" / "cluster.md").read_text().split()))
    assert abs(submissions - int(match[1])) <= submissions // 10


def test_profiles_agree_on_what_both_name():
    """Snakemake gives the default profile the last word, so the other must not differ."""
    assert read_profile("default").keys() & read_profile("slurm").keys() == set()


def test_a_profile_of_the_environment_says_where_to_run(monkeypatch):
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "slurm")
    assert "cores" not in process_yaml((ROOT / "profiles/default/config.yaml").read_text())
