"""Two trainings of a Transformer classifier, given as folders: imported, asked everything, and shown."""

import classifiers_on_disk
import pytest
from folder import assert_rendered, fresh
from transformers_on_disk import LETTERS

pytestmark = pytest.mark.whole

TABLES = [f"hf_table_{name}" for name in ("performance", "comparison", "heads", "correlation")]
FIGURES = [f"hf_fig_{name}" for name in ("attention_maps", "fraction_removed")]


def test_tables_and_figures_are_made_of_folders_without_a_network(tmp_path):
    """The classes of the generated corpus are 0 and 1."""
    folder = fresh(tmp_path / "run")
    for seed in range(2):
        names = ("LABEL_1", "LABEL_0")
        classifiers_on_disk.save(folder.path / f"models/{seed}", names=names, seed=seed, words=LETTERS)
    folder.overlay(datasets=[], hf={"chorus": {"models": {"tiny": ["models/0", "models/1"]}, "max_length": 32}})
    folder.make(*TABLES, *FIGURES, "texts", network=False)
    assert_rendered(folder, TABLES, FIGURES)
