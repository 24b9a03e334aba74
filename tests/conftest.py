"""What the tests share."""

import csv
from collections import Counter

import pytest
import torch
from folder import fresh
from hypothesis import settings
from readouts import make_readout

from attention_audit.artefacts.provenance import Provenance
from attention_audit.corpus import raw

# a busy machine, or the first import of a library, is no fault
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_addoption(parser):
    """`--full`: the counts that docs/reliability.md shows."""
    parser.addoption("--full", action="store_true", help="hurt the workflow as often as docs/reliability.md says")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark tests of the workflow, and those that one worker runs, so that the finished run is made once; let those
    marked `full` wait for `--full`.
    """
    for item in items:
        if item.path.parent.name in ("end_to_end", "faults"):
            item.add_marker("end_to_end")
        shared = {"finished"} if item.get_closest_marker("whole") else {"finished", "new_folder"}
        if shared & {*item.fixturenames} and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group("finished"))
        if item.get_closest_marker("full") and not config.getoption("--full"):
            item.add_marker(pytest.mark.skip(reason="only with --full"))


def pytest_terminal_summary(terminalreporter):
    """What the tests of faults counted, as a table."""
    counted = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", []) if getattr(report, "when", "") == "call" else []:
                if name == "fault":
                    fault, outcome, times = value
                    counted.setdefault(fault, Counter())[outcome] += times
    if counted:
        terminalreporter.section("faults")
        width = max(map(len, counted))
        for fault, outcomes in sorted(counted.items()):
            said = ", ".join(f"{times:,} {outcome}" for outcome, times in outcomes.items())
            terminalreporter.write_line(f"{fault:<{width}} | {outcomes.total():>7,} | {said}")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A folder in which the tiny `all` has run, without a network where that is permitted; do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("finished") / "audit")
    outcome = folder.make("all", network=False, talkative=False)
    (folder.path / "terminal.txt").write_text(outcome.text)
    return folder


@pytest.fixture
def altered(finished, tmp_path):
    """A copy of the finished folder, to alter."""
    return finished.copy(tmp_path / "audit")


@pytest.fixture
def new_folder(tmp_path):
    """Makes folders in which nothing has run."""
    count = iter(range(10))
    return lambda: fresh(tmp_path / f"new{next(count)}")


@pytest.fixture(scope="session")
def chrome(tmp_path_factory):
    """A browser for all tests that need one; skips them where the machine has none."""
    import browser  # Selenium takes a second to import

    with browser.opened(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _denormals():
    """Training flushes them for the whole process, and hypothesis needs them."""
    yield
    torch.set_flush_denormal(False)


@pytest.fixture
def provenance():
    """Provenance of a stage that no one ran."""
    return Provenance("test", {"a": 1}, "0" * 64)


@pytest.fixture
def random_readout():
    """A readout of texts with the given lengths, consistent in itself: probabilities follow from attention."""
    return make_readout


@pytest.fixture
def limit_fields(monkeypatch):
    """Limit the length of a csv field for one test; Python's own limit is of the whole process."""
    before = csv.field_size_limit()

    def limit(length):
        monkeypatch.setattr(raw, "MAX_CHARACTERS", length)
        csv.field_size_limit(length)

    yield limit
    csv.field_size_limit(before)
