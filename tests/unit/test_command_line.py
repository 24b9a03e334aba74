"""The command line of a stage: what it hands over, and how it ends."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from attention_audit import __main__ as command_line
from attention_audit.errors import AuditError
from attention_audit.stages.job import Job


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """A stage that records its jobs, and fails where its settings say so."""
    jobs: list[Job] = []

    def run(job: Job) -> None:
        jobs.append(job)
        if "fault" in job.settings:
            raise AuditError(job.settings["fault"])

    module = types.ModuleType("attention_audit.stages.recording")
    module.__dict__["run"] = run
    monkeypatch.setitem(sys.modules, "attention_audit.stages.recording", module)
    return jobs


def test_files_go_by_name_and_in_order(stage: list[Job]) -> None:
    arguments = ["recording", "--settings", '{"a": 1}', "--code", "c0de"]
    files = ["--input", "corpus", "x", "--input", "none", "--input", "readouts", "r2", "r1", "--output", "table", "y"]
    assert command_line.main(arguments + files) == 0
    (job,) = stage
    assert job.input("corpus") == Path("x")
    assert job.inputs["none"] == []
    assert job.inputs["readouts"] == [Path("r2"), Path("r1")]
    assert job.output("table") == Path("y")
    assert (job.provenance.stage, job.provenance.code, job.settings) == ("recording", "c0de", {"a": 1})


def test_a_users_fault_is_one_line_and_status_1(stage: list[Job], tmp_path: Path) -> None:
    program = (
        "import sys; from attention_audit.__main__ import main;"
        "sys.exit(main(['wp_table2_uniform', '--settings', sys.argv[1], '--log', sys.argv[2],"
        "'--input', 'performance', 'no/such.parquet', '--output', 'parquet', 'x']))"
    )
    import subprocess

    log = tmp_path / "logs" / "stage.log"
    settings = json.dumps({"datasets": ["a"], "dataset": "a"})
    ended = subprocess.run(
        [sys.executable, "-c", program, settings, str(log)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    line = (
        "[wp_table2_uniform a] error: no/such.parquet: not there; "
        "rebuild it with: snakemake --cores 1 --force no/such.parquet\n"
    )
    assert ended.stderr.endswith(line)
    assert log.read_text().endswith(line)
    assert ended.stderr.count("\n") == 2


def test_titles_tell_jobs_apart() -> None:
    assert command_line.title("train", {"dataset": "sst", "model": "adversary", "lambda_": 0.002}) == (
        "train sst adversary lambda 0.002"
    )
    assert command_line.title("fetch", {}) == "fetch"
