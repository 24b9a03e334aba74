"""One stage of a job: in a process that the run's server forks, or, where there is none, in one of its own.

Snakemake calls this file by its path, with an interpreter that looks for no packages, so that it starts at once. A
server counts only where it has the same interpreter and as many threads: libraries ask for these as they are loaded.
"""

import json
import os
import signal
import socket
import sys

SERVER = "ATTENTION_AUDIT_SERVER"
"""Variable of the environment: the server's interpreter and its socket, with a colon between; unset without one."""
THREADS = "OMP_NUM_THREADS"
KILLED = 128 + signal.SIGKILL


def is_same_interpreter(one: str, other: str) -> bool:
    """Tell whether two paths name one interpreter of one environment, such as its bin/python and bin/python3."""
    return os.path.dirname(one) == os.path.dirname(other) and os.path.realpath(one) == os.path.realpath(other)


def connected() -> socket.socket | None:
    """A connection to the server of this run; None where there is none that this call can use."""
    interpreter, _, path = os.environ.get(SERVER, "").rpartition(":")
    if not is_same_interpreter(interpreter, sys.executable) or os.environ.get(THREADS, "1") != "1":
        return None
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection


def call(connection: socket.socket, arguments: list[str]) -> int:
    """Let the server run a stage here, with this environment and this terminal; its exit status.

    Where the process ends without one, it was killed.
    """
    asked = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    try:
        socket.send_fds(connection, [b" "], [1, 2])
        connection.sendall(json.dumps(asked).encode())
        connection.shutdown(socket.SHUT_WR)
        status = connection.recv(1)
    except OSError:
        return KILLED
    return status[0] if status else KILLED


def main(arguments: list[str]) -> int:
    """Run a stage; its exit status."""
    connection = connected()
    if connection is None:
        os.execv(sys.executable, [sys.executable, "-m", "attention_audit", *arguments])
    return call(connection, arguments)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
