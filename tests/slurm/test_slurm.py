"""The workflow on a real Slurm of one node, without a network: it ends well, retries, and goes on after scancel."""

import hashlib
import re
import shutil
import subprocess
import sys
import time

import pytest
from cluster import missing, start_cluster
from folder import Finished, fresh
from published import pack

REASON = missing()

# one worker, so that there is one cluster
pytestmark = [
    pytest.mark.slurm,
    pytest.mark.xdist_group("slurm"),
    pytest.mark.skipif(REASON is not None, reason=str(REASON)),
]

TEXTS = {"train": 48, "dev": 16, "test": 16}
MEMORY = 300
"""MB at the first attempt: more than the job of Slurm needs before torch is imported, less than the training needs."""
EPOCHS = 900
"""Some seconds of training, since Slurm looks at a job's memory once a second."""


def trees(count):
    """Reviews of twelve words in the treebank's form, every second one good."""
    rows = []
    for i in range(count):
        words = [f"w{(i * 7 + j * 3) % 20}" for j in range(11)] + [["bad", "good"][i % 2]]
        rows.append(f"({4 * (i % 2)} " + " ".join(f"(2 {word})" for word in words) + ")")
    return "\n".join(rows) + "\n"


def audit(path):
    """A folder whose one data set is fetched from a mirror, and whose one model belongs to Jain & Wallace."""
    folder = fresh(path)
    archive = path / "mirror" / "trees" / "trees.zip"
    archive.parent.mkdir(parents=True)
    pack(archive, {f"trees/{split}.txt": trees(count) for split, count in TEXTS.items()})
    checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    tiny = {"epochs": EPOCHS, "hidden": 8, "embedding": 8}
    folder.overlay(
        datasets=[],
        mirror="mirror",
        corpora={"trees": {"kind": "sst", "archive": {"file": "trees.zip", "sha256": checksum}}},
        jain_wallace={"datasets": ["trees"], "models": ["average_tanh"], "recipe": tiny},
    )
    return folder


def snakemake(*arguments):
    """What a user types, but for the waiting times, which suit a machine and not a cluster."""
    waits = ["--slurm-init-seconds-before-status-checks", "3", "--seconds-between-status-checks", "1"]
    command = [sys.executable, "-m", "snakemake", "--profile", "profiles/slurm", *arguments]
    return [*command, "--configfile", "overlay.yaml", "--latency-wait", "20", *waits]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """The cluster, which is gone after these tests."""
    with start_cluster(tmp_path_factory.mktemp("cluster") / "slurm") as cluster:
        yield cluster


def list_trainings(slurm, folder):
    return [job for job in slurm.jobs(folder.path) if "train_wildcards_trees_average_tanh" in job.name]


def run(slurm, folder, *arguments):
    """The command on the cluster, run to its end."""
    process = slurm.start(snakemake(*arguments), folder.path)
    try:
        text, _ = process.communicate(timeout=900)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
    return Finished(process.returncode, text)


@pytest.fixture(scope="module")
def complete(slurm, tmp_path_factory):
    """A folder in which `all` has run on the cluster, its training with too little memory at first."""
    folder = audit(tmp_path_factory.mktemp("complete") / "audit")
    return folder, run(slurm, folder, "all", "--set-resources", f"train:mem_mb=attempt * {MEMORY}")


def test_all_ends_well_on_a_cluster_without_a_network(slurm, complete):
    folder, outcome = complete
    assert outcome.status == 0, outcome.text
    results = folder.path / "results"
    assert (results / "tables/jw_table2_correlation.parquet").is_file()
    assert (results / "figures/jw_fig_permutation.pdf").is_file()
    submitted = {job.name.removeprefix("rule_").partition("_wildcards_")[0] for job in slurm.jobs(folder.path)}
    assert submitted == {
        "prepare", "train", "performance", "permutation", "erasure", "instance_adversary", "plausibility",
        "attribute", "attribution",
    }  # fmt: skip
    # what fetches, and what takes seconds, runs where Snakemake runs
    assert (results / "logs/train/trees/average_tanh/seed10.log").is_file()


def test_a_job_killed_for_memory_is_sent_again_and_asks_for_more(slurm, complete):
    folder, outcome = complete
    first, *_, last = list_trainings(slurm, folder)
    assert (first.memory, first.state == "COMPLETED") == (f"{MEMORY}M", False)
    assert (last.memory, last.state) in [(f"{MEMORY * attempt}M", "COMPLETED") for attempt in (2, 3)]
    assert "Trying to restart job" in outcome.text
    [killed] = (folder.path / ".snakemake/slurm_logs").rglob(f"{first.number}.log")
    assert "memory" in killed.read_text().lower()


def test_a_run_stopped_by_scancel_goes_on_with_the_same_command(slurm, complete, tmp_path):
    whole, _ = complete
    folder = whole.copy(tmp_path / "audit")
    log = folder.path / "results/logs/train/trees/average_tanh/seed10.log"
    for path in ("models", "readouts", "attributions", "audits", "tables", "logs"):
        shutil.rmtree(folder.path / "results" / path)
    process = slurm.start(snakemake("table_contributions", "--retries", "0"), folder.path)
    deadline = time.monotonic() + 600
    while not log.exists():
        assert process.poll() is None, "the run ended before its training began"
        assert time.monotonic() < deadline, "no training was started"
        time.sleep(0.2)
    [training] = list_trainings(slurm, folder)
    slurm.call("scancel", training.number)
    text, _ = process.communicate(timeout=600)
    assert process.returncode != 0
    assert re.search(rf"(JOB|STEP) {training.number}\b.* CANCELLED", text), text
    assert not (folder.path / "results/tables/table_contributions.parquet").exists()
    outcome = run(slurm, folder, "table_contributions", "--retries", "0")
    assert outcome.status == 0, outcome.text
    # the corpus was there, and stays
    assert not any("prepare" in job.name for job in slurm.jobs(folder.path))
    assert (folder.path / "results/tables/table_contributions.parquet").is_file()
    for name, content in folder.parquet().items():
        assert content == whole.parquet()[name], name


def test_the_cluster_has_no_network(slurm):
    if not slurm.offline:
        pytest.skip("no network namespace can be made here (unshare --net)")
    output = slurm.call("srun", sys.executable, "-c", "import socket; print(socket.if_nameindex())")
    assert re.findall(r"'(\w+)'", output) == ["lo"]
