"""Folders in which the real workflow runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from folder import Folder, fresh


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which the tiny `all` has run, without a network where that is permitted; do not alter it."""
    folder = fresh(tmp_path_factory.mktemp("finished") / "audit")
    outcome = folder.run("all", network=False)
    assert outcome.status == 0, outcome.text
    (folder.path / "terminal.txt").write_text(outcome.text)
    return folder


@pytest.fixture
def altered(finished: Folder, tmp_path: Path) -> Folder:
    """A copy of the finished folder, to alter."""
    return finished.copy(tmp_path / "audit")


@pytest.fixture
def new_folder(tmp_path: Path) -> Callable[[], Folder]:
    """Makes folders in which nothing has run."""
    count = iter(range(10))
    return lambda: fresh(tmp_path / f"new{next(count)}")
