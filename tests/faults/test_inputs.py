"""Raw files that are missing or wrong, and numbers that run away."""

import re

import pytest
from hurt import error_lines


@pytest.mark.parametrize(
    ("model", "where"),
    [
        ("base", "chorus, base, seed 10: "),
        pytest.param("adversary_lambda0.001", "chorus, adversary, seed 10, lambda 0.001: ", marks=pytest.mark.whole),
    ],
)
def test_a_loss_that_is_no_number_stops_that_training(altered, model, where, tally):
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
    ("content", "line"),
    [
        (
            None,
            "sst: mirror/sst/trainDevTestTrees_PTB.zip is not here; get it from https://nlp.stanford.edu/",
        ),
        (b"PK no archive", "mirror/sst/trainDevTestTrees_PTB.zip: its sha256 is "),
    ],
)
def test_a_missing_or_wrong_raw_file_is_one_line(new_folder, content, line, tally):
    folder = new_folder()
    raw = folder.path / "mirror/sst/trainDevTestTrees_PTB.zip"
    raw.parent.mkdir(parents=True)
    if content:
        raw.write_bytes(content)
    folder.overlay(datasets=["sst"], corpora={"sst": {"archive": {"url": None}}}, mirror="mirror")
    outcome = folder.refuse("wp_table1")
    assert f"error: {line}" in outcome.text
    assert len(error_lines(outcome)) == 1
    assert not list((folder.path / "results/raw").rglob("*.zip*"))
    tally("a raw file that is missing or wrong", "one line, nothing taken")
