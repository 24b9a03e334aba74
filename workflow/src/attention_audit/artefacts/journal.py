"""The last line of a job's log: when the job ran, how long, on which machine, and which files it read and wrote.

This is written to the log and not to the results, since results have the same bytes whenever and wherever they are
made. Snakemake's `benchmark:` could give time and memory, but not the machine and the files, and it measures them from
another process.
"""

import json
import os
import platform
import re
import resource
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
from pydantic import TypeAdapter

WEIGHTS = ".safetensors"
JOB_KEY = "attention_audit_job"
FAILED = re.compile(r"\[[^]]*\] error: ")
"""How the line of a log begins that says what was wrong."""
CLEAR = "\r\033[K"
"""What empties the line of a terminal in which the cursor is."""


def measure_inputs(paths: Iterable[str | Path]) -> float:
    """Return the size of a job's inputs in MB.

    Weights do not count, as they are small where they are not given (`measure_weights`), nor do files of word vectors,
    which are read line by line, and arrays, which are read where they lie. Raises FileNotFoundError where any other
    input does not exist yet; Snakemake then asks again later.
    """
    counted = (Path(path) for path in paths)
    left_out = {WEIGHTS, ".npy"}
    return sum(p.stat().st_size for p in counted if p.suffix not in left_out and p.parent.name != "vectors") / 1e6


def measure_weights(paths: Iterable[str | Path]) -> float:
    """Return the size of the weights among files, in MB."""
    return sum(Path(path).stat().st_size for path in paths if Path(path).suffix == WEIGHTS) / 1e6


def write_duration(seconds: float) -> str:
    """Write a length of time in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


@dataclass(frozen=True)
class Machine:
    """The machine that a job ran on. cores: how many the job was allowed. gpu: the one it used. memory: in bytes."""

    cpu: str
    cores: int
    memory: int
    gpu: str | None
    system: str


@dataclass(frozen=True)
class Entry:
    """One job that succeeded.

    stage: the name of its rule. inputs, outputs: paths as on the job's command line. seconds: wall time. cpu_seconds:
    of the process and its workers. peak_memory, in bytes: of the process, plus the largest worker's times the number
    of workers. read: MB of the inputs, as `measure_inputs` counts them. importing: CPU seconds that Python's start and
    the imports took, before the stage began to work; None where it was not measured.
    """

    stage: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    started: datetime
    seconds: float
    cpu_seconds: float
    peak_memory: int
    read: float
    machine: Machine
    importing: float | None = None


ENTRY = TypeAdapter(Entry)


def describe_machine() -> Machine:
    """Describe the machine that this process runs on."""
    cpu, system = platform.processor() or platform.machine(), platform.platform(terse=True)
    with suppress(OSError, TypeError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        (cpu,) = re.findall(r"^model name.*?: *(.*)", text, re.MULTILINE)[:1] or [cpu]
    with suppress(OSError, KeyError):
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    # a job that has not loaded torch has used no GPU, and loading torch to ask would take a second
    torch = sys.modules.get("torch")
    gpu = str(torch.cuda.get_device_name()) if torch and torch.cuda.is_initialized() else None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = psutil.virtual_memory().total
    return Machine(cpu, cores, memory, gpu, f"{system}, {platform.system()} {platform.release()}")


def _measure_use(workers: int) -> tuple[float, int]:
    """Return CPU seconds and the peak of memory in bytes, of this process and its workers."""
    process, worker = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    # the system reports only the largest worker, in KiB except on macOS
    memory = (process.ru_maxrss + workers * worker.ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
    return round(process.ru_utime + process.ru_stime + worker.ru_utime + worker.ru_stime, 3), memory


def write_note(
    log: Path,
    stage: str,
    inputs: Mapping[str, Sequence[Path]],
    outputs: Mapping[str, Sequence[Path]],
    started: datetime,
    workers: int,
    importing: float,
) -> Entry:
    """Append the entry of the job that ends now to its log, and return the entry.

    stage: the name of the job's rule. workers: processes that the job may have had at a time. importing:
    time.process_time() right before the stage began to work.
    """

    seconds = round((datetime.now(UTC) - started).total_seconds(), 3)
    input_paths, output_paths = (
        tuple(path.as_posix() for group in files.values() for path in group) for files in (inputs, outputs)
    )
    size = measure_inputs(path for path in input_paths if Path(path).exists())
    cpu_seconds, peak_memory = _measure_use(workers)
    entry = Entry(
        stage=stage,
        inputs=input_paths,
        outputs=output_paths,
        started=started,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        peak_memory=peak_memory,
        read=round(size, 6),
        machine=describe_machine(),
        importing=round(importing, 3),
    )
    # a log that cannot be written must not fail the job
    with suppress(OSError), log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({JOB_KEY: asdict(entry)}, default=datetime.isoformat) + "\n")
    return entry


def read_lines(log: Path) -> list[str]:
    """Read the lines of a log, whatever is in it."""
    return log.read_text(encoding="utf-8", errors="replace").splitlines()


def read_last_entry(log: Path) -> Entry | None:
    """Read the entry in the last line of a log; None where the job did not succeed."""
    try:
        return ENTRY.validate_python(json.loads(read_lines(log)[-1])[JOB_KEY])
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def list_failures(logs: Path, since: float) -> list[str]:
    """Return the lines that say what was wrong, of all jobs that failed since a time, in the order of their logs'
    names.

    since: seconds of the epoch.
    """
    texts = (read_lines(log) for log in sorted(logs.rglob("*.log")) if log.stat().st_mtime >= since)
    return [*dict.fromkeys(line for lines in texts for line in lines if FAILED.match(line))]


def read_entries(logs: Path) -> list[Entry]:
    """Return all jobs whose logs lie under a folder, the earliest first."""
    return sorted(filter(None, map(read_last_entry, logs.rglob("*.log"))), key=lambda entry: entry.started)


def read_journal(logs: Path, products: Sequence[str]) -> list[Entry]:
    """Return the jobs that made `products` and the jobs that made their inputs, and so on, the earliest first.

    They are read from the logs under the folder `logs`; of two jobs that made one file, the later counts. A job whose
    log is gone is left out, and with it the jobs that made inputs for it alone.
    """
    entries = read_entries(logs)
    maker = {path: entry for entry in entries for path in entry.outputs}
    needed: set[Entry] = set()
    pending = list(products)
    for path in pending:
        entry = maker.get(path)
        if entry and entry not in needed:
            needed.add(entry)
            pending += entry.inputs
    return [entry for entry in entries if entry in needed]
