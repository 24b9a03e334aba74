"""The real workflow, run by subprocess in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from attention_audit.artefacts.parquet import read_frame
from attention_audit.code_hash import code_hash
from attention_audit.columns.files import CENSUS, CORPUS, HEAD, HISTORY, READOUT, SEARCH, VOCABULARY
from attention_audit.columns.kinds import artefact
from attention_audit.plan.exhibits import EXHIBITS, TABLES
from attention_audit.stages.audit_files import KINDS

ROOT = Path(__file__).parents[2]
SOURCE = "workflow/src/attention_audit"
PARTS = ["Snakefile", "config.yaml", "workflow", "profiles", "presets", "envs"]

TINY = {
    "datasets": ["chorus"],
    "corpora": {"chorus": {"texts": {"train": 64, "dev": 32, "test": 32}}},
    "model": {"embedding": 8, "hidden": 8, "attention_hidden": 8},
    "training": {"further_seeds": [50], "epochs": 2, "learning_rate": 0.003},
    "guides": {"hidden": 8, "attention": 8, "adversary_lambda": 0.01},
    "adversary": {
        "search": "both",
        "lambdas": [0.001, 0.01],
        "epochs": 2,
        "patience": 2,
        "continuation": {"steps": 2, "epochs": 1, "pace": 0.3},
    },
    "instance_adversary": {"steps": 10},
    "agreement": {"texts": 40},
}
TALKATIVE = ("--quiet", "host")
"""Options by which Snakemake says all of its jobs."""
UNCOUNTED = {
    "total", "all", "corpora", "audits", "tables", "figures", "report_page", "report_html", "explorer",
    *(exhibit.rule for exhibit in EXHIBITS),
}  # fmt: skip
"""Rules that gather files, and pages, which nearly every change makes anew."""
OFFLINE = ["unshare", "--net", "--map-root-user"]
"""What stands before a command that is to have no network."""


@cache
def offline():
    """May the network be cut off from a command here?"""
    return (
        shutil.which(OFFLINE[0]) is not None
        and not subprocess.run([*OFFLINE, "true"], capture_output=True, check=False).returncode
    )


@dataclass(frozen=True)
class Finished:
    """A command that ended: its exit status, and all it said."""

    status: int
    text: str

    def jobs(self):
        """Jobs by their rules, from the table that Snakemake prints; without pages, and rules that only gather."""
        table = re.findall(r"^(\w+) +(\d+)$", self.text, flags=re.MULTILINE)
        return {rule: int(count) for rule, count in table if rule not in UNCOUNTED}


@dataclass(frozen=True)
class Folder:
    """A copy of the repository with a configuration of its own."""

    path: Path

    def command(self, *arguments):
        """Snakemake as a user calls it, with that configuration."""
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments, "--configfile", "overlay.yaml"]

    def start(self, *arguments, network=True):
        """The command, started in a process group of its own; without a network where that is permitted."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.Popen(
            [*([] if network or not offline() else OFFLINE), *self.command(*arguments)],
            cwd=self.path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, *arguments, network=True, talkative=True):
        """The command, run to its end. talkative: Snakemake says which jobs it runs, as it does not by itself."""
        process = self.start(*arguments, *TALKATIVE * talkative, network=network)
        text, _ = process.communicate(timeout=1200)
        return Finished(process.returncode, text)

    def make(self, *arguments, **further):
        """Run the command, which ends well."""
        outcome = self.run(*arguments, **further)
        assert outcome.status == 0, outcome.text
        return outcome

    def refuse(self, *arguments):
        """Run the command, which ends in an error."""
        outcome = self.run(*arguments)
        assert outcome.status != 0, outcome.text
        return outcome

    def overlay(self, **changes):
        """Write down TINY with these changes."""
        (self.path / "overlay.yaml").write_text(yaml.safe_dump(TINY | changes))

    def copy(self, path):
        """The same folder elsewhere, results and Snakemake's memory of them included."""
        shutil.copytree(self.path, path, symlinks=True)
        return Folder(path)

    def frame(self, path):
        """Read a Parquet file of the results."""
        return read_frame(self.path / "results" / path, kind_of(self.path / "results" / path))

    def parquet(self):
        """Every results Parquet by its path."""
        results = self.path / "results"
        return {path.relative_to(results).as_posix(): path.read_bytes() for path in results.rglob("*.parquet")}


def assert_rendered(folder, tables, figures):
    """That these tables and figures are there in all their formats."""
    results = folder.path / "results"
    for table in tables:
        for ending in ("parquet", "csv", "json", "md", "tex"):
            assert (results / "tables" / f"{table}.{ending}").stat().st_size > (40 if ending == "csv" else 200)
    for figure in figures:
        assert (results / "figures" / f"{figure}.pdf").read_bytes().startswith(b"%PDF")
        assert (results / "figures" / f"{figure}.png").read_bytes().startswith(b"\x89PNG")


def kind_of(path):
    """The declared kind of a Parquet file in results/, from its place there."""
    _, folder, *_, name = path.parts[path.parts.index("results") :]
    match folder:
        case "tables":
            return artefact({table.name: table.columns for table in TABLES.values()}[path.stem])
        case "audits" | "attributions":
            return KINDS[path.stem]
        case "readouts":
            return HEAD if path.stem == "head" else READOUT
        case "models":
            return SEARCH if path.stem.endswith(".search") else HISTORY
    return {"corpus.parquet": CORPUS, "census.parquet": CENSUS, "vocabulary.parquet": VOCABULARY}[name]


@cache
def _read_once():
    """Read every module for its hash here, so that the copies find what is kept beside the bytecode."""
    modules = (path.relative_to(ROOT / SOURCE).with_suffix("") for path in (ROOT / SOURCE).rglob("[!_]*.py"))
    code_hash(*(".".join(module.parts) for module in modules))


def fresh(path):
    """A copy of the repository without results."""
    _read_once()
    path.mkdir(parents=True)
    ignored = shutil.ignore_patterns("*.part", "*.pyc.*", "*.egg-info")  # such as another worker writes now
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, path / part, ignore=ignored)
        else:
            shutil.copy2(source, path / part)
    folder = Folder(path)
    folder.overlay()
    return folder
