"""How long a run takes, and the line that says how far it is."""

import io
import json
import logging
import re
import time
from datetime import UTC, datetime

import pytest
from planned import ROOT
from snakemake_interface_logger_plugins.common import LogEvent

from attention_audit.artefacts.journal import JOB_KEY
from attention_audit.artefacts.progress import DEMONSTRATION, PlannedJob, ProgressLine, estimate_seconds

MACHINE = {"cpu": "x", "cores": 2, "memory": 1, "gpu": None, "system": "x"}


def planned(logs, rule, name, seconds=None, said="started"):
    """A job, with the log of its last run where that took so many seconds."""
    log = logs / rule / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    entry = {
        "stage": "x", "inputs": [], "outputs": [name], "started": datetime.now(UTC).isoformat(), "seconds": seconds,
        "cpu_seconds": 1.0, "peak_memory": 1, "read": 0.0, "machine": MACHINE,
    }  # fmt: skip
    ended = "" if seconds is None else f"{json.dumps({JOB_KEY: entry})}\n"
    log.write_text(f"[{rule} {name}] {said}\n{ended}")
    return PlannedJob(rule, (name,), log)


def tell(line, event, **facts):
    """A record of Snakemake's log."""
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, "", (), None)
    vars(record).update(facts, event=event)
    line.handle(record)


def test_a_job_takes_as_long_as_last_time_or_as_others_of_its_rule(tmp_path):
    jobs = [planned(tmp_path, "train", "a", 4.0), planned(tmp_path, "train", "b", 8.0)]
    new, unknown = planned(tmp_path, "train", "c"), planned(tmp_path, "figure", "d")
    assert estimate_seconds([*jobs, new, unknown], [*jobs, new, unknown], tmp_path) == [4.0, 8.0, 6.0, None]


def test_every_rule_of_the_workflow_has_its_time_in_the_demonstration():
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow" / "rules").glob("*.smk")))
    blocks = re.split(r"^(?=(?:use )?rule )", rules, flags=re.MULTILINE)[1:]
    made = {re.match(r"(?:use rule \w+ as|rule) (\w+)", block)[1] for block in blocks if "    log:" in block}
    assert set(DEMONSTRATION) <= made
    assert min(DEMONSTRATION.values()) > 0


@pytest.fixture
def line(tmp_path, monkeypatch):
    """The line of three jobs of 10, 20 and 10 seconds on two cores, at a time that is set."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    jobs = [planned(tmp_path, "train", name, seconds) for name, seconds in (("a", 10.0), ("b", 20.0), ("c", 10.0))]
    made = ProgressLine(dict(enumerate(jobs)), jobs, tmp_path, 2)
    made.now = now
    yield made
    made.close()


def test_the_plan_says_jobs_and_time(line, tmp_path):
    assert line.describe_plan() == "jobs: 3; time: 20.0 s on 2 cores, as last time"
    job = planned(tmp_path, "fetch", "d")
    guessed = ProgressLine({7: job}, [job], tmp_path, 1)
    seconds = f"{DEMONSTRATION['fetch']:.1f} s"
    said = f"jobs: 1; time: {seconds} on 1 cores, if they take as long as those of the demonstration"
    assert guessed.describe_plan() == said


def test_progress_is_of_time_and_says_what_the_oldest_job_does(line):
    share, said = line.describe_progress()
    assert (share, said) == (0, "  0%|                    | 0.0 s, remain 20.0 s; ")
    tell(line, LogEvent.JOB_STARTED, jobs=[0, 1])
    line.jobs[0].log.write_text("[train a] epoch 1\n")
    line.now[0] += 5
    # 5 of 10 and 5 of 20 s; with the prior of 10 s at two cores, the speed is (10 + 20) / (5 + 10) = 2
    share, said = line.describe_progress()
    assert share == pytest.approx(10 / 40)
    assert said == " 25%|#####               | 5.0 s, remain 15.0 s; [train a] epoch 1"
    tell(line, LogEvent.JOB_FINISHED, job_id=0)
    # 10 and 5 s: the speed is (15 + 20) / 15; the log of b tells of its last run
    share, said = line.describe_progress()
    assert share == pytest.approx(15 / 40)
    assert said == " 38%|#######             | 5.0 s, remain 10.7 s; [train] b"
    tell(line, LogEvent.JOB_ERROR, jobid=1)
    assert line.describe_progress()[0] == pytest.approx(10 / 40)


def test_a_job_is_not_done_before_it_ends(line):
    tell(line, LogEvent.JOB_STARTED, jobs=[0, 1, 2])
    line.now[0] += 1000
    assert line.describe_progress()[0] == pytest.approx(0.95)


def test_a_file_has_a_line_for_each_twentieth_and_a_terminal_one_that_is_written_over(line, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    tell(line, LogEvent.JOB_STARTED, jobs=[0, 1])
    line.now[0] += 5
    line.write()
    line.write()
    assert stream.getvalue().count("\n") == 1
    monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    line.write()
    line.write()
    written = stream.getvalue()
    assert written.count("\n") == 1
    assert written.count("\r\033[K 25%|") == 2
