"""Ways to hurt a run."""

import gzip
import io
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tarfile
import time
from contextlib import contextmanager, suppress

import psutil
import pytest
from folder import TALKATIVE

TEXTS = {"texts": {"train": 64, "dev": 32, "test": 32}}
EVERY = {
    "corpora": {
        "chorus": TEXTS,
        "digest": TEXTS,
        "stories": {"kind": "babi", "task": 1, "archive": {"file": "stories.tar.gz"}, "vectors": "toy"},
    },
    "word_vectors": {"toy": {"kind": "file", "file": "toy.vec", "dimension": 8}},
    "mirror": "mirror",
    "serrano_smith": {
        "datasets": ["digest"],
        "models": ["han_rnn", "flan_none"],
        "hidden": 8,
        "attention": 8,
        "embedding": 8,
        "recipes": {"han": {"epochs": 2}, "flan": {"epochs": 2}},
    },
    "jain_wallace": {
        "datasets": ["stories"],
        "models": ["lstm_tanh"],
        "recipe": {"epochs": 1, "hidden": 8, "embedding": 8},
    },
    "deception": {"datasets": ["chorus"], "models": ["base"], "seeds": [10], "epochs": 1, "anonymised": False},
}
"""Over TINY: the papers, a liar, pairs, a fetched archive and word vectors, so that every kind of file is there."""


def only_first(count, values):
    """Parameters of a test, of which the ordinary suite runs the first few."""
    return [pytest.param(v, marks=() if i < count else pytest.mark.full) for i, v in enumerate(values)]


def story(number):
    """Two sentences and a question, as bAbI has them."""
    names, places = ("Mary", "John", "Sue"), ("hall", "garden", "kitchen")
    first, second = names[number % 3], names[(number + 1) % 3]
    place, other = places[number // 2 % 3], places[number % 3]
    return f"1 {first} moved to the {place}.\n2 {second} went to the {other}.\n3 Where is {first}? \t{place}\t1\n"


def write_mirror(folder):
    """The raw files that EVERY asks for."""
    (folder / "stories").mkdir(parents=True)
    (folder / "vectors").mkdir()
    path = folder / "stories/stories.tar.gz"
    # without the time, so that two runs have the same raw file
    with gzip.GzipFile(path, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for split, count in (("train", 64), ("test", 32)):
            content = "".join(map(story, range(count))).encode()
            entry = tarfile.TarInfo(f"tasks_1-20_v1-2/en-10k/qa1_single-supporting-fact_{split}.txt")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    draw = random.Random(1)
    words = ("Mary", "John", "Sue", "hall", "garden", "kitchen", "moved", "went", "to", "the", "Where", "is", ".")
    rows = (f"{word} {' '.join(f'{draw.uniform(-1, 1):.3f}' for _ in range(8))}\n" for word in words)
    (folder / "vectors/toy.vec").write_text("".join(rows))


def ask_for_everything(folder):
    """The folder, set to run EVERY."""
    write_mirror(folder.path / "mirror")
    folder.overlay(**EVERY)
    return folder


def contents(folder):
    """All results by path, but logs, the lock, and the pages, which tell of the run itself."""
    results = folder.path / "results"
    files = (path for path in results.rglob("*") if path.is_file() and results / "logs" not in path.parents)
    named = {path.relative_to(results).as_posix(): path for path in files}
    dated = (".lock", "report.html", "explorer.html")
    return {name: path.read_bytes() for name, path in sorted(named.items()) if name not in dated}


def differing(ours, theirs):
    """The files that are not the same in both."""
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))


def kill_tree(process):
    """kill -9 of a process and all its descendants, at once."""
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(process.pid)
        processes = [*parent.children(recursive=True), parent]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for one in processes:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(processes, timeout=30)


def kill_after(folder, steps, seconds, *targets):
    """Run, kill the whole tree so many seconds after so many finished steps; the steps that finished."""
    with folder.start(*targets, *TALKATIVE) as process:
        finished = 0
        for line in process.stdout:
            finished += line.startswith("Finished jobid")
            if finished >= steps:
                break
        time.sleep(seconds)
        assert process.poll() is None, "it ended before it was killed"
        kill_tree(process)
        finished += sum(line.startswith("Finished jobid") for line in process.stdout)
    return finished


def wait_for(path, text):
    """Until a file holds a text."""
    deadline = time.monotonic() + 120
    while not (path.is_file() and text in path.read_text()):
        assert time.monotonic() < deadline, f"{path} never held {text!r}"
        time.sleep(0.02)


def said(outcome):
    """The different lines that say what a user did wrong."""
    assert "Logging error" not in outcome.text, outcome.text
    found = (re.search(r"error: .*", line) for line in outcome.text.splitlines())
    return {match[0] for match in found if match}


def error_lines(outcome):
    """The same; there is no traceback."""
    assert "Traceback" not in outcome.text, outcome.text
    return said(outcome)


def follow(folder, line):
    """Run the command that a message gives to rebuild a file; return its exit status."""
    match = re.search(r"rebuild it with: (snakemake .*)", line)
    assert match, line
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", *shlex.split(match[1])]
    return subprocess.run(command, cwd=folder.path, env=environment, check=False, timeout=600).returncode


def mount(*arguments):
    """mount(8)."""
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


@contextmanager
def mounted(folder, size):
    """A file system in memory of its own, of that size, at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
