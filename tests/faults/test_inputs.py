"""Raw files that are missing or wrong, and numbers that run away."""

import re
from typing import Any

import pytest
from folder import Folder, NewFolder
from hurt import Tally, error_lines


@pytest.mark.parametrize(
    ("model", "where"),
    [
        ("base", "chorus, base, seed 10, "),
        ("adversary_lambda0.001", "chorus, adversary, seed 10, lambda 0.001, "),
    ],
)
def test_a_loss_that_is_no_number_stops_that_training(altered: Folder, model: str, where: str, tally: Tally) -> None:
    target = f"results/models/chorus/{model}/seed10.safetensors"
    altered.overlay(training={"further_seeds": [50], "epochs": 2, "learning_rate": 1.0e30})
    command = ["--force", target, "--rerun-triggers", "mtime"]
    outcome = altered.refuse(*command)
    assert f"error: {where}epoch " in outcome.text
    assert re.search(r"the (loss|score) became (nan|inf); try a lower learning rate", outcome.text)
    assert len(error_lines(outcome)) == 1
    assert not (altered.path / target).exists()
    tally("a loss that is no number", "one line, no model written")


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        (
            {"mirror": "mirror"},
            "sst: mirror/sst/trainDevTestTrees_PTB.zip is not here; get it from https://nlp.stanford.edu/",
        ),
        ({"mirror": "mirror", "wrong": True}, "mirror/sst/trainDevTestTrees_PTB.zip: its sha256 is "),
    ],
)
def test_a_missing_or_wrong_raw_file_is_one_line(
    new_folder: NewFolder, setting: dict[str, Any], line: str, tally: Tally
) -> None:
    folder = new_folder()
    raw = folder.path / "mirror/sst/trainDevTestTrees_PTB.zip"
    raw.parent.mkdir(parents=True)
    if setting.pop("wrong", False):
        raw.write_bytes(b"PK no archive")
    folder.overlay(datasets=["sst"], corpora={"sst": {"archive": {"url": None}}}, **setting)
    outcome = folder.refuse("wp_table1")
    assert f"error: {line}" in outcome.text
    assert len(error_lines(outcome)) == 1
    assert not list((folder.path / "results/raw").rglob("*.zip*"))
    tally("a raw file that is missing or wrong", "one line, nothing taken")
