"""Seconds that the default run takes in two checkouts, one right after the other: processor time of all its processes,
wall time, and the ratios.

    git worktree add ../before 502a4f9
    python benchmarks/default_run.py ../before .  [--cores 2] [--configfile presets/sst-quick.yaml ...]

Each runs in a copy of its checkout, in a new folder, with the interpreter that runs this; the results are left there,
so that `schedule.py` and `compare_results.py` can read them. What else the machine does counts too: leave both cores
free.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARTS = ("Snakefile", "config.yaml", "workflow", "profiles", "presets", "envs")


def run(tree: Path, cores: int, further: list[str]) -> tuple[float, float]:
    """Processor and wall seconds of the run of a checkout. Raises CalledProcessError where it fails."""
    folder = Path(tempfile.mkdtemp(prefix=f"{tree.resolve().name}-"))
    for part in PARTS:
        copy = shutil.copytree if (tree / part).is_dir() else shutil.copy
        copy(tree / part, folder / part)
    snakemake = [sys.executable, "-m", "snakemake", "--cores", str(cores), "all", *further]
    # what is compiled, and what is known of the code for its hashes, is there as in any later run
    subprocess.run([*snakemake, "-n"], cwd=folder, check=True, capture_output=True)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with (folder / "terminal.txt").open("w") as terminal:
        subprocess.run(snakemake, cwd=folder, check=True, stdout=terminal, stderr=terminal)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter() - started
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{tree}: {spent:.0f} s of processor time, {wall:.0f} s of wall time; in {folder}", flush=True)
    return spent, wall


def main() -> None:
    """Run both, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs=2, type=Path, metavar="CHECKOUT")
    parser.add_argument("--cores", type=int, default=2)
    call, further = parser.parse_known_args()
    (before, before_wall), (after, after_wall) = (run(tree, call.cores, further) for tree in call.trees)
    print(f"processor time {after / before:.2f}, wall time {after_wall / before_wall:.2f} of the first")


if __name__ == "__main__":
    main()
