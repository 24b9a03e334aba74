"""A results folder that is read-only, or turns read-only."""

import re
import subprocess

import pytest
from folder import TALKATIVE, Finished, fresh
from hurt import contents, differing, error_lines, mount, mounted, said


@pytest.mark.usefixtures("mountable")
def test_read_only_from_the_start(tmp_path, tally):
    folder = fresh(tmp_path / "audit")
    results = folder.path / "results"
    with mounted(results, "64m"):
        mount("-o", "remount,ro", str(results))
        outcome = folder.refuse("all")
        (line,) = error_lines(outcome)
        assert line.startswith("error: results/.lock: cannot be written")
    tally("results are read-only from the start", "one line")


@pytest.mark.usefixtures("mountable")
@pytest.mark.full
@pytest.mark.parametrize("steps", [5, 20])
def test_read_only_in_the_middle(tmp_path, finished, tally, steps):
    folder = fresh(tmp_path / "audit")
    results = folder.path / "results"
    locked = []
    with folder.start("all", *TALKATIVE) as process:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if sum(line.startswith("Finished jobid") for line in lines) == steps and not locked:
                # the folders and not the whole: that can not be made read-only while the lock in it is open
                locked = [path for path in results.iterdir() if path.is_dir()]
                for path in locked:
                    mount("--bind", str(path), str(path))
                    mount("-o", "remount,bind,ro", str(path))
    try:
        assert process.returncode != 0
        outcome = Finished(process.returncode, "".join(lines))
        errors = said(outcome)
        assert errors, outcome.text
        assert all("cannot be written (Read-only file system)" in line for line in errors), errors
        # Snakemake removes old logs and empty folders; where it can not, it ends in a traceback of its own
        assert not re.search(r'File ".*/attention_audit/', outcome.text), outcome.text
    finally:
        for path in locked:
            subprocess.run(["umount", str(path)], check=True)
    folder.make("all")
    assert differing(contents(folder), contents(finished)) == []
    tally("results turn read-only in the middle", "one line, continued when unlocked, identical")
