"""The server of a run: a process that imports each library once, and forks for each job.

It begins with the run, and ends when the run does, however that ends: then the pipe closes that the run holds open. A
job's process ends with whoever called it, and with the server. Nothing here asks a GPU for anything: a process that has
cannot be forked.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ForkingMixIn, UnixStreamServer
from typing import Any, NoReturn

from attention_audit.client import SERVER

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
"""What Snakemake tells each job of one core: libraries read it as they are loaded."""
ENDING = (signal.SIGINT, signal.SIGTERM)
OFTEN = 0.1
"""Seconds between two looks at whether the run has ended."""
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
    server.communicate()
    path.unlink(missing_ok=True)


class Server(ForkingMixIn, UnixStreamServer):
    """Fork for each call. number: of the socket that calls come from, as a file of this process. main: what runs a
    stage; prepare: what imports all that it needs, which may not fail.
    """

    max_children = 10**6

    def __init__(self, number: int, main: Main, prepare: Callable[[Sequence[str]], None]) -> None:
        super().__init__("", BaseRequestHandler, bind_and_activate=False)
        self.socket.close()
        self.socket, self.main, self.prepare = socket.socket(fileno=number), main, prepare
        # nobody writes to this pipe; where its other end closes, the server has ended
        self.alive, self.held = os.pipe()

    def serve(self) -> None:
        """Answer calls until the run ends, which closes standard input, or a signal comes; then end all jobs."""
        for number in ENDING:
            signal.signal(number, lambda *_: sys.exit())
        with self:
            self.serve_forever(OFTEN)

    def server_close(self) -> None:
        """End all jobs, and wait for them."""
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        os.close(self.held)
        super().server_close()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Read a call, with its output and error streams, and import what it needs. Raises OSError where its caller has
        gone.
        """
        connection, address = super().get_request()
        _, self.streams, _, _ = socket.recv_fds(connection, 1, 2)
        told = connection.makefile("rb").read()
        if not told:
            raise ConnectionAbortedError
        self.call = json.loads(told)
        self.prepare(self.call["arguments"])
        return connection, address

    def process_request(self, request: Any, client_address: Any) -> None:
        """Fork; the child does not return."""
        super().process_request(request, client_address)
        for stream in self.streams:
            os.close(stream)

    def service_actions(self) -> None:
        """Look whether the run has ended."""
        super().service_actions()
        if select.select([sys.stdin], [], [], 0)[0]:
            sys.exit()

    def finish_request(self, request: Any, client_address: Any) -> NoReturn:
        """Run a job, in a process and a group of its own: it says its exit status, and ends."""
        status = 1
        try:
            for ending in ENDING:
                signal.signal(ending, signal.SIG_DFL)
            os.setpgid(0, 0)
            os.close(self.held)
            self.socket.close()
            for number, stream in enumerate([os.open(os.devnull, os.O_RDONLY), *self.streams]):
                os.dup2(stream, number)
                os.close(stream)
            os.environ.clear()
            os.environ.update(self.call["environment"])
            os.chdir(self.call["folder"])
            threading.Thread(target=self.watch, args=[request], daemon=True).start()
            status = self.main(self.call["arguments"])
        except SystemExit as ended:
            status = int(ended.code or 0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
                request.sendall(bytes([status]))
            os._exit(status)

    def watch(self, connection: socket.socket) -> None:
        """End this job, with all processes that it has started, once its caller or the server has ended."""
        ends = select.poll()
        for each in (connection, self.alive):
            ends.register(each, 0)
        ends.poll()
        os.killpg(0, signal.SIGTERM)
