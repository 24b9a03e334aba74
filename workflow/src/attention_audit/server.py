"""The server of a run: a process that imports each library once, and forks for each job.

It begins with the run, and ends when the run does, however that ends: then the pipe closes that the run holds open. A
job's process ends with whoever called it, and with the server. Nothing here asks a GPU for anything: a process that has
cannot be forked.
"""

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from attention_audit.client import SERVER

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
"""What Snakemake tells each job of one core: libraries read it as they are loaded."""
ENDING = (signal.SIGINT, signal.SIGTERM)
Main = Callable[[Sequence[str]], int]


def start_server(path: Path) -> None:
    """Start the server of this run at `path`, for all jobs that this process starts from now on.

    Where no socket can be made there, as on some file systems, each job is a process of its own.
    """
    listening = socket.socket(socket.AF_UNIX)
    try:
        path.unlink(missing_ok=True)
        listening.bind(str(path))
    except OSError:
        return
    listening.listen(128)
    server = subprocess.Popen(
        [sys.executable, "-m", "attention_audit", "serve", "--socket", str(listening.fileno())],
        stdin=subprocess.PIPE,
        pass_fds=[listening.fileno()],
        env=os.environ | ONE_THREAD,
    )
    listening.close()
    os.environ[SERVER] = f"{sys.executable}:{path}"
    atexit.register(end, server, path)


def end(server: subprocess.Popen[bytes], path: Path) -> None:
    """End the server of a run with all its jobs."""
    if server.stdin:
        server.stdin.close()
    server.wait()
    path.unlink(missing_ok=True)


def received(connection: socket.socket) -> tuple[bytes, list[int]]:
    """What a client asks, and its output and error streams. Raises EOFError where it has gone."""
    length, streams, _, _ = socket.recv_fds(connection, 8, 2)
    told = b""
    while length and len(told) < int.from_bytes(length, "big"):
        part = connection.recv(1 << 16)
        if not part:
            raise EOFError
        told += part
    if not told:
        raise EOFError
    return told, streams


class Server:
    """Forks for each call. number: of the socket that calls come from, as a file of this process. main: what runs a
    stage; prepare: what imports all that it needs, which may not fail.
    """

    def __init__(self, number: int, main: Main, prepare: Callable[[Sequence[str]], None]) -> None:
        self.listening, self.main, self.prepare = socket.socket(fileno=number), main, prepare
        self.jobs: set[int] = set()
        # nobody writes to this pipe; where its other end closes, the server has ended
        self.alive, self.held = os.pipe()

    def serve(self) -> None:
        """Answer calls until standard input closes, or a signal comes; then end all jobs."""

        def end(number: int, frame: FrameType | None) -> None:
            for each in ENDING:
                signal.signal(each, signal.SIG_IGN)
            sys.exit()

        for number in ENDING:
            signal.signal(number, end)
        try:
            self.answer_all()
        finally:
            for job in self.jobs:
                with suppress(ProcessLookupError):
                    os.killpg(job, signal.SIGTERM)
                os.waitpid(job, 0)

    def answer_all(self) -> None:
        """Answer calls until standard input closes."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.listening, selectors.EVENT_READ)
            ready.register(sys.stdin, selectors.EVENT_READ)
            while all(key.fileobj is self.listening for key, _ in ready.select()):
                connection, _ = self.listening.accept()
                with connection, suppress(EOFError, OSError):
                    self.answer(connection)
                self.jobs = {job for job in self.jobs if os.waitpid(job, os.WNOHANG) == (0, 0)}

    def answer(self, connection: socket.socket) -> None:
        """Fork for one call."""
        told, streams = received(connection)
        call = json.loads(told)
        self.prepare(call["arguments"])
        job = os.fork()
        if not job:
            self.work(connection, call, streams)
        # the child says it too; whoever comes first
        with suppress(PermissionError, ProcessLookupError):
            os.setpgid(job, job)
        self.jobs.add(job)
        for stream in streams:
            os.close(stream)

    def work(self, connection: socket.socket, call: dict[str, Any], streams: list[int]) -> NoReturn:
        """The job, in a process and a group of its own: it says its exit status, and ends."""
        status = 1
        try:
            for each in ENDING:
                signal.signal(each, signal.SIG_DFL)
            os.setpgid(0, 0)
            os.close(self.held)
            self.listening.close()
            with open(os.devnull, "rb") as nothing:
                os.dup2(nothing.fileno(), 0)
            for number, stream in enumerate(streams, start=1):
                os.dup2(stream, number)
                os.close(stream)
            os.environ.clear()
            os.environ.update(call["environment"])
            os.chdir(call["folder"])
            threading.Thread(target=self.watch, args=[connection.dup()], daemon=True).start()
            status = self.main(call["arguments"])
        except SystemExit as ended:
            status = int(ended.code or 0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
                connection.sendall(bytes([status]))
            os._exit(status)

    def watch(self, connection: socket.socket) -> None:
        """End this job, with all processes that it has started, once its caller or the server has ended."""
        with selectors.DefaultSelector() as ready:
            ready.register(connection, selectors.EVENT_READ)
            ready.register(self.alive, selectors.EVENT_READ)
            ready.select()
        os.killpg(0, signal.SIGTERM)
