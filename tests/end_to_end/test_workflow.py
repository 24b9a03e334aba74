"""What a finished run holds, and what is run again when something changes."""

import os
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from folder import ROOT, SOURCE, TINY, assert_rendered, kind_of
from safetensors.torch import load

from attention_audit.artefacts.parquet import read_provenance
from attention_audit.artefacts.weights import read_weights
from attention_audit.code_hash import find_closure

TABLES = [
    "wp_table1_datasets", "wp_table2_uniform", "wp_table3_guides", "wp_table5_adversary",
    "summary", "texts", "controls",
]  # fmt: skip
OTHER = {"chorus": TINY["corpora"]["chorus"] | {"seed": 2}}
"""Texts by another seed."""
FIGURES = ["wp_fig2_attention_maps", "wp_fig3_seed_variance", "wp_fig5_tvd_jsd"]


def edit(folder, module):
    """Change what a module of the folder's package does."""
    with (folder.path / SOURCE / module).open("a") as source:
        source.write("\n\nEDITED = 1\n")


def test_every_table_and_figure_is_there(finished):
    assert_rendered(finished, TABLES, FIGURES)


def test_every_parquet_is_as_declared_and_says_where_it_comes_from(finished):
    files = list((finished.path / "results").rglob("*.parquet"))
    assert len(files) > 30
    for path in files:
        assert pq.read_schema(path).remove_metadata().equals(kind_of(path).schema), path
        provenance = read_provenance(path)
        assert len(provenance["config_sha256"]) == len(provenance["code_sha256"]) == 64
        assert {"torch", "numpy", "pyarrow"} <= provenance["libraries"].keys()
        assert provenance["attention_audit"]
        if path.name.endswith(".history.parquet"):
            assert provenance["seed"] == int(path.name.removeprefix("seed").removesuffix(".history.parquet"))


def test_progress_is_a_line_on_the_terminal_and_all_else_in_the_logs(finished):
    terminal = (finished.path / "terminal.txt").read_text()
    log = (finished.path / "results/logs/train/chorus/base/seed10.log").read_text()
    assert "[train chorus base seed 10] epoch 1/2: loss " in log
    assert re.search(r"^jobs: \d+; time: .* on 2 cores, if they take as long as .* demonstration$", terminal, re.M)
    assert 1 <= len(re.findall(r"^ *\d+%\|[# ]{20}\| .*, remain .*; \[", terminal, re.M)) <= 20
    assert len(terminal.splitlines()) < 80
    # it ends with its answers
    assert re.search(
        r"^(?:\d (?:fail|hold|differ|cannot)|No claim|[A-Z].* claim|.*Of the other)", terminal, re.MULTILINE
    )
    assert "results/tables/summary.md\nOpen results/report.html in a browser" in terminal


def test_no_library_fills_the_logs(finished):
    for log in (finished.path / "results/logs").rglob("*.log"):
        lines = log.read_text().splitlines()
        assert len(lines) < 10 or log.parent.name not in ("figure", "table", "overview"), log
        assert all(line.startswith(("[", "{")) for line in lines), log


def test_nothing_is_left_to_do_even_after_touching_every_file(altered):
    for path in altered.path.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    assert "Nothing to be done" in altered.run("-n", "all").text


def test_words_cost_nothing(altered):
    """Comments, docstrings and descriptions of the configuration's keys, in every module that prints none of them."""
    package = altered.path / SOURCE
    printing = find_closure("attention_audit.report.guide")
    edited = 0
    for path in package.rglob("*.py"):
        module = path.relative_to(package.parent).with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")
        if module in printing:
            continue
        text, times = re.subn(r'(description="|^    """(?=[A-Z]))', r"\1Edited: ", path.read_text(), flags=re.MULTILINE)
        path.write_text(text + "\n\n# edited\n")
        edited += times
    assert edited > 500
    assert "Nothing to be done" in altered.run("-n", "all").text


@pytest.mark.parametrize("words", [f"{SOURCE}/columns/audits.py", "workflow/report/wp_fig5_tvd_jsd.rst"])
def test_a_columns_meaning_or_a_caption_reruns_the_report_that_shows_it(altered, words):
    path = altered.path / words
    path.write_text(re.sub('meaning="|$', r"\g<0>Edited: ", path.read_text(), count=1))
    outcome = altered.run("-n", "all")
    assert outcome.jobs() == {}
    assert "report_html" in outcome.text


AUDITS = (
    "performance", "comparison", "stability", "permutation", "erasure", "instance_adversary", "plausibility",
    "attention_maps", "attribution",
)  # fmt: skip
TRAININGS = {"train": 4, "read_out": 2, "train_adversary": 2, "search_adversary": 1, "train_guide": 10}
"""Of TINY, by their rules."""
EXHIBITS = {"table": 7, "overview": 2, "figure": 7}
"""All but the table of the sizes of the data sets."""


@pytest.mark.parametrize(
    ("module", "runs"),
    [
        ("figures/style.py", {"figure": 7}),
        ("training/loop.py", TRAININGS | dict.fromkeys(AUDITS, 1) | {"attribute": 2} | EXHIBITS),
    ],
)
def test_an_edit_of_what_the_code_does_reruns_exactly_what_imports_it(altered, module, runs):
    edit(altered, module)
    assert altered.run("-n", "all").jobs() == runs


def test_an_edit_of_a_module_of_audits_makes_those_of_its_rule_anew(altered):
    audits = altered.path / "results/audits/chorus/base"
    before = {path.stem: path.read_bytes() for path in audits.iterdir()}
    edit(altered, "audits/permutation.py")
    outcome = altered.run("audits")
    assert outcome.jobs() == {"permutation": 1}
    differing = {path.stem for path in audits.iterdir() if path.read_bytes() != before[path.stem]}
    # their provenance names the code
    assert differing == {"permutation", "heads"}


def test_a_changed_setting_is_the_reason_with_its_value_before_and_now(altered):
    altered.overlay(permutation={"permutations": 50})
    outcome = altered.run("-n", "results/audits/chorus/base/permutation.parquet")
    assert outcome.jobs() == {"permutation": 1}
    [reason] = re.findall(r"reason: (Params have changed.*(?:\n +.*)*)", outcome.text)
    values = re.findall(r"permutation\.(\w+)=(\w+)", reason)
    assert values == [("permutations", "100"), ("permutations", "50")]


@pytest.mark.whole
def test_an_edit_of_the_training_trains_again_to_the_same_weights(altered):
    target = "results/readouts/chorus/guide_base_lstm/seed10/test.parquet"
    made = {"train": 1, "read_out": 1, "train_guide": 1}
    models = altered.path / "results/models/chorus"
    files = [models / name / "seed10.safetensors" for name in ("base", "guide_base_lstm")]
    before = [path.read_bytes() for path in files]
    edit(altered, "training/loop.py")
    assert altered.run(target).jobs() == made
    for path, content in zip(files, before, strict=True):
        # they say by which code they were made
        assert path.read_bytes() != content
        weights, earlier = read_weights(path), load(content)
        assert weights.keys() == earlier.keys()
        assert all(weights[name].equal(earlier[name]) for name in earlier)
    assert "Nothing to be done" in altered.run("-n", target).text

    altered.overlay(corpora=OTHER)
    assert altered.run("-n", target).jobs() == {"prepare": 1} | made


def test_one_figure_by_name_or_path_is_one_job(altered):
    figure = altered.path / "results/figures/wp_fig5_tvd_jsd.pdf"
    before = figure.read_bytes()
    figure.unlink()
    assert altered.run("-n", "wp_fig5").jobs() == {"figure": 1}
    assert altered.run("results/figures/wp_fig5_tvd_jsd.pdf").jobs() == {"figure": 1}
    assert figure.read_bytes() == before


@pytest.mark.whole
def test_runs_lie_side_by_side(altered):
    altered.overlay(results="runs/b", corpora=OTHER)
    outcome = altered.run("runs/b/corpora/chorus/corpus.parquet")
    assert outcome.jobs() == {"prepare": 1}, outcome.text
    assert "chorus" in (altered.path / "runs/b/logs/prepare/chorus.log").read_text()
    here, there = (altered.path / f"{name}/corpora/chorus/corpus.parquet" for name in ("results", "runs/b"))
    assert here.read_bytes() != there.read_bytes()
    altered.overlay()
    assert "Nothing to be done" in altered.run("-n", "all").text


def test_the_report_is_written(altered):
    altered.make("--report", "report.html")
    report = (altered.path / "report.html").read_text()
    assert all(figure in report for figure in FIGURES)


def test_the_workflow_is_called_from_another_folder(finished, tmp_path):
    """All lies in that folder, and the captions and the catalogue are found beside the Snakefile."""
    there = os.path.relpath(finished.path / "Snakefile", tmp_path)
    called = [sys.executable, "-m", "snakemake", "--snakefile", there, "--cores", "1"]
    told = ["--configfile", str(finished.path / "overlay.yaml")]
    for asked in (["corpora"], ["-n", "all"]):
        ended = subprocess.run([*called, *asked, *told], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (tmp_path / "results" / "corpora" / "chorus" / "corpus.parquet").is_file()


@pytest.mark.whole
def test_another_workflow_uses_it_as_a_module(altered):
    """As docs/running.md has it; one table is lacking, which a rule of that workflow reads."""
    there = altered.path / "results" / "tables" / "summary.csv"
    summary = there.read_text()
    there.unlink()
    [block] = re.findall(r"^```python\n(module .*?)^```$", (ROOT / "docs" / "running.md").read_text(), re.M | re.S)
    ended = '    output:\n        "mine.csv",\n    shell:\n        "cp {input} {output}"\n'
    (altered.path / "mine.smk").write_text(block.replace("../audit/", "") + ended)
    altered.overlay(audit=TINY)
    outcome = altered.make("--snakefile", "mine.smk", "mine")
    assert outcome.jobs() == {"audit_table": 1, "mine": 1}
    assert (altered.path / "mine.csv").read_text() == summary
    assert "May this attention map be read as an explanation?  chorus, Wiegreffe & Pinter 2019, base" in outcome.text
    altered.overlay(audit={"dataset": ["chorus"]})
    wrong = altered.run("--snakefile", "mine.smk", "-n", "mine")
    assert wrong.status == 1
    assert wrong.text.splitlines()[-1] == "error: config: dataset: unknown key (did you mean 'datasets'?)"
