"""Whatever goes wrong ends in one clear line, and a second start mends it."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from folder import Folder, NewFolder

# one worker, so that the finished run is made once
pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("finished")]


def kill_tree(pid: int) -> None:
    """kill -9 of a process and all its descendants."""
    processes = [*psutil.Process(pid).children(recursive=True), psutil.Process(pid)]
    for process in processes:
        process.send_signal(signal.SIGKILL)
    psutil.wait_procs(processes, timeout=30)


def wait_for(path: Path, text: str) -> None:
    """Until a file holds a text."""
    deadline = time.monotonic() + 120
    while not (path.is_file() and text in path.read_text()):
        assert time.monotonic() < deadline, f"{path} never held {text!r}"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"datsets": []}, "config: datsets: unknown key"),
        ({"training": {"epochs": "8"}}, "config: training.epochs: input should be a valid integer, not '8'"),
        ({"datasets": ["imbd"]}, "config: datasets: unknown data set 'imbd'; known: agnews, "),
        ({"adversary": {"lambdas": []}}, "config: adversary.lambdas: "),
        ({"training": {"further_seeds": [10]}}, "config: training: duplicate seed 10"),
    ],
)
def test_a_wrong_configuration_runs_nothing(new_folder: NewFolder, changes: dict[str, Any], line: str) -> None:
    folder = new_folder()
    folder.overlay(**changes)
    outcome = folder.run("all")
    assert outcome.status != 0
    assert outcome.text.count(line) == 1
    assert "Traceback" not in outcome.text
    assert "  File " not in outcome.text
    assert not (folder.path / "results").exists()


def test_a_killed_run_goes_on_and_ends_the_same(finished: Folder, new_folder: NewFolder) -> None:
    folder = new_folder()
    for log, text in (("train/chorus/uniform.log", "seed 10"), ("train/chorus/base.log", "seed 50")):
        with folder.start("all") as process:
            wait_for(folder.path / "results/logs" / log, text)
            kill_tree(process.pid)
    left = folder.path / "results/tables/.wp_table2_uniform.parquet.1.part"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"half")
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    assert folder.parquet() == finished.parquet()


@pytest.mark.parametrize(
    ("damaged", "target"),
    [
        ("audits/chorus/comparison.parquet", "wp_fig5"),
        ("corpora/chorus/corpus.parquet", "wp_table1"),
        ("models/chorus/base/seed10.safetensors", "results/readouts/chorus/base/seed10/test.parquet"),
    ],
)
@pytest.mark.parametrize("damage", ["truncated", "flipped"])
def test_a_damaged_file_is_named_with_the_command_that_mends_it(
    altered: Folder, damaged: str, target: str, damage: str
) -> None:
    path = altered.path / "results" / damaged
    whole = path.read_bytes()
    half = len(whole) // 2
    flipped = whole[:half] + bytes([whole[half] ^ 0xFF]) + whole[half + 1 :]
    path.write_bytes({"truncated": whole[:half], "flipped": flipped}[damage])
    outcome = altered.run("--force", target, "--rerun-triggers", "params")
    assert outcome.status != 0
    errors = {line for line in outcome.text.splitlines() if "] error: " in line}
    assert len(errors) == 1, outcome.text
    assert f"results/{damaged}" in errors.pop()
    assert "Traceback" not in outcome.text
    assert f"snakemake --cores 1 --force results/{damaged}" in outcome.text
    assert altered.run("--force", f"results/{damaged}").status == 0
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("model", "where"),
    [
        ("base", "chorus, base, seed 10, "),
        ("adversary_lambda0.001", "chorus, adversary, seed 10, lambda 0.001, "),
    ],
)
def test_a_loss_that_is_no_number_stops_that_training(altered: Folder, model: str, where: str) -> None:
    target = f"results/models/chorus/{model}/seed10.safetensors"
    altered.overlay(training={"further_seeds": [50], "epochs": 2, "learning_rate": 1.0e30})
    command = ["--force", target, "--rerun-triggers", "mtime"]
    outcome = altered.run(*command)
    assert outcome.status != 0
    assert f"error: {where}epoch " in outcome.text
    assert re.search(r"the (loss|score) became (nan|inf); try a lower learning rate", outcome.text)
    assert "Traceback" not in outcome.text
    assert not (altered.path / target).exists()


def test_two_runs_in_one_folder_do_not_mix(new_folder: NewFolder) -> None:
    folder = new_folder()
    with folder.start("all") as first:
        wait_for(folder.path / "results/logs/corpus/chorus.log", "train")
        second = folder.run("all")
        kill_tree(first.pid)
    assert second.status != 0
    assert second.text.count("error: another run is writing to results/") == 1
    assert "Traceback" not in second.text


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        (
            {"mirror": "mirror"},
            "sst: mirror/sst/trainDevTestTrees_PTB.zip is not here; get it from https://nlp.stanford.edu/",
        ),
        ({"mirror": "mirror", "wrong": True}, "mirror/sst/trainDevTestTrees_PTB.zip: its sha256 is "),
    ],
)
def test_a_missing_or_wrong_raw_file_is_one_line(new_folder: NewFolder, setting: dict[str, Any], line: str) -> None:
    folder = new_folder()
    raw = folder.path / "mirror/sst/trainDevTestTrees_PTB.zip"
    raw.parent.mkdir(parents=True)
    if setting.pop("wrong", False):
        raw.write_bytes(b"PK no archive")
    folder.overlay(datasets=["sst"], corpora={"sst": {"archive": {"url": None}}}, **setting)
    outcome = folder.run("wp_table1")
    assert outcome.status != 0
    assert f"error: {line}" in outcome.text
    assert "Traceback" not in outcome.text
    assert not list((folder.path / "results/raw").rglob("*.zip*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_results_folder_is_one_line(new_folder: NewFolder) -> None:
    folder = new_folder()
    results = folder.path / "results"
    results.mkdir(mode=0o500)
    outcome = folder.run("all")
    assert outcome.status != 0
    assert "error: results/.lock: cannot be written" in outcome.text
