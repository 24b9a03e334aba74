"""What takes long to import, and is not needed to ask or to answer, waits until something calls for it."""

import subprocess
import sys

import classifiers_on_disk as on_disk
import pytest

SLOW = ("matplotlib", "scipy.optimize", "scipy.stats", "seaborn", "sklearn", "spacy", "captum", "snakemake")
READ = """
import sys
from transformers import AutoModelForSequenceClassification, AutoTokenizer

folder, *slow = sys.argv[1:]
model = AutoModelForSequenceClassification.from_pretrained(folder)
tokenizer = AutoTokenizer.from_pretrained(folder)
model(**tokenizer("a good film", return_tensors="pt"))
of_user = {*sys.modules}

import attention_audit

texts = ["A good film, isn't it?", "the film is great"]
first, _ = attention_audit.read(model, tokenizer, texts, maps=["rollout"])
assert first.columns["word"].tolist()[:8] == ["A", "good", "film", ",", "is", "n't", "it", "?"]
assert {*first.to_dict()["attributions"]} >= {"weight", "rollout"}
print(first)
assert "rollout" in first._repr_html_()
print("loaded:", *sorted({*slow} & {*sys.modules} - of_user))
"""


def run(code, *arguments):
    """What a process of its own prints last."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("module", "slow"), [("attention_audit.api", (*SLOW, "pandas")), ("attention_audit.tables.summary", SLOW)]
)
def test_importing_it_loads_nothing_slow(module, slow):
    code = f"import sys, {module}; print('loaded:', *(name for name in {slow} if name in sys.modules))"
    assert run(code) == "loaded:"


def test_a_map_is_shown_with_nothing_slow_that_the_library_has_not_loaded(tmp_path):
    folder = on_disk.save(tmp_path)
    assert run(READ, folder, *SLOW, "pandas") == "loaded:"
