"""Which GPU a job takes: a free one, as long as there is one."""

import subprocess
import sys
import tempfile


def start():
    program = "from attention_audit.artefacts.running import claim; print(claim(2), flush=True); input()"
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answer(process):
    return process.stdout.readline().strip()


def test_two_jobs_take_two_gpus_and_a_killed_one_gives_its_own_back(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    jobs = [start()]
    assert answer(jobs[0]) == "0"
    jobs.append(start())
    assert answer(jobs[1]) == "1"
    # both are held: a third was asked to share
    jobs.append(start())
    assert answer(jobs[2]) in ("0", "1")
    jobs[0].kill()
    jobs[0].wait()
    jobs.append(start())
    assert answer(jobs[3]) == "0"
    for job in jobs:
        job.communicate("\n")
