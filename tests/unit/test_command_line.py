"""The command line of a stage: what it hands over, and how it ends."""

import io
import json
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from planned import ROOT, plan_of
from rules import ask_rule, find_job
from snakemake.cli import get_argument_parser

from attention_audit import __main__ as command_line
from attention_audit.plan.exhibits import FIGURES, TABLES
from attention_audit.plan.params import write_settings
from attention_audit.section import Section
from attention_audit.stages.job import Job

TABLE, FIGURE = TABLES["wp_table2_uniform"], FIGURES["wp_fig5_tvd_jsd"]


class Recorded(Section):
    """Settings of a stage that records its jobs."""

    a: int = 0


@pytest.fixture
def stage(monkeypatch):
    """A stage that records its jobs."""
    jobs = []

    # the kind of settings is read from it
    def run(job: Job[Recorded]):
        jobs.append(job)

    module = types.SimpleNamespace(run=run)
    monkeypatch.setitem(sys.modules, "attention_audit.stages.recording", module)
    return jobs


def test_files_go_by_name_and_in_order(stage):
    arguments = ["recording", "--settings", "a=1", "--code", "c0de"]
    files = ["--input", "corpus", "x", "--input", "none", "--input", "readouts", "r2", "r1", "--output", "table", "y"]
    assert command_line.main(arguments + files) == 0
    (job,) = stage
    assert job.input("corpus") == Path("x")
    assert job.inputs["none"] == []
    assert job.inputs["readouts"] == [Path("r2"), Path("r1")]
    assert job.output("table") == Path("y")
    assert job.settings == Recorded(a=1)
    assert (job.provenance.stage, job.provenance.code, job.provenance.settings) == ("recording", "c0de", {"a": 1})


def test_the_stages_refuse_settings_that_are_not_theirs(caplog):
    """A wrong or missing setting of every kind of job, named with its place."""
    plan = plan_of()
    table = find_job(plan, plan.exhibits.locate(TABLE, ".parquet"))
    base = {"dataset": "needle", "model": "base"}
    for job, key, wrong in [
        (ask_rule(plan, "prepare", dataset="needle"), "files", "one"),
        (ask_rule(plan, "train", **base, seed=10), "epochs", 0.5),
        (ask_rule(plan, "permutation", **base), "permutation", {"permutations": 0}),
        (ask_rule(plan, "attribution", **base), "trainings", [{}]),
        (ask_rule(plan, "attribute", **base, seed=10), "seed", "one"),
        (table, "answer", 10),
        (table, "unknown", 1),
        (find_job(plan, plan.exhibits.locate(FIGURE, ".png")), "target", None),
        (ask_rule(plan, "report_html"), "gaps", {"needle": 1}),
        (ask_rule(plan, "explorer"), "budget", "much"),
    ]:
        caplog.clear()
        stage = job.call.stage
        words = [f"{name}={json.dumps(value)}" for name, value in (dict(job.call.settings) | {key: wrong}).items()]
        assert command_line.main([stage, "--settings", *words]) == 1, stage
        (said,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
        assert re.fullmatch(rf"error: {stage}: settings: {key}\b.*: .+; run Snakemake again", said), said


def test_a_users_fault_is_one_line_and_status_1(tmp_path):
    """In a process of its own, on the terminal and in the log."""
    settings = write_settings(plan_of().exhibits.build_job(TABLE))
    log = tmp_path / "logs" / "stage.log"
    command = [sys.executable, "-m", "attention_audit", "table", "--settings", *settings, "--log", str(log)]
    files = ["--input", "performance", *["no/such.parquet"] * 3, "--output", "parquet", "x"]
    ended = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    line = (
        "[wp_table2_uniform wp] error: no/such.parquet: not there; "
        "rebuild it with: snakemake --cores 1 --force no/such.parquet\n"
    )
    assert ended.stderr.endswith(line)
    assert log.read_text().endswith(line)
    assert ended.stderr.count("\n") == 1


def test_a_command_that_there_is_not_is_one_line(caplog):
    assert command_line.main(["reviews.csv"]) == 1
    assert caplog.messages == ["error: reviews.csv: no such command; write `init` or `run`"]


def test_a_terminal_that_is_not_of_utf_8_shows_other_letters_by_their_numbers(tmp_path, monkeypatch):
    rows = "".join(f"ein Satz über Nummer {at},{('schön', 'übel')[at % 2]}\n" for at in range(60))
    (tmp_path / "für.csv").write_text(f"text,label\n{rows}", encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert command_line.main(["init", str(tmp_path / "für.csv"), "--into", str(tmp_path / "mine.yaml")]) == 0
    # what Snakemake itself prints
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer := io.BytesIO(), encoding="ascii"))
    monkeypatch.setattr(sys, "argv", ["snakemake", "-n"])
    get_argument_parser(profiles=[ROOT / "profiles" / "default"]).parse_known_args(["-n"])
    print("für", flush=True)
    assert buffer.getvalue() == b"f\\xfcr\n"


def test_titles_tell_jobs_apart():
    title = command_line.make_title
    assert title("fetch", {}) == "fetch"
    assert title("permutation", {"dataset": "sst", "suite": "jw"}) == "permutation sst jw"
    assert title("summary", {"suite": ""}) == "summary"
    training = {
        "dataset": "sst",
        "model": "adversary",
        "objective": {"kind": "adversary", "lambda_": 0.002},
        "seed": 10,
    }
    assert title("train", training) == "train sst adversary lambda 0.002 seed 10"


def test_run_hands_all_words_to_snakemake(tmp_path, monkeypatch):
    """With the Snakefile of the package, and its presets where there are none here."""
    called = []
    monkeypatch.setattr("os.execv", lambda _, command: called.extend(command))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / "mine.yaml").touch()
    words = ["-n", "all", "--configfile", "presets/mine.yaml", "presets/sst.yaml"]
    command_line.run_workflow(words)
    begun = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    assert called == [*begun, *words[:4], str(ROOT / "presets" / "sst.yaml")]
