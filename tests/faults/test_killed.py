"""kill -9 of the whole tree of processes, and the same command again."""

import random
import re

import pytest
from hurt import ask_for_everything, contents, differing, kill_after

pytestmark = pytest.mark.whole


@pytest.mark.parametrize(
    ("run", "kills"),
    [
        pytest.param("finished", 2, marks=pytest.mark.xdist_group("finished")),
        pytest.param("everything", 20, marks=[pytest.mark.full, pytest.mark.xdist_group("everything")]),
    ],
)
def test_a_killed_run_goes_on_and_ends_the_same(request, new_folder, tally, run, kills):
    undisturbed = request.getfixturevalue(run)
    folder = ask_for_everything(new_folder()) if run == "everything" else new_folder()
    # the steps of an undisturbed run
    match = re.search(
        r"^(?:jobs: (?=\d+;)|\d+ of )(\d+)(?:;| steps)",
        (undisturbed.path / "terminal.txt").read_text(),
        flags=re.MULTILINE,
    )
    draw, steps, done = random.Random(6), int(match[1]), 0
    for moment in sorted(draw.randrange(steps - 4) for _ in range(kills)):
        done += kill_after(folder, max(moment - done, 0), draw.uniform(0, 0.5), "all")
    left = folder.path / "results/tables/.wp_table2_uniform.parquet.1.part"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"half")
    folder.make("all")
    assert differing(contents(folder), contents(undisturbed)) == []
    tally("kill -9 of the whole tree", "continued by the same command, every result identical", kills)
