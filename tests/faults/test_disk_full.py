"""A disk that fills up in the middle of a write."""

import pytest
from folder import fresh
from hurt import contents, differing, error_lines, mount, mounted


@pytest.mark.usefixtures("mountable")
@pytest.mark.parametrize("size", ["160k", *(pytest.param(size, marks=pytest.mark.full) for size in ("32k", "640k"))])
def test_a_full_disk_is_one_line_and_the_run_goes_on(tmp_path, finished, full, tally, size):
    folder = fresh(tmp_path / "audit")
    results = folder.path / "results"
    with mounted(results, size):
        outcome = folder.refuse("all")
        lines = error_lines(outcome)
        assert lines, outcome.text
        assert all("cannot be written" in line and "No space left on device" in line for line in lines), lines
        assert not list(results.rglob("*.part"))
        whole = contents(finished)
        assert all(whole[name] == content for name, content in contents(folder).items())
        if full:
            mount("-o", "remount,size=64m", str(results))
            folder.make("all")
            assert differing(contents(folder), whole) == []
    said = "one line, nothing half-written" + (", continued when there was room, identical" if full else "")
    tally("the disk is full in the middle of a write", said)
