"""Which processes are jobs, and how they end."""

import subprocess
import sys

ENDING = """
import subprocess, sys, time
from attention_audit.artefacts import running
running.GRACE_SECONDS = 0.3
patient = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
below = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {patient!r}])"
job = subprocess.Popen([sys.executable, "-c", below, "-m", "attention_audit", "train"])
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
while len(list(running.list_jobs())) < 2:
    time.sleep(0.05)
time.sleep(0.5)
running.end_on_signal()
try:
    signal = __import__("signal")
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("interrupted", other.poll(), flush=True)
    job.wait(20)
    other.kill()
"""


def test_jobs_end_with_what_they_started_and_others_do_not():
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True, timeout=20)
    assert ended.stdout.split() == ["interrupted", "None"]
