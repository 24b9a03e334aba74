"""Two runs in one folder."""

import os
import signal

import pytest
from hurt import contents, differing, error_lines, kill_tree, wait_for


@pytest.mark.whole
def test_the_second_ends_at_once_and_the_first_is_unharmed(finished, new_folder, full, tally):
    folder = new_folder()
    times = 5 if full else 1
    with folder.start("all") as first:
        wait_for(folder.path / "results/logs/prepare/chorus.log", "train")
        # however long the others take to start, it runs until they have ended
        os.killpg(first.pid, signal.SIGSTOP)
        for _ in range(times):
            second = folder.refuse("all")
            assert error_lines(second) == {"error: another run is writing to results/; wait for it to end"}
        os.killpg(first.pid, signal.SIGCONT)
        if full:
            first.communicate(timeout=600)
            assert first.returncode == 0
            assert differing(contents(folder), contents(finished)) == []
        else:
            assert first.poll() is None
            kill_tree(first)
    said = "refused in one line" + (", the first ends identical" if full else "")
    tally("a second run in the same folder", said, times)
