"""Classifiers that are given, in a run: of texts without labels, and of targets. Values are those of
`audit_classifier`.
"""

import classifiers_on_disk as on_disk
import numpy as np
import pandas as pd
import pytest
from audit_jobs import PROVENANCE
from in_process import make, make_exhibit
from planned import CLASSIFIERS_ALONE, plan_of, read_audit, read_made, refuse_plan
from small_corpora import corpus_of

from attention_audit import audit_classifier
from attention_audit.artefacts.parquet import write_table
from attention_audit.columns.files import CORPUS
from attention_audit.corpus.sources.table import read_labels
from attention_audit.errors import AuditError
from attention_audit.plan.exhibits import FIGURES
from attention_audit.plan.papers.given import name_targets
from attention_audit.stages.classifier_texts import read_gold_rows
from attention_audit.transformer.settings import ReadTarget

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


def compare(row, asked):
    """Check that a row of a summary says what a call finds, a row a question."""
    names = ("value", "low", "high", "texts")
    found = [[row[f"{question}_{name}"] for name in names] for question in ASKED]
    expected = asked.set_index("question").loc[[*ASKED], [*names]]
    assert np.isfinite(expected["value"].astype(float)).sum() >= 3
    np.testing.assert_allclose(np.array(found, float), expected.to_numpy(float), rtol=1e-5, equal_nan=True)


@pytest.mark.whole
def test_texts_without_labels_are_asked_what_needs_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = [save(tmp_path, seed) for seed in (1, 2)]
    plan = plan_texts(tmp_path, folders)
    make_exhibit(plan, FIGURES["hf_fig_attention_maps"])
    row, texts = read_made(plan, "summary").iloc[0], read_made(plan, "texts")
    answer = audit_classifier(folders, None, TEXTS, language="en", progress=False)
    compare(row, answer.table)
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


LABELS = {"problem_type": "multi_label_classification"}
THRESHOLDS = {"joy": 0.35, "anger": 0.6}
GOLD = [["joy"], [], ["anger", "love"]] * 4


def compare_targets(plan, models, answer):
    """Check that each model of a run says what a call finds of the target of that name."""
    rows = read_made(plan, "summary").set_index("model")
    assert [*rows.index] == [*models]
    for model, name in models.items():
        compare(rows.loc[model], answer.by_target[answer.by_target["target"] == name])
    return rows


@pytest.mark.whole
def test_each_label_is_a_model_in_question(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # the trainings have their labels in another order
    folders = [save(tmp_path, 1, **LABELS), save(tmp_path, 2, names=CLASSES[::-1], **LABELS)]
    asked = {"targets": ["anger", "joy"], "threshold": THRESHOLDS}
    plan = plan_texts(tmp_path, folders, {"emotions": map("|".join, GOLD)}, {"labels": "emotions"}, **asked)
    answer = audit_classifier(folders, None, TEXTS, GOLD, **asked, language="en", progress=False)
    rows = compare_targets(plan, {"mine-anger": "anger", "mine-joy": "joy"}, answer)
    assert rows.loc["mine-joy", "texts"] == 12
    seen = read_audit(plan, "predictions", "posts", "hf_mine-anger").drop_duplicates("id").set_index("id")["label"]
    assert seen.loc[[*map(str, range(12))]].tolist() == [0, 0, 1] * 4
    searched = read_audit(plan, "instance_adversary", "posts", "hf_mine-joy")
    assert set(searched["base_prediction"]) <= {0, 1}


@pytest.mark.whole
@pytest.mark.parametrize("asked", ["predicted", "gold"])
def test_a_label_is_asked_of_the_texts_that_have_it(tmp_path, monkeypatch, asked):
    monkeypatch.chdir(tmp_path)
    folders = [save(tmp_path, 1, **LABELS), save(tmp_path, 2, names=CLASSES[::-1], **LABELS)]
    # no training ever says the first one
    how = {"targets": asked, "threshold": {"joy": 0.999, "anger": 0.55}, "granularity": "token"}
    plan = plan_texts(tmp_path, folders, {"emotions": map("|".join, GOLD)}, {"labels": "emotions"}, **how)
    answer = audit_classifier(folders, None, TEXTS, GOLD, **how, language="en", progress=False)
    models = {f"mine-{name}": name for name in CLASSES if name != "joy" or asked == "gold"}
    rows = read_made(plan, "summary").set_index("model")
    for model, name in models.items():
        compare(rows.loc[model], answer.by_target[answer.by_target["target"] == name])
        assert rows.loc[model, "texts"] == len(answer.targets[name].members)
    seen = read_audit(plan, "predictions", "posts", "hf_mine-anger")
    assert {*seen["id"]} == {*map(str, answer.targets["anger"].members)}
    if asked == "gold":
        assert {*seen["label"]} == {1}
        assert rows.loc["mine-love", "texts"] == 4
    else:
        assert "joy" not in answer.targets
        make(plan, "results/explorer.html", "results/report.html")
        assert (tmp_path / "results" / "explorer.html").read_text().count('data-view="') == 2
        reason = "permutation needs texts of its target, and there is none"
        assert np.isnan(rows.loc["mine-joy", "used_value"])
        assert rows.loc["mine-joy", "used_reason"] == reason


@pytest.mark.whole
@pytest.mark.parametrize("granularity", ["token", "sentence"])
def test_maps_of_a_run_are_of_other_units_than_words(tmp_path, monkeypatch, granularity):
    monkeypatch.chdir(tmp_path)
    texts = [f"{text} . {other} ." for text, other in zip(TEXTS, TEXTS[3:] + TEXTS[:3], strict=True)]
    folders = [save(tmp_path, seed) for seed in (1, 2)]
    plan = plan_texts(tmp_path, folders, {"text": texts}, granularity=granularity, maps=["rollout"])
    answer = audit_classifier(
        folders, None, texts, granularity=granularity, maps=["rollout"], language="en", progress=False
    )
    compare(read_made(plan, "summary").iloc[0], answer.table)
    maps = read_made(plan, "hf_table_maps")
    assert maps["mean"].to_numpy() == pytest.approx(answer.maps["mean"].to_numpy(), rel=1e-5, nan_ok=True)
    if granularity == "sentence":
        corpus = pd.read_parquet(plan.config.places.corpus_file("posts", "corpus"))
        assert [[*units] for units in corpus["tokens"]] == [
            [f"{text} .", f"{other} ."] for text, other in zip(TEXTS, TEXTS[3:] + TEXTS[:3], strict=True)
        ]


@pytest.mark.whole
def test_a_number_is_held_against_what_the_first_training_predicts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # its tail is the library's own network
    folders = [save(tmp_path, seed, family="ernie", moved=True, names=("stars",)) for seed in (1, 2)]
    plan = plan_texts(tmp_path, folders, targets="all", output="number", maps=["input_gradient"])
    answer = audit_classifier(
        folders, None, TEXTS, output="number", maps=["input_gradient"], language="en", progress=False
    )
    compare_targets(plan, {"mine-stars": "stars"}, answer)
    maps = read_made(plan, "hf_table_maps")
    assert maps["mean"].to_numpy() == pytest.approx(answer.maps["mean"].to_numpy(), rel=1e-5, nan_ok=True)


def test_a_label_is_there_or_not_or_nobody_knows(tmp_path):
    texts = [("test", -1, "a"), ("train", -1, "b"), ("test", -1, "c"), ("test", -1, "d")]
    labels = [["anger", "joy"], ["joy"], [], None]
    write_table(tmp_path / "corpus.parquet", CORPUS, corpus_of(texts, labels=labels), PROVENANCE)
    gold = read_gold_rows(tmp_path / "corpus.parquet", CLASSES)
    assert gold.tolist() == [[1, 0, 1], [0, 0, 0], [-1, -1, -1]]
    with pytest.raises(AuditError, match="text 'text-0': labels: 'anger' is no label of the model"):
        read_gold_rows(tmp_path / "corpus.parquet", ["joy", "love"])


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ({"targets": ["jo"]}, r"targets: 'jo' is no label of the model \(did you mean 'joy'\?\)"),
        ({"targets": "all", "threshold": 2.0}, "threshold: is 2.0; give a probability between 0 and 1"),
        ({"targets": "all", "uniform": ["x"]}, "uniform: is of models that choose a class"),
        ({"threshold": 0.3}, "threshold: goes with `targets`"),
        ({"targets": "gold"}, r"hf\.posts\.targets: gold needs labels, and there are none \(corpora\.posts\.labels\)"),
        ({"targets": "gold", "output": "number"}, "gold needs labels"),
        (
            {"targets": "predicted", "output": "classes"},
            "targets: the predicted class is what is asked of without them",
        ),
        ({"granularity": "line"}, r"hf\.posts\.granularity: input should be 'word', 'token' or 'sentence', not 'line'"),
        ({}, "its task is multi label classification, and no choice of one class; ask of its `targets`"),
    ],
)
def test_a_wrong_target_is_one_line(tmp_path, section, line):
    with pytest.raises(AuditError, match=line):
        plan_texts(tmp_path, [save(tmp_path, **LABELS)], **section)


def test_targets_are_asked_of_texts_that_may_have_any_number_of_labels(tmp_path):
    given = {"posts": {"models": {"mine": [save(tmp_path, **LABELS)]}, "targets": "all"}}
    table = {"kind": "table", "path": {"test": str(tmp_path / "posts.jsonl")}}
    refuse_plan(r"hf\.posts\.targets: are asked of by themselves", corpora={"posts": table}, hf=given)
    several = {"posts": table | {"labels": "emotions"}}
    refuse_plan(r"corpora\.posts\.labels: are those of hf", corpora=several, hf={"posts": {"models": {"a": ["x"]}}})


def test_names_of_targets_stand_in_paths():
    targets = [ReadTarget(name=name, threshold=0.5) for name in ("Joy!", "a+", "a-", "\u559c", "so so")]
    assert name_targets(targets) == ["joy", "a-1", "a-2", "3", "so-so"]


def test_all_labels_of_a_text_are_a_list_or_parted():
    cells = {"joy|love": ["joy", "love"], "joy": ["joy"], " joy | ": ["joy"], "": [], None: [], 3.0: ["3"]}
    assert {cell: read_labels(cell) for cell in cells} == cells
    assert read_labels(["joy", 1]) == ["joy", "1"]
