"""The three lists of dependencies keep in step: pyproject.toml, constraints.txt, and the conda environment."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "envs" / "attention-audit.yaml").read_text())

# the names that differ on conda-forge; -base leaves out a graphical interface and statsmodels, which no job uses
CONDA_NAMES = {"matplotlib": "matplotlib-base", "seaborn": "seaborn-base", "torch": "pytorch"}
NOT_IN_JOBS = {"snakemake"}


def normalised(requirement: str) -> str:
    """The name of a requirement, without extras and bounds, as package indices compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def pins() -> dict[str, str]:
    """Version by name; each line of constraints.txt is one exact pin."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines]
    assert all(pairs), [line for line, pair in zip(lines, pairs, strict=True) if not pair]
    return {normalised(pair[1]): pair[2] for pair in pairs if pair}


def test_every_direct_dependency_is_locked() -> None:
    direct = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
    assert {normalised(name) for name in direct} - pins().keys() == set()


def test_conda_has_what_jobs_import_at_the_locked_versions() -> None:
    names = {normalised(name) for name in PROJECT["dependencies"]} - NOT_IN_JOBS
    expected = {f"{CONDA_NAMES.get(name, name)} ={pins()[name]}" for name in names}
    assert set(CONDA["dependencies"]) == expected | {f"python {PROJECT['requires-python']}"}


def test_conda_takes_packages_from_one_channel() -> None:
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]


def test_every_rule_names_the_environment() -> None:
    for path in (ROOT / "workflow" / "rules").glob("*.smk"):
        text = path.read_text()
        assert text.count("../../envs/attention-audit.yaml") == text.count("    shell:"), path.name
