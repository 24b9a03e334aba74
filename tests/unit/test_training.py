"""Objectives by hand, batches, selection, and what stops a training."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import tensor

from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Batch, Split
from attention_audit.model.classifier import Classifier, Output
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
    return Split(texts, [int(5 in text) for text in texts], torch.device("cpu"))


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
