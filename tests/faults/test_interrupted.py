"""Ctrl-C, SIGINT and SIGTERM while jobs run."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import psutil
import pytest
from folder import NewFolder
from hurt import Tally, kill_tree, wait_for

pytestmark = pytest.mark.end_to_end

WITHIN = 10.0
"""Seconds after which nothing of a run is left."""
ENDLESS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "training": (
        "results/models/chorus/wp/base/seed10.safetensors",
        "results/logs/train/chorus/wp/base.log",
        "epoch 1/",
        {"training": {"further_seeds": [50], "epochs": 100_000}},
    ),
    "audit": (
        "results/audits/chorus/jw/instance_adversary.parquet",
        "results/logs/audits/chorus/jw.log",
        "instance_adversary",
        {
            "datasets": [],
            "jain_wallace": {
                "datasets": ["chorus"],
                "models": ["average_tanh"],
                "recipes": {"default": {"epochs": 1, "hidden": 8, "embedding": 8}},
            },
            "instance_adversary": {"steps": 1_000_000},
        },
    ),
}
"""A job that takes for ever: its file, its log, what the log says once it is at it, and its settings."""


@pytest.mark.parametrize("job", ENDLESS)
@pytest.mark.parametrize("how", ["Ctrl-C", "SIGINT", "SIGTERM"])
def test_every_job_ends_within_seconds(new_folder: NewFolder, tally: Tally, job: str, how: str) -> None:
    target, log, says, settings = ENDLESS[job]
    folder = new_folder()
    folder.overlay(**settings)
    with folder.start(target) as process:
        wait_for(folder.path / log, says)
        jobs = psutil.Process(process.pid).children(recursive=True)
        assert any("attention_audit" in part for one in jobs for part in one.cmdline())
        began = time.monotonic()
        if how == "Ctrl-C":  # a terminal sends it to all processes of its foreground
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(getattr(signal, how))
        try:
            text, _ = process.communicate(timeout=30)
        finally:
            took = time.monotonic() - began
            left = [one for one in jobs if one.is_running()]
            for one in left:
                one.kill()
            kill_tree(process)
    assert took < WITHIN
    assert left == []
    assert process.returncode == 1
    assert "Traceback" not in text, text
    assert not (folder.path / target).exists()
    tally("SIGINT or SIGTERM in a job", "every process ended within 10 seconds", 1)
