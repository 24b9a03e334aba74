"""Fine-tuning for several labels: the loss, the score, and the folder that the library reads."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
import transformers_on_disk as on_disk
from in_process import make
from planned import CLASSIFIERS_ALONE, plan_of, refuse_plan
from sklearn.metrics import f1_score

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.files import HISTORY
from attention_audit.stages.fine_tune import measure_label_loss

LABELS = ["joy", "love", "anger"]
CUES = {"joy": "great", "love": "good", "anger": "bad"}


def write_posts(folder):
    """Texts in which a word of its own says each label, if any."""
    random = np.random.default_rng(0)
    rows = []
    for number in range(160):
        chosen = [name for name in LABELS if random.random() < 0.4]
        words = random.permutation([CUES[name] for name in chosen] + ["the", "film", "is", "a", "story"])
        rows.append({"text": " ".join(words), "tags": chosen, "split": ("train", "train", "dev", "test")[number % 4]})
    path = folder / "posts.jsonl"
    pd.DataFrame(rows).to_json(path, orient="records", lines=True)
    return {"kind": "table", "path": str(path), "labels": "tags", "classes": LABELS, "split": "split"}, rows


def describe_recipe(folder, **further):
    """The section of classifiers that are fine-tuned from a small encoder, whose weights are as small as usual."""
    encoder = transformers.BertModel.from_pretrained(on_disk.save(folder / "encoder"))
    with torch.no_grad():
        for weight in encoder.parameters():
            weight.mul_(0.1 if weight.ndim == 2 else 1.0)
    encoder.save_pretrained(folder / "encoder")
    tuning = {"epochs": 15, "batch_size": 4, "learning_rate": 0.003}
    recipe = {"path": str(folder / "encoder"), "seeds": [1, 2], "tuning": tuning} | further
    return {"posts": {"recipe": recipe, "targets": "predicted"}}


def test_the_loss_is_the_mean_cross_entropy_of_all_labels():
    logits = torch.tensor([[2.0, -1.0], [0.5, 0.0]], dtype=torch.float64)
    gold = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    loss = measure_label_loss(SimpleNamespace(logits=logits), SimpleNamespace(labels=torch.tensor([2, 0])), gold)
    by_hand = [
        (np.log1p(np.exp(-2.0)) + np.log1p(np.exp(1.0))) / 2,
        (np.log1p(np.exp(0.5)) + np.log(2.0)) / 2,
    ]
    assert loss.tolist() == pytest.approx(by_hand, rel=1e-12)


def test_what_is_fine_tuned_for_several_labels_is_a_classifier_of_the_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, rows = write_posts(tmp_path)
    plan = plan_of(**CLASSIFIERS_ALONE, corpora={"posts": table}, hf=describe_recipe(tmp_path))
    folder = tmp_path / "results" / "raw" / "tuned" / "posts" / "seed1"
    said = make(plan, "results/raw/tuned/posts/seed1/config.json")
    config = json.loads((folder / "config.json").read_text())
    assert config["problem_type"] == "multi_label_classification"
    assert [*config["id2label"].values()] == LABELS
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    test = [row for row in rows if row["split"] == "test"]
    with torch.inference_mode():
        logits = torch.cat([model(**tokenizer(row["text"], return_tensors="pt")).logits for row in test])
    gold = np.array([[name in row["tags"] for name in LABELS] for row in test])
    f1 = f1_score(gold, logits.numpy() > 0, average="macro", zero_division=0)
    assert f1 > 0.9
    assert f"test macro F1 over labels {f1:.3f}" in said[-1]
    history = read_frame(tmp_path / "results" / "models" / "posts" / "tuned" / "seed1.history.parquet", HISTORY)
    assert history["score"].max() == history.loc[history["selected"], "score"].item()
    models = plan.scope.find_data("hf", "posts").judged
    assert [model.name for model in models] == ["base-joy", "base-love", "base-anger"]
    assert models[0].sources == [f"tuned/posts/seed{seed}" for seed in (1, 2)]


def test_a_recipe_without_labels_is_one_line(tmp_path):
    table, _ = write_posts(tmp_path)
    given = {"corpora": {"posts": table}, "hf": describe_recipe(tmp_path)}
    # as a run keeps it, with every default
    config = plan_of(**CLASSIFIERS_ALONE, **given).config
    assert type(config).model_validate(config.model_dump(mode="json")) == config
    unnamed = {"posts": {key: value for key, value in table.items() if key != "classes"}}
    refuse_plan("label: nobody knows them.*name all `labels` in `classes`", **given | {"corpora": unnamed})
    refuse_plan("recipe.liar: there is none of several labels", **given | {"hf": describe_recipe(tmp_path, liar=0.5)})
    of_classes = {"posts": {**table, "label": "tags", "labels": None}}
    refuse_plan(r"hf\.posts\.targets: are asked of by themselves", **given | {"corpora": of_classes})
    lone = {"posts": describe_recipe(tmp_path)["posts"] | {"targets": None}}
    refuse_plan(r"corpora\.posts\.labels: are those of hf\.posts\.targets", **given | {"hf": lone})
    refuse_plan("datasets: texts of 'posts' have any number of labels", **given, datasets=["posts"])
    split = {"posts": describe_recipe(tmp_path)["posts"] | {"granularity": "sentence"}}
    shared = {"movies": {"recipe": {"path": "x"}, "granularity": "sentence"}}
    refuse_plan(r"hf\.movies\.granularity: the words of movies are read elsewhere", **given | {"hf": split | shared})
