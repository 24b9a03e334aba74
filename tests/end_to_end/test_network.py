"""Jobs need no network: all but fetching runs where there is none."""

import subprocess
import sys

import pytest
from folder import OFFLINE, offline

pytestmark = pytest.mark.skipif(
    not offline(), reason=f"no network can be cut off here: {' '.join(OFFLINE)} is not permitted"
)


def test_the_whole_run_was_made_without_a_network(finished):
    assert (finished.path / "results/tables/wp_table5_adversary.parquet").is_file()
    call = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)"
    ended = subprocess.run([*OFFLINE, sys.executable, "-c", call], capture_output=True, text=True, check=False)
    assert "Network is unreachable" in ended.stderr
