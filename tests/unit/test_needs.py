"""What jobs ask of a cluster: by hand, and that every rule that submits a job says it."""

import re
from pathlib import Path

import pytest
import yaml
from planned import CATALOGUE, DEMONSTRATION, overlaid
from pydantic import ValidationError
from rules import ASKED, rules

from attention_audit.needs import Needs, megabytes, read_needs
from attention_audit.plan.plan import Plan

ROOT = Path(__file__).parents[2]
NEEDS = ROOT / "workflow" / "resources.yaml"
LOCAL = {"fetch", "guide", "explorer", "report_page", "table", "figure"}
"""Stages whose jobs run where Snakemake runs, beside that of a Transformer's record, which no default run has."""


def test_by_hand() -> None:
    need = Needs(memory=[1000, 20], minutes=[10, 0.5])
    assert (need.mem_mb(0), need.mem_mb(2.51), need.mem_mb(2.5, attempt=3)) == (1000, 1051, 3150)
    assert (need.runtime(0), need.runtime(4), need.runtime(4, passes=10), need.runtime(4, 2)) == (10, 12, 30, 24)


def test_size_is_that_of_the_inputs_but_weights_and_vectors(tmp_path: Path) -> None:
    for name, size in {
        "corpus.parquet": 1_500_000,
        "readout.parquet": 500_000,
        "seed10.safetensors": 9_000_000,
    }.items():
        (tmp_path / name).write_bytes(b"0" * size)
    assert megabytes(tmp_path.iterdir()) == 2.0
    with pytest.raises(FileNotFoundError):
        megabytes([tmp_path / "corpus.parquet", tmp_path / "later.parquet"])
    assert megabytes([tmp_path / "later.safetensors", tmp_path / "vectors" / "glove.zip"]) == 0


def test_a_wrong_line_is_refused(tmp_path: Path) -> None:
    for line in ("{memory: [1000], minutes: [1, 1]}", "{memory: [1000, 1], minutes: [1, -1]}", "{memory: [1000, 1]}"):
        path = tmp_path / "resources.yaml"
        path.write_text(f"train: {line}\n")
        with pytest.raises(ValidationError):
            read_needs(path)


def test_every_job_that_is_submitted_says_what_it_needs() -> None:
    needs, plan = read_needs(NEEDS), Plan(DEMONSTRATION, CATALOGUE)
    jobs = [*plan.jobs(), *plan.further()]
    submitted = [job for job in jobs if job.needs]
    assert {job.stage for job in jobs if not job.needs} == LOCAL
    named = {next(name for name in job.needs if name in needs) for job in submitted}
    # every other line is of what no default run trains or imports
    assert needs.keys() - named == {"states", "roar", "tune", "import_classifier", "impose"}
    # a network runs in these alone
    networks = {"states", "train", "search", "roar", "tune", "attribution", "import_classifier"}
    assert {name for name, need in needs.items() if need.gpu} == networks
    declared = rules()
    for job in (job for job in plan.jobs() if job.needs):
        rule = declared[job.name]
        assert (rule.stage, rule.log, rule.local) == (job.stage, job.log, False)
        assert tuple(rule.resources) == ASKED, rule.name
        assert rule.memory == needs[next(name for name in job.needs if name in needs)].mem_mb(0), rule.name


def test_what_needs_the_network_or_takes_seconds_is_local() -> None:
    jobs = {job.name for job in Plan(DEMONSTRATION, CATALOGUE).jobs(None) if not job.needs}
    local = {rule.name for rule in rules().values() if rule.local}
    assert jobs | {"corpora", "audits", "tables", "figures", "guide", "report_page"} == local
    for name in local:
        assert not rules()[name].resources, name


def test_a_site_may_ask_for_more(tmp_path: Path) -> None:
    path = tmp_path / "resources.yaml"
    path.write_text("train: {memory: [1, 1], minutes: [1, 1], further: {slurm_partition: gpu}}\n")
    assert read_needs(path)["train"].further == {"slurm_partition": "gpu"}


def test_the_slurm_profile_names_rules_that_there_are() -> None:
    profile = yaml.safe_load((ROOT / "profiles" / "slurm" / "config.yaml").read_text())
    for key in ("groups", "set-resources", "set-threads"):
        assert profile.get(key, {}).keys() <= rules().keys()


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        (None, r"the default run about (\d+)"),
        ("sst", r"`presets/sst.yaml`, .*? about (\d+) subm"),
    ],
)
def test_a_run_is_as_many_submissions_as_the_page_says(preset: str | None, said: str) -> None:
    path = ROOT / "presets" / f"{preset}.yaml" if preset else ROOT / "config.yaml"
    plan = Plan(overlaid(CATALOGUE, yaml.safe_load(path.read_text()) | {"vectors": "random"}), CATALOGUE)
    submissions = sum(bool(job.needs) for job in plan.jobs())
    match = re.search(said, " ".join((ROOT / "docs" / "cluster.md").read_text().split()))
    assert match
    assert abs(submissions - int(match[1])) <= submissions // 10


def test_profiles_agree_on_what_both_name() -> None:
    """Snakemake gives the default profile the last word, so the other must not differ."""
    default, slurm = (
        yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text()) for name in ("default", "slurm")
    )
    assert default.keys() & slurm.keys() == set()
