"""What users of Snakemake type: parts of the run, by files, names and options, and what each of them plans."""

import os
import re
import shutil
import subprocess
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from folder import TINY, UNCOUNTED

ROOT = Path(__file__).parents[2]
PRESETS = sorted((ROOT / "presets").glob("*.yaml"))
QUICK = ("deception", "transformer")
"""Presets with raw files in a folder of a folder, and with an encoder that is unpacked."""
OWN = {"own-readouts", "smollm2-generation", "smollm2-sst"}
"""Presets that need files which each user has or makes."""
JOBS = "-n", "--quiet", "host"
"""A dry run that shows its jobs one by one."""
CONDA = """#!/bin/sh
case "$*" in
  --version) echo conda 25.1.0;;
  *channel_priority*) echo '{"get": {"channel_priority": "strict"}}';;
  *) echo '{"conda_prefix": "/nowhere", "platform": "linux-64"}';;
esac
"""
"""What says as much as conda of itself."""
FOR_FIG5 = {
    "prepare": 1, "train": 4, "read_out": 1, "train_adversary": 2, "search_adversary": 1, "comparison": 1,
    "instance_adversary": 1, "stability": 1,
}  # fmt: skip
PARTS = {
    "wp_fig5": FOR_FIG5 | {"figure": 1},
    "results/figures/chorus/wp_fig5_tvd_jsd.pdf": FOR_FIG5 | {"figure_of_dataset": 1},
    "results/audits/chorus/base/permutation.parquet": {"prepare": 1, "train": 2, "permutation": 1},
    "--until train": {"prepare": 1, "train": 4},
    "--until permutation": {"prepare": 1, "train": 2, "permutation": 1},
}


@pytest.mark.whole
def test_a_part_by_a_file_a_name_or_a_rule(new_folder):
    folder = new_folder()
    assert {part: folder.run("-n", *part.split()).jobs() for part in PARTS} == PARTS


@pytest.mark.whole
def test_what_is_left_out_takes_the_report_with_it(new_folder):
    folder = new_folder()
    whole, rest = (folder.run("-n", *options) for options in ([], ["--omit-from", "figures"]))
    assert rest.jobs() == {rule: count for rule, count in whole.jobs().items() if rule != "figure"}
    assert ("report_html" in whole.text, "report_html" in rest.text) == (True, False)


@pytest.mark.whole
def test_one_of_several_batches(new_folder):
    folder = new_folder()
    some = folder.run("-n", "tables", "--batch", "tables=1/3").jobs()
    assert 0 < some["table"] + some.get("overview", 0) < 9
    assert folder.run("-n", "all", "--batch", "all=1/3").jobs()["prepare"] == 1


def test_jobs_look_for_modules_where_the_user_says_too(new_folder):
    folder = new_folder()
    (folder.path / "mine.smk").write_text("print(os.environ['PYTHONPATH'])")
    folder.overlay(rules=["mine.smk"])
    assert b"/src:mine\n" in subprocess.check_output(
        folder.command("-n"), cwd=folder.path, env=os.environ | {"PYTHONPATH": "mine"}
    )


def test_what_a_rule_asks_for_is_set_by_its_name(new_folder):
    folder = new_folder()
    options = "--set-resources train:mem_mb=9000 --set-threads train=2 --groups permutation=audit erasure=audit"
    outcome = folder.run("audits", *options.split(), "--group-components", "audit=20", *JOBS)
    jobs = re.split(r"^ *rule ", outcome.text, flags=re.MULTILINE)
    asked = {job.partition(":")[0]: ("    threads: 2\n" in job, "mem_mb=9000," in job) for job in jobs[1:]}
    assert asked.pop("train") == (True, True)
    assert set(asked.values()) == {(False, False)}
    # jobs of a group are indented
    assert re.findall(r"^    rule (\w+)", outcome.text, flags=re.MULTILINE) == ["erasure", "permutation"]


def test_an_environment_of_conda_is_planned(new_folder, tmp_path, monkeypatch):
    """Snakemake asks conda who it is even where nothing runs; here a script answers in its place."""
    conda = tmp_path / "conda"
    conda.write_text(CONDA)
    conda.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    outcome = new_folder().make("-n", "--sdm", "conda")
    assert "Conda environment envs/attention-audit.yaml will be created." in outcome.text
    assert outcome.jobs()["train"] > 1


def test_every_rule_says_what_it_is_for(new_folder):
    rules = re.findall(r"^(\w+)(?: \((.*)\))?$", new_folder().run("--list-rules").text, flags=re.MULTILINE)
    assert {"fetch", "train", "permutation", "figure", "report_html"} < {name for name, words in rules if words}
    # names of single tables and figures
    assert {name for name, words in rules if not words} < UNCOUNTED


def test_the_demonstration_is_a_graph_of_rules_that_goes_one_way(new_folder):
    folder = new_folder()
    shutil.copy(folder.path / "config.yaml", folder.path / "overlay.yaml")
    graph = folder.run("--rulegraph").text
    rules = dict(re.findall(r'(\d+)\[label = "(\w+)"', graph))
    arrows = [(rules[first], rules[then]) for first, then in re.findall(r"(\d+) -> (\d+)", graph)]
    assert {"fetch", "report_html"} < set(rules.values())
    assert len(rules) <= 30
    # raises an error where there is a circle
    TopologicalSorter({rule: [first for first, then in arrows if then == rule] for rule in rules.values()}).prepare()


def test_a_rule_that_is_forced_reruns_only_what_reads_it(altered):
    summary = [line.split("\t") for line in altered.run("--summary").text.splitlines() if line.startswith("results/")]
    assert {tuple(line[-2:]) for line in summary} == {("ok", "no update")}
    assert {"prepare", "train", "permutation", "table", "figure", "report_html"} < {line[2] for line in summary}
    made = {"permutation": 1, "table": 1, "overview": 2, "figure": 3}
    assert altered.run("-n", "all", "-R", "permutation").jobs() == made


def test_one_more_seed_adds_its_own_trainings(altered):
    """But for the search, which goes as far as other seeds go, and what is guided by the adversary that it finds."""
    altered.overlay(training=TINY["training"] | {"further_seeds": [50, 51]})
    outcome = altered.run("audits", *JOBS)
    made = set(re.findall(r"model=(\w+), seed=(\d+)$", outcome.text, flags=re.MULTILINE))
    searched = {("continuation", "10"), *(("guide_continuation", seed) for seed in ("10", "50"))}
    assert {seed for _, seed in made - searched} == {"51"}
    assert {"prepare", "train_adversary", "instance_adversary"}.isdisjoint(outcome.jobs())


@pytest.mark.parametrize(
    "name",
    [
        *QUICK,
        *(pytest.param(path.stem, marks=pytest.mark.whole) for path in PRESETS if path.stem not in {*QUICK, *OWN}),
    ],
)
def test_a_preset_is_planned_by_the_rules(new_folder, tmp_path, name):
    """Each file that a job reads is made by one rule, whatever folder it lies in."""
    folder = new_folder()
    (tmp_path / "vectors").mkdir()
    for vectors in ("glove.6B.100d.cut.zip", "glove.twitter.27B.25d.top12k.txt"):
        (tmp_path / "vectors" / vectors).touch()
    (folder.path / "overlay.yaml").write_text((ROOT / "presets" / f"{name}.yaml").read_text())
    assert folder.make("-n", "all", "--config", "skip_unavailable=true", f"mirror={tmp_path}").jobs()
