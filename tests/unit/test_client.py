"""Jobs and the server of a run: whatever the interpreter is called, it is used; another environment's is not."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_audit.client import SERVER, THREADS, connected


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Path]:
    """The path of a socket on which somebody listens."""
    path = tmp_path / "server"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        yield path


def environment(folder: Path, *names: str) -> list[str]:
    """Interpreters of one environment, all of them links to this one."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(sys.executable)
    return [str(folder / name) for name in names]


def test_an_interpreter_of_another_name_reaches_the_server(
    listening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, other = environment(tmp_path / "bin", "python", "python3")
    monkeypatch.setattr(sys, "executable", other)
    monkeypatch.setenv(SERVER, f"{named}:{listening}")
    monkeypatch.setenv(THREADS, "1")
    connection = connected()
    assert connection is not None
    connection.close()


def test_another_environment_or_more_threads_or_no_server_have_a_process_of_their_own(
    listening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own,), (foreign,) = (environment(tmp_path / name, "python") for name in ("one", "two"))
    monkeypatch.setattr(sys, "executable", own)
    monkeypatch.setenv(THREADS, "1")
    monkeypatch.setenv(SERVER, f"{foreign}:{listening}")
    assert connected() is None
    monkeypatch.setenv(SERVER, f"{own}:{tmp_path / 'nobody'}")
    assert connected() is None
    monkeypatch.setenv(SERVER, f"{own}:{listening}")
    monkeypatch.setenv(THREADS, "2")
    assert connected() is None
