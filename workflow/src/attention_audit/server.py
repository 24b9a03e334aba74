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
from typing import NoReturn

from attention_audit.client import SERVER, name_interpreter

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
"""What Snakemake tells each job of one core: libraries read it as they are loaded."""
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
    number = listening.fileno()
    server = subprocess.Popen(
        [sys.executable, "-m", "attention_audit", "serve", "--socket", str(number)],
        stdin=subprocess.PIPE,
        pass_fds=[number],
        env=os.environ | ONE_THREAD,
    )
    listening.close()
    os.environ[SERVER] = f"{name_interpreter()}:{path}"
    atexit.register(path.unlink, missing_ok=True)
    atexit.register(server.communicate)


def serve(number: int, main: Main, prepare: Callable[[Sequence[str]], None]) -> None:
    """Fork for each call until the run ends, which closes standard input; then end all jobs, and wait for them.

    number: of the socket that calls come from, as a file of this process. main: what runs a stage; prepare: what
    imports all that it needs, which may not fail.
    """
    # so that nothing is left of a job that has ended
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(fileno=number)
    # nobody writes to this pipe; where its other end closes, the server has ended
    alive, write_end = os.pipe()
    while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            _, streams, _, _ = socket.recv_fds(connection, 1, 2)
            # a caller that has gone says nothing
            if request := connection.makefile("rb").read():
                call = json.loads(request)
                prepare(call["arguments"])
                if not os.fork():
                    os.close(write_end)
                    listening.close()
                    run_job(connection, streams, alive, main, **call)
            for stream in streams:
                os.close(stream)
    os.close(write_end)
    with suppress(ChildProcessError):
        os.wait()


def run_job(
    connection: socket.socket,
    streams: list[int],
    alive: int,
    main: Main,
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
) -> NoReturn:
    """Run a job, in a process and a group of its own: it says its exit status, and ends."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setpgid(0, 0)
        for descriptor, stream in enumerate([os.open(os.devnull, os.O_RDONLY), *streams]):
            os.dup2(stream, descriptor)
            os.close(stream)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        threading.Thread(target=watch, args=[connection, alive], daemon=True).start()
        status = main(arguments)
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


def watch(*ends: socket.socket | int) -> None:
    """End this job, with all processes that it has started, once its caller or the server has ended."""
    poll = select.poll()
    for end in ends:
        poll.register(end, 0)
    poll.poll()
    os.killpg(0, signal.SIGTERM)
