"""What the tests of faults share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from folder import Folder, fresh
from hurt import Tally, ask_for_everything, why_no_mount


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the full counts are asked for."""
    return bool(request.config.getoption("--full"))


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Tally:
    """Counts outcomes of a fault for the table at the end."""

    def count(fault: str, outcome: str, times: int = 1) -> None:
        record_property("fault", [fault, outcome, times])

    return count


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which `all` has run undisturbed, with every kind of stage; do not alter it."""
    folder = ask_for_everything(fresh(tmp_path_factory.mktemp("everything") / "audit"))
    outcome = folder.run("all")
    assert outcome.status == 0, outcome.text
    (folder.path / "terminal.txt").write_text(outcome.text)
    return folder


@pytest.fixture
def mountable(tmp_path: Path) -> Path:
    """A folder at which something can be mounted."""
    reason = why_no_mount(tmp_path / "results")
    if reason:
        pytest.skip(reason)
    return tmp_path / "results"
