"""kill -9 of the whole tree of processes, and the same command again."""

from __future__ import annotations

import random
import re

import pytest
from folder import Folder, NewFolder
from hurt import Tally, ask_for_everything, contents, differing, kill_after

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("finished")]

KILLS = 20


def steps_of(folder: Folder) -> int:
    """Steps of an undisturbed run."""
    match = re.search(r"^(\d+) of \1 steps", (folder.path / "terminal.txt").read_text(), flags=re.MULTILINE)
    assert match
    return int(match[1])


def test_a_killed_run_goes_on_and_ends_the_same(
    request: pytest.FixtureRequest, new_folder: NewFolder, full: bool, tally: Tally
) -> None:
    undisturbed: Folder = request.getfixturevalue("everything" if full else "finished")
    folder = ask_for_everything(new_folder()) if full else new_folder()
    draw = random.Random(6)
    kills, steps = (KILLS if full else 2), steps_of(undisturbed)
    done = 0
    for moment in sorted(draw.randrange(steps - 1) for _ in range(kills)):
        done += kill_after(folder, max(moment - done, 0), draw.uniform(0, 4), "all")
    left = folder.path / "results/tables/.wp_table2_uniform.parquet.1.part"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"half")
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    assert differing(contents(folder), contents(undisturbed)) == []
    tally("kill -9 of the whole tree", "continued by the same command, every result identical", kills)
