"""What takes long to import, and is not needed to ask or to answer, waits until something calls for it."""

import subprocess
import sys

import pytest

SLOW = ("matplotlib", "scipy.optimize", "scipy.stats", "seaborn", "sklearn", "spacy", "captum", "snakemake")


@pytest.mark.parametrize("module", ["attention_audit.api", "attention_audit.tables.summary"])
def test_importing_it_loads_nothing_slow(module):
    code = f"import sys, {module}; print(*(name for name in {SLOW} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
