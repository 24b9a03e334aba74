"""A real Slurm of one node on this machine, from the system's packages: munge, the controller and the node's daemon.

Where the system permits, all of it runs in a network namespace of its own, that has nothing but a loopback: compute
nodes without internet. Everything lies in one folder but `/etc/slurm/slurm.conf`, which a job step reads whatever its
environment says; it is written at the start and removed at the end. A Slurm that the machine has of its own is left
alone.

    python tests/slurm/cluster.py COMMAND...     # run a command on it; stop it when the command ends
"""

import fcntl
import importlib.util
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

CONFIGURATION = Path("/etc/slurm/slurm.conf")
MARK = "# written by tests/slurm/cluster.py, which holds a lock on it while its cluster is up\n"
PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "squeue", "sinfo", "setpriv")
START = 60.0
"""Seconds in which the daemons must be up."""
# the daemons bind to nothing where a machine has no address but the loopback's own; this one leads nowhere
LOOPBACK = "ip link set lo up && ip address add 192.0.2.1/32 dev lo"

# More cores and memory than there are, so that no job waits. A job above its memory is killed within a second or two.
SETTINGS = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=2
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
MinJobAge=3600
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=64000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True)
class SlurmJob:
    """One line of squeue."""

    number: str
    state: str
    memory: str
    name: str


@dataclass(frozen=True)
class Cluster:
    """A cluster that is up. `namespace`: the process whose network it has; None for the machine's own."""

    namespace: int | None

    @property
    def offline(self):
        """Has it no network but a loopback?"""
        return self.namespace is not None

    def start(self, command, folder):
        """A command in a folder, as on the cluster's login node."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": PATH}
        return subprocess.Popen(
            [*entering(self.namespace), *command],
            cwd=folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def call(self, *command):
        """What a short command says. Raises CalledProcessError where it fails."""
        return subprocess.run(
            [*entering(self.namespace), *command], capture_output=True, text=True, check=True, timeout=60
        ).stdout

    def jobs(self, folder):
        """All jobs that were submitted from a folder, in order."""
        lines = self.call("squeue", "--states=all", "--noheader", "--sort=i", "--format=%i|%T|%m|%k|%Z").splitlines()
        rows = [line.split("|") for line in lines]
        return [SlurmJob(*row[:4]) for row in rows if Path(row[4]) == folder]


def missing():
    """Why no cluster can be started here; None where one can."""
    absent = [program for program in PROGRAMS if shutil.which(program, path=PATH) is None]
    if absent:
        return f"no Slurm here: {', '.join(absent)} not found (Debian: apt-get install munge slurmctld slurmd)"
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "Snakemake has no plugin for Slurm here: pip install snakemake-executor-plugin-slurm"
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons"
    if CONFIGURATION.exists():
        with CONFIGURATION.open() as handle:
            if handle.readline() != MARK:
                return f"{CONFIGURATION} is there: this machine has a Slurm of its own"
            if not lock(handle):
                return "another cluster of these tests is up"
    return None


def lock(handle):
    """Lock an open file until it is closed or this process ends; False where another holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def entering(namespace):
    """What stands before a command that runs in the network of a process."""
    return ["nsenter", f"--net=/proc/{namespace}/ns/net"] if namespace else []


def free_port():
    """A port that no one listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_up(cluster):
    """Does the node take jobs?"""
    try:
        return cluster.call("sinfo", "--noheader", "--format=%T").strip() in ("idle", "mixed", "allocated")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False


def wait_until_up(cluster, folder):
    """Until the node takes jobs. Raises RuntimeError with the daemons' last words where it never does."""
    deadline = time.monotonic() + START
    while not is_up(cluster):
        if time.monotonic() > deadline:
            words = "\n".join(f"{path.name}: {path.read_text()[-2000:]}" for path in sorted(folder.glob("*.log")))
            raise RuntimeError(f"Slurm was not up within {START:.0f} s\n{words}")
        time.sleep(0.2)


def empty_queue(cluster):
    """Cancel all jobs, and wait for them to go."""
    with suppress(subprocess.SubprocessError):
        cluster.call("scancel", "--user=root")
        deadline = time.monotonic() + 20
        while cluster.call("squeue", "--noheader").strip() and time.monotonic() < deadline:
            time.sleep(0.2)


@contextmanager
def start_cluster(folder):
    """Start the daemons in a new folder, wait for the node, and stop them all at the end."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    settings = SETTINGS.format(
        folder=folder, host=socket.gethostname(), controller_port=free_port(), node_port=free_port()
    )
    started = []

    def start(*command, namespace=None):
        with (folder / f"{command[0]}.terminal.log").open("wb") as terminal:
            process = subprocess.Popen(
                # ends with this process, however that ends
                ["setpriv", "--pdeathsig", "KILL", *entering(namespace), *command],
                stdout=terminal,
                stderr=terminal,
                env=os.environ | {"PATH": PATH},
                start_new_session=True,
            )
        started.append(process)
        return process.pid

    alone = ["unshare", "--net", "sh", "-c", f"{LOOPBACK} && exec sleep infinity"]
    attempt = ["sh", "-c", f"command -v nsenter && unshare --net sh -c {shlex.quote(LOOPBACK)}"]
    possible = subprocess.run(attempt, capture_output=True, check=False).returncode == 0
    cluster = Cluster(start(*alone) if possible else None)
    while cluster.offline and Path(f"/proc/{cluster.namespace}/comm").read_text().strip() != "sleep":
        time.sleep(0.05)
    CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
    configuration = CONFIGURATION.open("w")
    lock(configuration)
    configuration.write(MARK + settings)
    configuration.flush()
    try:
        start(
            "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
            f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed",
        )  # fmt: skip
        start("slurmctld", "-D", "-c", namespace=cluster.namespace)
        start("slurmd", "-D", "-c", namespace=cluster.namespace)
        wait_until_up(cluster, folder)
        yield cluster
    finally:
        empty_queue(cluster)
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        CONFIGURATION.unlink()
        configuration.close()


if __name__ == "__main__":
    if reason := missing():
        sys.exit(f"error: {reason}")
    with tempfile.TemporaryDirectory() as place, start_cluster(Path(place) / "slurm") as up:
        sys.exit(subprocess.run([*entering(up.namespace), *sys.argv[1:]], check=False).returncode)
