"""What the tests of faults share."""

import subprocess

import pytest
from folder import fresh
from hurt import ask_for_everything, mounted


@pytest.fixture
def full(request):
    """Whether the full counts are asked for."""
    return bool(request.config.getoption("--full"))


@pytest.fixture
def tally(record_property):
    """Counts outcomes of a fault for the table at the end."""

    def count(fault, outcome, times=1):
        record_property("fault", [fault, outcome, times])

    return count


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    """A folder in which `all` has run undisturbed, with every kind of stage; do not alter it."""
    folder = ask_for_everything(fresh(tmp_path_factory.mktemp("everything") / "audit"))
    outcome = folder.make("all")
    (folder.path / "terminal.txt").write_text(outcome.text)
    return folder


@pytest.fixture
def mountable(tmp_path):
    """Skip a test where nothing can be mounted."""
    try:
        with mounted(tmp_path / "results", "64k"):
            pass
    except FileNotFoundError:
        pytest.skip("there is no mount(8)")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"nothing can be mounted here: {error.stderr.decode().strip()}")
