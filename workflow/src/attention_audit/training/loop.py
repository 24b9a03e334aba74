"""The training loop: noisy length batches, Adam, selection of one epoch."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attention_audit.errors import AuditError
from attention_audit.model.batch import Indices, Split
from attention_audit.model.classifier import Classifier
from attention_audit.training.objective import Objective
from attention_audit.training.settings import Optimisation

Score = Callable[[Classifier], float]


@dataclass(frozen=True)
class Epoch:
    """Mean loss a text over the epoch, and the score that competes for selection (higher is better)."""

    epoch: int
    loss: float
    score: float


@dataclass(frozen=True)
class Trained:
    """The weights of the selected epoch, and how all epochs went."""

    weights: dict[str, Tensor]
    history: list[Epoch]
    selected: int


def batches(lengths: Indices, size: int, noise: float, random: np.random.Generator) -> Iterator[Indices]:
    """Runs of `size` texts of similar length in random order: a sort by length x (1 +- noise), cut, shuffled.

    The authors' batches: short padding without always meeting the same neighbours.
    """
    noisy = lengths * random.uniform(1 - noise, 1 + noise, len(lengths))
    order = np.argsort(noisy, kind="stable")
    starts = np.arange(0, len(order), size)
    random.shuffle(starts)
    for start in starts:
        yield order[start : start + size]


def adam(model: Classifier, settings: Optimisation) -> torch.optim.Adam:
    """Adam (amsgrad) with an L2 penalty on everything but the attention: the authors' three optimisers as groups."""
    attention = list(model.attention.parameters())
    rest = [*model.embedding.parameters(), *model.encoder.parameters(), *model.decoder.parameters()]
    groups = [{"params": rest, "weight_decay": settings.weight_decay}]
    if attention:
        groups.append({"params": attention, "weight_decay": 0.0})
    return torch.optim.Adam(groups, lr=settings.learning_rate, amsgrad=True, fused=True)


def train_epoch(
    model: Classifier,
    split: Split,
    objective: Objective,
    optimiser: torch.optim.Optimizer,
    settings: Optimisation,
    random: np.random.Generator,
) -> float:
    """One pass over the split; each step descends the SUM of its texts' losses. Returns the mean loss a text."""
    total = torch.zeros((), dtype=torch.float64, device=split.device)
    for members in batches(split.lengths, settings.batch_size, settings.length_noise, random):
        batch = split.batch(members)
        optimiser.zero_grad(set_to_none=True)
        loss = objective(model(batch), batch).sum()
        torch.autograd.backward(loss)
        optimiser.step()
        total += loss.detach()
    return float(total) / len(split)


def _refuse_unless_finite(epoch: int, name: str, value: float) -> None:
    if not np.isfinite(value):
        raise AuditError(f"epoch {epoch}: the {name} became {value}; try a lower learning rate")


def fit(
    model: Classifier,
    split: Split,
    objective: Objective,
    settings: Optimisation,
    epochs: int,
    seed: int,
    report: Callable[[str], None],
    score: Score | None = None,
    patience: int | None = None,
) -> Trained:
    """Train for `epochs` epochs and keep the best one.

    The best has the highest `score`, or without one the lowest training loss. `patience`: stop after so many epochs
    without a better one. Raises AuditError as soon as an epoch's loss or score is not finite.
    """
    random = np.random.default_rng(seed)
    optimiser = adam(model, settings)
    model.train()
    history: list[Epoch] = []
    best = 0
    weights: dict[str, Tensor] = {}
    for number in range(epochs):
        started = time.perf_counter()
        loss = train_epoch(model, split, objective, optimiser, settings, random)
        _refuse_unless_finite(number, "loss", loss)
        history.append(Epoch(number, loss, score(model) if score else -loss))
        _refuse_unless_finite(number, "score", history[-1].score)
        if number == 0 or history[-1].score > history[best].score:
            best = number
            weights = copy.deepcopy(model.state_dict())
        shown = f", score {history[-1].score:.4f}" if score else ""
        seconds = time.perf_counter() - started
        report(f"epoch {number + 1}/{epochs}: loss {loss:.5f}{shown}, best epoch {best + 1}, {seconds:.1f} s")
        if patience is not None and number - best >= patience:
            break
    return Trained(weights, history, best)
