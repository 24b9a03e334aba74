"""Ctrl-C and signals to a run, to the server that forks for its jobs, and to a job."""

import os
import signal
import time
from contextlib import contextmanager, suppress

import psutil
import pytest
from hurt import kill_tree, wait_for

WITHIN = 10.0
"""Seconds after which nothing of a run is left."""
ENDLESS = {
    "training": (
        "results/models/chorus/base/seed10.safetensors",
        "results/logs/train/chorus/base/seed10.log",
        "epoch 1/",
        {"training": {"further_seeds": [50], "epochs": 100_000}},
    ),
    "audit": (
        "results/audits/chorus/average_tanh/instance_adversary.parquet",
        "results/logs/instance_adversary/chorus/average_tanh.log",
        "instance_adversary",
        {
            "datasets": [],
            "jain_wallace": {
                "datasets": ["chorus"],
                "models": ["average_tanh"],
                "recipe": {"epochs": 1, "hidden": 8, "embedding": 8},
            },
            "instance_adversary": {"steps": 1_000_000},
        },
    ),
}
"""A job that takes for ever: its file, its log, what the log says once it is at it, and its settings."""


@contextmanager
def endless(folder, job):
    """A run that is at a job without an end, and all its processes, of which nothing is left after the block."""
    target, log, says, settings = ENDLESS[job]
    folder.overlay(**settings)
    with folder.start(target) as process:
        wait_for(folder.path / log, says)
        every = psutil.Process(process.pid).children(recursive=True)
        try:
            yield process, every
        finally:
            for one in every:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
            kill_tree(process)


def assert_ended(folder, job, process, every):
    """Assert that a run ends, as its processes do, without a file or a traceback."""
    text, _ = process.communicate(timeout=30)
    # whoever adopts a process that ended takes a moment to notice
    _, left = psutil.wait_procs(every, timeout=WITHIN)
    assert left == []
    assert process.returncode
    assert "Traceback" not in text, text
    assert not (folder.path / ENDLESS[job][0]).exists()


@pytest.mark.parametrize("job", ENDLESS)
@pytest.mark.parametrize(
    "how", ["Ctrl-C", *(pytest.param(how, marks=pytest.mark.whole) for how in ("SIGINT", "SIGTERM"))]
)
def test_every_job_ends_within_seconds(new_folder, tally, job, how):
    folder = new_folder()
    with endless(folder, job) as (process, jobs):
        assert any("attention_audit" in part for one in jobs for part in one.cmdline())
        began = time.monotonic()
        if how == "Ctrl-C":  # a terminal sends it to all processes of its foreground
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(getattr(signal, how))
        assert_ended(folder, job, process, jobs)
        assert time.monotonic() - began < WITHIN
    assert process.returncode == 1
    tally("SIGINT or SIGTERM in a job", "every process ended within 10 seconds", 1)


SIGNALS = [
    (who, how) for who in ("Snakemake", "server", "job") for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
]


@pytest.mark.parametrize(
    ("who", "how"),
    [pytest.param(*case, marks=[] if case == ("Snakemake", signal.SIGINT) else pytest.mark.whole) for case in SIGNALS],
)
def test_nothing_is_left_and_nothing_is_lost(finished, new_folder, tally, who, how):
    folder, target = new_folder(), ENDLESS["training"][0]
    with endless(folder, "training") as (process, every):
        snakemake = psutil.Process(process.pid)
        (server,) = (one for one in snakemake.children() if "serve" in one.cmdline())
        (job,) = server.children()
        {"Snakemake": snakemake, "server": server, "job": job}[who].send_signal(how)
        assert_ended(folder, "training", process, every)
    folder.overlay()
    folder.make(target)
    assert (folder.path / target).read_bytes() == (finished.path / target).read_bytes()
    tally("a signal to Snakemake, the server or a job", "every process ended, and the next run made the file", 1)


def test_without_a_server_a_job_is_a_process_of_its_own(new_folder):
    folder = new_folder()
    common = folder.path / "workflow/rules/common.smk"
    text = common.read_text()
    (line,) = (line for line in text.splitlines(keepends=True) if line.startswith("    start_server("))
    copied = text.replace(line, "")
    common.unlink()
    common.write_text(copied)
    folder.overlay()
    target = "results/corpora/chorus/corpus.parquet"
    folder.make(target)
    assert (folder.path / target).exists()
