"""Jobs and the server of a run: whatever the interpreter is called, it is used; another environment's is not."""

import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

from attention_audit import client
from attention_audit.client import SERVER, THREADS, connect, name_interpreter


@pytest.fixture
def listening(tmp_path):
    """The path of a socket on which somebody listens."""
    path = tmp_path / "server"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        yield path


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Give this interpreter another path, a link to it; what it is called then."""

    def name(path):
        link = tmp_path / path
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(sys.executable)
        monkeypatch.setattr(sys, "executable", str(link))
        return name_interpreter()

    return name


def test_an_interpreter_of_another_name_reaches_the_server_and_that_of_another_environment_does_not(
    listening, tmp_path, named, monkeypatch
):
    monkeypatch.setenv(THREADS, "1")
    monkeypatch.setenv(SERVER, f"{named('one/python')}:{listening}")
    own = named("one/python3")
    connect().close()
    monkeypatch.setenv(THREADS, "2")
    assert connect() is None
    monkeypatch.setenv(THREADS, "1")
    monkeypatch.setenv(SERVER, f"{own}:{tmp_path / 'nobody'}")
    assert connect() is None
    monkeypatch.setenv(SERVER, f"{own}:{listening}")
    named("two/python")
    assert connect() is None


TOY = """
import os, sys, time
from attention_audit.server import serve

def work(arguments):
    print(*arguments, os.environ.get("COLOUR"), os.path.basename(os.getcwd()), flush=True)
    if arguments[0] == "raise":
        sys.exit(3)
    time.sleep(60 * (arguments[0] == "wait"))
    return 2

serve(int(sys.argv[1]), work, lambda arguments: None)
"""
"""A server whose jobs say what they were told, and may wait for a minute."""


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server that `connect` finds."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "server"))
        listening.listen()
        number = listening.fileno()
        command = [sys.executable, "-c", TOY, str(number)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number])
    monkeypatch.setenv(SERVER, f"{name_interpreter()}:{tmp_path / 'server'}")
    monkeypatch.setenv(THREADS, "1")
    yield process
    process.kill()
    process.communicate()


def start_call(folder, *arguments):
    """Call the server from a process in a folder, as Snakemake does."""
    command = [sys.executable, client.__file__, *arguments]
    colours = os.environ | {"COLOUR": "blue"}
    return subprocess.Popen(command, cwd=folder, env=colours, stdout=subprocess.PIPE, text=True)


def children(process):
    """The jobs of a server, once there is one."""
    parent = psutil.Process(process.pid)
    for _ in range(1000):
        if found := parent.children():
            return found
        time.sleep(0.01)
    raise AssertionError("the server forks for no call")


def test_a_job_has_the_arguments_folder_and_environment_of_its_call(server, tmp_path):
    for word, status in (("return", 2), ("raise", 3)):
        called = start_call(tmp_path, word, "word " * 20_000)
        said, _ = called.communicate(timeout=60)
        assert (said.split()[0], said.split()[-2:], called.returncode) == (word, ["blue", tmp_path.name], status)


@pytest.mark.parametrize("who", ["caller", "server", "run"])
def test_a_job_ends_with_its_caller_its_server_and_the_run(server, tmp_path, who):
    called = start_call(tmp_path, "wait")
    jobs = children(server)
    if who == "caller":
        called.kill()
    elif who == "server":
        server.kill()
    else:
        server.stdin.close()
    _, left = psutil.wait_procs(jobs, timeout=30)
    assert left == []
    called.communicate(timeout=30)
    assert called.returncode == (-signal.SIGKILL if who == "caller" else client.KILLED_STATUS)
    if who != "caller":
        server.wait(timeout=30)
    assert (server.poll() is None) == (who == "caller")
