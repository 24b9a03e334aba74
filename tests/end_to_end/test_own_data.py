"""A user's own files: what is said of them before a run, and what is made anew after they change."""

import os

import pytest

OWN = {"kind": "table", "tokens": {"tokenizer": "spaces"}}


def test_bad_files_are_one_line_each_at_the_end_before_anything_runs(new_folder):
    faults = {
        "headless": ("review,stars\ngood,1\n", "headless.csv, line 1: no column 'text', only 'review', 'stars'; set "),
        "single": ("text,label\n" + "a b,1\nc d,1\n" * 9, "single: split train: every text has label '1'; "),
    }
    folder = new_folder()
    for name, (content, _) in faults.items():
        (folder.path / f"{name}.csv").write_text(content)
    folder.overlay(datasets=[*faults], corpora={name: {"kind": "table", "path": f"{name}.csv"} for name in faults})
    outcome = folder.refuse("-n", "corpora")
    errors = outcome.text.rstrip().splitlines()[-len(faults) :]
    for error, (_, said) in zip(errors, faults.values(), strict=True):
        assert error.startswith(f"error: {said}")
    assert "Traceback" not in outcome.text
    assert not (folder.path / "results").exists()


def test_odd_files_are_said_once_at_the_end(new_folder):
    folder = new_folder()
    path = folder.path / "reviews.csv"
    path.write_text("text,label\n" + "".join(f"text {number % 50},{number % 2}\n" for number in range(60)))
    folder.overlay(datasets=["reviews"], corpora={"reviews": OWN | {"path": "reviews.csv"}})
    line = "warning: reviews: 10 of 60 texts repeat an earlier one"
    said = folder.run("-n", "corpora").text
    assert said.count(line) == 1
    # behind all that Snakemake says
    last = said.partition("This was a dry-run")[2].splitlines()[1:]
    assert last[:2] == ["", "reviews: 60 texts, 2 classes (0 30, 1 30); 40 train, 8 dev, 12 test (test and dev drawn)"]
    assert line in last


@pytest.mark.whole
def test_an_older_file_in_place_of_another_is_read(new_folder):
    folder = new_folder()
    path = folder.path / "reviews.csv"
    folder.overlay(datasets=["reviews"], corpora={"reviews": OWN | {"path": "reviews.csv"}})

    def put(shift, when):
        """Write texts with their labels, dated as is said, and name the jobs that follow from it."""
        path.write_text("text,label\n" + "".join(f"text {at},{(at + shift) % 2}\n" for at in range(60)))
        if when is not None:
            os.utime(path, (when, when))
        return folder.run("-n", "corpora").jobs()

    assert put(0, None) == {"prepare": 1}
    folder.make("corpora")
    # the same content at another time, and another content from long ago
    assert put(0, 10**9) == {}
    assert put(0, None) == {}
    assert put(1, 10**9) == {"prepare": 1}
