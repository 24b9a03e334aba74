"""What imports what: the contracts of pyproject.toml, what planning does not load, and the benchmarks."""

import subprocess
import sys
from importlib import import_module

import pytest
from planned import ROOT

HEAVY = ("captum", "gensim", "matplotlib", "pandas", "scipy", "seaborn", "sklearn", "spacy", "torch", "transformers")
"""Libraries that take long to import."""
PLANNING = """
import sys
from attention_audit.plan import plan
print(*sorted(set(sys.modules) & set(sys.argv[1:])))
"""


def test_modules_import_from_lower_floors_only():
    # in a process of its own: it disables all loggers that there are
    check = "import sys; from importlinter import cli; sys.exit(cli.lint_imports(no_cache=True, no_logo=True))"
    ended = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_planning_loads_no_heavy_library():
    # a corpus may import spaCy and scikit-learn where it uses them, which the contracts cannot tell from its top
    command = [sys.executable, "-c", PLANNING, *HEAVY]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == []


BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_can_be_imported(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    assert import_module(name).__doc__
