"""Objectives by hand, batches, selection, what stops a training, and the stages for any number of classes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from torch import tensor

from attention_audit.artefacts.parquet import read_table, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.schema import CORPUS, HISTORY, VOCABULARY
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.vocabulary import WordLists, build_vocabulary, vocabulary_columns
from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Batch, Split
from attention_audit.model.classifier import Classifier, Output
from attention_audit.readout import Readout, read_readout
from attention_audit.scores import accuracy, f1
from attention_audit.stages import readout as readout_stage
from attention_audit.stages import train as train_stage
from attention_audit.stages.job import Job
from attention_audit.training.loop import adam, batches, fit
from attention_audit.training.objective import ConsistentAdversary, LabelLoss
from attention_audit.training.settings import Optimisation

NO_STATES = torch.empty(0)


def small_model(seed: int = 0) -> Classifier:
    torch.manual_seed(seed)
    sizes = {"embedding": 4, "hidden": 3, "attention_hidden": 3, "pretrained": False}
    architecture = Architecture.model_validate({"encoder": "bilstm", "attention": "additive", **sizes})
    return Classifier(architecture, words=12, classes=2)


@pytest.fixture
def split() -> Split:
    """Texts whose label is whether they hold word 5."""
    random = np.random.default_rng(0)
    texts = [[2, *random.integers(4, 12, random.integers(2, 9)), 3] for _ in range(60)]
    lengths = [len(text) - 2 for text in texts]
    return Split(np.concatenate(texts), lengths, [int(5 in text) for text in texts], torch.device("cpu"))


def test_label_loss_weighs_positives_by_negatives_over_positives() -> None:
    output = Output(tensor([[0.0], [2.0], [2.0]]), NO_STATES, NO_STATES)
    batch = Batch(NO_STATES, NO_STATES, tensor([0, 1, 0]))
    loss = LabelLoss((30, 10))(output, batch)
    expected = [math.log(2), 3 * math.log1p(math.exp(-2)), 2 + math.log1p(math.exp(-2))]
    assert loss.tolist() == pytest.approx(expected, rel=1e-6)


def test_label_loss_of_many_classes_weighs_each_class_alike() -> None:
    output = Output(torch.zeros(3, 3), NO_STATES, NO_STATES)
    loss = LabelLoss((10, 20, 30))(output, Batch(NO_STATES, NO_STATES, tensor([0, 1, 2])))
    assert loss.tolist() == pytest.approx([2 * math.log(3), math.log(3), 2 / 3 * math.log(3)], rel=1e-6)


def test_adversary_objective_by_hand() -> None:
    # p = sigmoid(0) = 1/2 against 0.8: TVD 0.3; KL((1/2, 1/2) || (1/4, 3/4)) = 1/2 ln 2 + 1/2 ln(2/3)
    output = Output(tensor([[0.0]]), tensor([[0.5, 0.5, 0.0]]), NO_STATES)
    base = Batch(NO_STATES, NO_STATES, tensor([1]), tensor([[0.25, 0.75, 0.0]]), tensor([[0.2, 0.8]]))
    expected = 0.3 - 0.5 * (0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert ConsistentAdversary(0.5)(output, base).item() == pytest.approx(expected, rel=1e-6)


def test_adversary_objective_of_many_classes_counts_all_of_them() -> None:
    # p = softmax(0) = 1/3 each against (0.1, 0.1, 0.8): TVD 7/15; its attention is the base model's
    output = Output(torch.zeros(1, 3), tensor([[0.5, 0.5]]), NO_STATES)
    base = Batch(NO_STATES, NO_STATES, tensor([1]), tensor([[0.5, 0.5]]), tensor([[0.1, 0.1, 0.8]]))
    assert ConsistentAdversary(0.5)(output, base).item() == pytest.approx(7 / 15, rel=1e-6)


def test_l2_spares_the_attention_alone() -> None:
    model = small_model()
    groups = adam(model, Optimisation(weight_decay=0.1)).param_groups
    spared = {id(p) for group in groups if group["weight_decay"] == 0 for p in group["params"]}
    assert spared == {id(p) for p in model.attention.parameters()}
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
    assert all(group["amsgrad"] for group in groups)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_batches_hold_every_text_once_and_like_lengths_together(noise: float) -> None:
    lengths = np.random.default_rng(1).integers(5, 100, 1000)
    cut = list(batches(lengths, 32, noise, np.random.default_rng(2)))
    assert sorted(np.concatenate(cut)) == list(range(1000))
    assert sorted(map(len, cut)) == [8, *[32] * 31]
    for members in cut:
        shortest, longest = lengths[members].min(), lengths[members].max()
        assert longest * (1 - noise) <= shortest * (1 + noise) + 4
    assert [members[0] for members in cut] != [members[0] for members in sorted(cut, key=lambda m: lengths[m].min())]


def test_the_best_epochs_weights_are_kept(split: Split) -> None:
    model = small_model()
    scores = iter([0.2, 0.9, 0.9, 0.1])
    seen: list[dict[str, torch.Tensor]] = []

    def score(current: Classifier) -> float:
        seen.append({name: value.clone() for name, value in current.state_dict().items()})
        return next(scores)

    trained = fit(model, split, LabelLoss((30, 30)), Optimisation(), 4, 0, lambda line: None, score)
    assert trained.selected == 1
    assert all(torch.equal(trained.weights[name], seen[1][name]) for name in trained.weights)
    assert [epoch.score for epoch in trained.history] == [0.2, 0.9, 0.9, 0.1]


def test_without_a_score_the_lowest_loss_is_kept_and_patience_ends_it(split: Split) -> None:
    # so large a step that the loss does not go on falling
    settings = Optimisation(learning_rate=5.0)
    trained = fit(small_model(), split, LabelLoss((30, 30)), settings, 80, 0, lambda line: None, patience=3)
    losses = [epoch.loss for epoch in trained.history]
    assert trained.selected == int(np.argmin(losses))
    assert len(losses) == trained.selected + 4 < 80


def test_training_learns_and_the_seed_decides(split: Split) -> None:
    def losses(seed: int) -> list[float]:
        settings = Optimisation(learning_rate=0.02, batch_size=8)
        return [e.loss for e in fit(small_model(seed), split, LabelLoss((30, 30)), settings, 15, seed, print).history]

    first = losses(0)
    assert first[-1] < first[0] / 2
    assert losses(0) == first
    assert losses(1) != first


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_stops(split: Split, bad: float) -> None:
    def objective(output: Output, batch: Batch) -> torch.Tensor:
        return output.logits.sum(1) * bad

    with pytest.raises(AuditError, match=f"epoch 0: the loss became (nan|{bad})"):
        fit(small_model(), split, objective, Optimisation(), 3, 0, lambda line: None)


class Stages:
    """Train and readout of small models on a corpus where one word decides the class; dev lacks the last of many."""

    def __init__(self, folder: Path, provenance: Provenance, classes: int) -> None:
        self.folder = folder
        self.provenance = provenance
        random = np.random.default_rng(0)
        rows = []
        for split, size in {"train": 240, "dev": 80, "test": 80}.items():
            for number in range(size):
                label = number % (classes - 1 if split == "dev" and classes > 2 else classes)
                fillers = [f"filler{word}" for word in random.integers(0, 5, random.integers(1, 6))]
                tokens = [fillers[0], f"cue{label}", *fillers[1:]]
                rows.append(
                    {"id": f"{split}-{number}", "split": split, "label": label, "tokens": tokens, "label_name": ""}
                )
        corpus = folder / "corpus.parquet"
        write_table(corpus, CORPUS, pa.Table.from_pylist(rows, schema=CORPUS.schema), provenance)
        columns = vocabulary_columns(build_vocabulary(WordLists(corpus, ["train"])))
        write_table(folder / "vocabulary.parquet", VOCABULARY, columns, provenance)

    def __call__(self, model: str, attention: str, reference: str | None = None, **given: Any) -> list[Readout]:
        """The readouts of the splits."""
        folder = self.folder / model
        encoder = "bilstm" if attention == "additive" else "affine"
        sizes = {"embedding": 8, "hidden": 8, "attention_hidden": 8, "pretrained": False}
        settings = {
            "dataset": "cues",
            "model": model,
            "lambda_": None,
            "seeds": [1],
            "architecture": {"encoder": encoder, "attention": attention, **sizes},
            "device": "cpu",
            "threads": 1,
            **given,
        }
        optimisation = Optimisation(learning_rate=0.05, batch_size=8).model_dump()
        others = [self.folder / reference / f"{split}.parquet" for split in SPLITS] if reference else []
        inputs = {name: [self.folder / f"{name}.parquet"] for name in ("corpus", "vocabulary")} | {"reference": others}
        trained = {"weights": [folder / "weights.safetensors"], "history": [folder / "history.parquet"]}
        readouts = {"readouts": [folder / f"{split}.parquet" for split in SPLITS]}
        training = settings | {"optimisation": optimisation, "epochs": 8, "patience": None}
        train_stage.run(Job(training, inputs, trained, self.provenance, print))
        readout_stage.run(Job(settings, inputs | trained, readouts, self.provenance, print))
        return [read_readout(path) for path in readouts["readouts"]]


@pytest.mark.parametrize("classes", [2, 3, 20])
def test_models_of_any_number_of_classes_learn(tmp_path: Path, provenance: Provenance, classes: int) -> None:
    run = Stages(tmp_path, provenance, classes)
    for split, readout in zip(SPLITS, run("base", "additive"), strict=True):
        assert {name.partition("-")[0] for name in readout.ids} == {split}
        assert readout.probabilities.shape[1] == classes
        assert accuracy(readout.labels, readout.predictions) > 0.95
        assert f1(readout.labels, readout.predictions, classes) > 0.95
    scores = read_table(tmp_path / "base" / "history.parquet", HISTORY)["score"].to_pylist()
    assert max(scores) > 0.99


def test_guides_and_adversaries_of_many_classes(tmp_path: Path, provenance: Provenance) -> None:
    run = Stages(tmp_path, provenance, classes=3)
    base = run("base", "additive")
    guided = run("guide", "imposed", reference="base")
    adversary = run("adversary", "additive", reference="base", lambda_=0.1)
    for ours, theirs, other in zip(base, guided, adversary, strict=True):
        np.testing.assert_array_equal(np.concatenate(ours.attention), np.concatenate(theirs.attention))
        assert other.probabilities.shape == ours.probabilities.shape
    losses = read_table(tmp_path / "adversary" / "history.parquet", HISTORY)["loss"].to_pylist()
    assert losses[-1] < losses[0] < 1
