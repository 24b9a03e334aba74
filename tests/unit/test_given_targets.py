"""Classifiers that are given, in a run, of texts without labels. Values are those of `audit_classifier`."""

import classifiers_on_disk as on_disk
import numpy as np
import pandas as pd
import pytest
from in_process import make_exhibit
from planned import CLASSIFIERS_ALONE, plan_of, read_audit, read_made, refuse_plan

from attention_audit import audit_classifier
from attention_audit.plan.exhibits import FIGURES

WORDS = [word for word in on_disk.WORDS if word.isalpha()]
TEXTS = [" ".join(WORDS[(start + 3 * step) % len(WORDS)] for step in range(3 + start % 4)) for start in range(12)]
CLASSES = ("joy", "love", "anger")
ASKED = ("used", "ranks", "located", "signed", "stable")


def save(folder, seed=0, **further):
    """A small classifier of these texts, and its folder."""
    return str(on_disk.save(folder / f"{seed}", **{"names": CLASSES, "seed": seed} | further))


def plan_texts(path, folders, columns=None, entry=None, **section):
    """The plan of a table of the texts that classifiers in these folders read, and no others."""
    rows = {"id": map(str, range(len(TEXTS))), "text": TEXTS} | (columns or {})
    pd.DataFrame(rows).to_json(path / "posts.jsonl", orient="records", lines=True)
    table = {"kind": "table", "path": {"test": str(path / "posts.jsonl")}, "id": "id", "label": None} | (entry or {})
    given = {"models": {"mine": folders}} | section
    return plan_of(**CLASSIFIERS_ALONE, corpora={"posts": table}, agreement={"texts": 0}, hf={"posts": given})


def values_of(row):
    """What the questions find, from a row of the summary."""
    return [row[f"{question}_{name}"] for question in ASKED for name in ("value", "low", "high", "texts")]


def compare(row, asked):
    """Check that a row of a summary says what a call finds."""
    np.testing.assert_allclose(
        np.array(values_of(row), float), np.array(values_of(asked), float), rtol=1e-5, equal_nan=True
    )


def test_texts_without_labels_are_asked_what_needs_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = [save(tmp_path, seed) for seed in (1, 2)]
    plan = plan_texts(tmp_path, folders)
    make_exhibit(plan, FIGURES["hf_fig_attention_maps"])
    row, texts = read_made(plan, "summary").iloc[0], read_made(plan, "texts")
    answer = audit_classifier(folders, None, TEXTS, language="en", progress=False)
    compare(row, answer.summary.iloc[0])
    assert row["needed_reason"] == "no labels are given"
    assert row["majority_accuracy"] == pytest.approx(answer.summary["majority_accuracy"].item())
    assert np.isnan(row["accuracy"])
    assert set(texts["label_name"]) == {""}
    assert set(texts["prediction_name"]) <= set(CLASSES)
    assert read_audit(plan, "performance", "posts", "hf_mine").empty


def test_what_cannot_go_without_labels_is_one_line(tmp_path):
    folders = [save(tmp_path)]
    plan_texts(tmp_path, folders)
    table = {"kind": "table", "path": {"test": str(tmp_path / "posts.jsonl")}, "label": None}
    refuse_plan("datasets: of 'posts' there is a test split alone", corpora={"posts": table}, datasets=["posts"])
    line = r"label: nobody knows them, so that nothing is trained on these texts; give the file for test alone"
    refuse_plan(line, corpora={"posts": table | {"path": str(tmp_path / "posts.jsonl")}}, datasets=["posts"])
