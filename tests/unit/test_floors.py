"""What imports what: the contracts of pyproject.toml, and what planning does not load."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = ("captum", "gensim", "matplotlib", "pandas", "scipy", "seaborn", "sklearn", "spacy", "torch", "transformers")
"""Libraries that take long to import."""
PLANNING = """
import sys
from attention_audit.plan import plan
print(*sorted(set(sys.modules) & set(sys.argv[1:])))
"""


def test_modules_import_from_lower_floors_only() -> None:
    # in a process of its own: it disables all loggers that there are
    check = "import sys; from importlinter import cli; sys.exit(cli.lint_imports(no_cache=True, no_logo=True))"
    ended = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_planning_loads_no_heavy_library() -> None:
    # a corpus may import spaCy and scikit-learn where it uses them, which the contracts cannot tell from its top
    command = [sys.executable, "-c", PLANNING, *HEAVY]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == []
