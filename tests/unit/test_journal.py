"""What jobs note in their logs, and what is found there again."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from attention_audit.artefacts.journal import describe_machine, list_failures, read_journal, write_note

BEGIN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def log(folder, name, inputs, outputs, started=BEGIN):
    path = folder / f"{name}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[{name}] started\n")
    write_note(path, name, {"in": [Path(p) for p in inputs]}, {"out": [Path(p) for p in outputs]}, started, 1, 0.5)
    return path


def test_a_job_comes_back_as_it_was(tmp_path):
    path = tmp_path / "train.log"
    path.write_text("[train] started\n")
    files = {"a": [Path("results/x"), Path("results/y")], "b": [Path("results/z")]}
    present = tmp_path / "input"
    present.write_bytes(bytes(2500))
    files["c"] = [present]
    before = datetime.now(UTC)
    entry = write_note(path, "train", files, {"out": [Path("results/w")]}, before, 1, 1.23456)
    assert (entry.inputs, entry.outputs) == (
        ("results/x", "results/y", "results/z", present.as_posix()),
        ("results/w",),
    )
    assert entry.read == 0.0025
    assert entry.cpu_seconds > 0
    assert entry.importing == 1.235
    assert 0 <= entry.seconds < 60
    assert 2**20 < entry.peak_memory < entry.machine.memory
    assert entry.machine == describe_machine()
    assert path.read_text().startswith("[train] started\n")
    assert read_journal(tmp_path, ["results/w"]) == [entry]


def test_only_what_the_products_came_from_is_found_the_earliest_first(tmp_path):
    log(tmp_path / "deep", "table", ["b"], ["c"], BEGIN + timedelta(hours=2))
    log(tmp_path, "corpus", [], ["a"], BEGIN)
    log(tmp_path, "train", ["a"], ["b", "b2"], BEGIN + timedelta(hours=1))
    log(tmp_path, "other", ["a"], ["d"], BEGIN)
    assert [entry.stage for entry in read_journal(tmp_path, ["c"])] == ["corpus", "train", "table"]
    assert read_journal(tmp_path, ["e"]) == []


def test_of_two_jobs_that_made_a_file_the_later_counts(tmp_path):
    log(tmp_path, "new", [], ["a"], BEGIN + timedelta(days=1))
    log(tmp_path, "old", [], ["a"], BEGIN)
    assert [entry.stage for entry in read_journal(tmp_path, ["a"])] == ["new"]


def test_a_log_of_an_earlier_version_does_not_say_what_importing_took(tmp_path):
    path = log(tmp_path, "job", [], ["a"])
    last = json.loads(path.read_text().splitlines()[-1])
    del last["attention_audit_job"]["importing"]
    path.write_text(json.dumps(last))
    assert [entry.importing for entry in read_journal(tmp_path, ["a"])] == [None]


def test_logs_of_other_making_are_passed_over(tmp_path):
    path = log(tmp_path, "job", [], ["a"])
    whole = path.read_text()
    texts = ["", "[job] started\n", whole[:-20], '{"other": 1}', "7", whole.replace('"stage"', '"scene"')]
    texts.append(json.dumps({"attention_audit_job": {"stage": "x"}}))
    for text in texts:
        path.write_text(text)
        assert read_journal(tmp_path, ["a"]) == []
    path.write_bytes(b"\xff\xfe\n" + whole.encode())
    assert len(read_journal(tmp_path, ["a"])) == 1
    assert read_journal(tmp_path / "none", ["a"]) == []


def test_what_was_wrong_is_found_in_the_logs_of_this_run(tmp_path):
    said = {
        "b.log": "[corpus b] started\n[corpus b] error: b.csv, line 2: no label\n",
        "a/a.log": "[train a] epoch 1\n[train a] error: results/x: damaged\nerror: of a library\n",
        "old.log": "[train old] error: of an earlier run\n",
        "same.log": "[train a] error: results/x: damaged\n",
    }
    for name, text in said.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    os.utime(tmp_path / "old.log", (100, 100))
    assert list_failures(tmp_path, 200) == [
        "[train a] error: results/x: damaged",
        "[corpus b] error: b.csv, line 2: no label",
    ]
    assert list_failures(tmp_path / "nowhere", 200) == []
