"""The lists of dependencies keep in step: pyproject.toml, constraints.txt, the conda environment, and what is built or
run from them.
"""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from itertools import chain
from pathlib import Path

import pytest
import yaml

from attention_audit.code_hash import PACKAGE_NAME

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "envs" / "attention-audit.yaml").read_text())

# the names that differ on conda-forge; -base leaves out a graphical interface and statsmodels, which no job uses
EXTRAS = PROJECT["optional-dependencies"]

CONDA_NAMES = {"matplotlib": "matplotlib-base", "seaborn": "seaborn-base", "torch": "pytorch"}
NOT_IN_JOBS = {"snakemake", "snakemake-interface-logger-plugins", "peft"}
TYPES = "_typeshed"
"""What only type checkers import."""
RECIPES = {"Dockerfile": r"^COPY (.*) \S+$", "apptainer.def": r"^    (\S+) /source/\S+$"}
"""What begins an image, and how it says what is copied into it."""


def normalised(requirement):
    """The name of a requirement, without extras and bounds, as package indices compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def pins():
    """Version by name; each line of constraints.txt is one exact pin."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines]
    assert all(pairs), [line for line, pair in zip(lines, pairs, strict=True) if not pair]
    return {normalised(pair[1]): pair[2] for pair in pairs if pair}


def test_every_direct_dependency_is_locked():
    direct = [*PROJECT["dependencies"], *chain.from_iterable(EXTRAS.values())]
    assert {normalised(name) for name in direct} - pins().keys() == set()


def test_conda_has_what_jobs_import_at_the_locked_versions():
    taken = [*PROJECT["dependencies"], *EXTRAS["transformers"], *EXTRAS["xlsx"]]
    names = {normalised(name) for name in taken} - NOT_IN_JOBS
    expected = {f"{CONDA_NAMES.get(name, name)} ={pins()[name]}" for name in names}
    assert set(CONDA["dependencies"]) == expected | {f"python {PROJECT['requires-python']}"}


def test_every_rule_names_the_environment():
    for path in (ROOT / "workflow" / "rules").glob("*.smk"):
        text = path.read_text()
        assert len(re.findall(r"conda:\s+ENVIRONMENT", text)) == text.count("    shell:"), path.name


def test_conda_has_every_library_that_jobs_import():
    trees = [ast.parse(path.read_text()) for path in (ROOT / "workflow" / "src").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    imported = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {PACKAGE_NAME, TYPES}
    distributions = packages_distributions()
    needed = {normalised(distributions[library][0]) for library in imported} - NOT_IN_JOBS
    known = {conda: name for name, conda in CONDA_NAMES.items()}
    there = {known.get(name, name) for name, *_ in map(str.split, CONDA["dependencies"]) if name != "python"}
    # pydantic and transformers have a half in another language, which comes with them
    brought = {normalised(each) for name in there for each in requires(name) or []}
    assert needed - there - brought == set()


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_image_is_built_of_files_that_there_are(recipe):
    text = (ROOT / "envs" / recipe).read_text()
    copied = {name for names in re.findall(RECIPES[recipe], text, re.MULTILINE) for name in names.split()}
    assert {name for name in copied if not (ROOT / name).exists()} == set()
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    built = {path.partition("/")[0] for path in (*hatch["packages"], *hatch["force-include"])}
    assert copied == built | {"constraints.txt", "pyproject.toml", PROJECT["readme"], "LICENSE"}
    [python] = re.findall(r"python:(3\.\d+)-slim", text)
    assert PROJECT["requires-python"] == f">={python}"
    [extras] = re.findall(r"PIP_CONSTRAINT=/source/constraints.txt pip install \S+ '\.\[(.*)\]'", text)
    assert set(extras.split(",")) <= EXTRAS.keys()


def test_the_code_host_calls_the_makefile():
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yaml").read_text())["jobs"]["make"]
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in job["strategy"]["matrix"]["target"])
    [python] = [step["with"]["python-version"] for step in job["steps"] if "with" in step]
    assert PROJECT["requires-python"] == f">={python}"
