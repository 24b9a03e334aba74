"""One stage of a job: in a process that the run's server forks, or, where there is none, in one of its own.

Snakemake calls this file by its path, with an interpreter that looks for no packages, so that it starts at once. A
server counts only where it has the same interpreter and as many threads: libraries ask for these as they are loaded.
"""

import contextlib
import json
import os
import signal
import socket
import sys

SERVER = "ATTENTION_AUDIT_SERVER"
"""Variable of the environment: the server's interpreter and its socket, with a colon between; unset without one."""
THREADS = "OMP_NUM_THREADS"
KILLED_STATUS = 128 + signal.SIGKILL


def name_interpreter() -> str:
    """Name the interpreter and its environment, alike for its bin/python and bin/python3."""
    return f"{os.path.dirname(sys.executable)}:{os.path.realpath(sys.executable)}"


def connect() -> socket.socket | None:
    """Connect to the server of this run; None where there is none that this call can use."""
    interpreter, _, path = os.environ.get(SERVER, "").rpartition(":")
    connection = socket.socket(socket.AF_UNIX)
    if interpreter == name_interpreter() and os.environ.get(THREADS, "1") == "1":
        with contextlib.suppress(OSError):
            connection.connect(path)
            return connection
    connection.close()
    return None


def call(connection: socket.socket, arguments: list[str]) -> int:
    """Let the server run a stage here, with this environment and this terminal; return its exit status.

    Where the process ends without one, it was killed.
    """
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    with contextlib.suppress(OSError):
        socket.send_fds(connection, [b" "], [1, 2])
        connection.sendall(json.dumps(request).encode())
        connection.shutdown(socket.SHUT_WR)
        for status in connection.recv(1):
            return status
    return KILLED_STATUS


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if server := connect():
        sys.exit(call(server, sys.argv[1:]))
    os.execv(sys.executable, [sys.executable, "-m", "attention_audit", *sys.argv[1:]])
