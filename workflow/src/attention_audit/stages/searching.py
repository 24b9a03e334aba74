"""A base model and texts -> the adversaries of one search by continuation: all that decides what their weights are.

A model that is trained as an adversary from scratch must find the base model's predictions and other attention at the
same time, and where lambda is too large it finds neither. This search begins at the base model, whose attention scores
are softened so that the softmax passes gradients, waits until the predictions are back, and then raises lambda step by
step. A step begins with the weights of the last one that is within the budget: the one with the greatest lambda there.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from attention_audit.divergence import jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.model.attention import soften
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, inference
from attention_audit.model.probabilities import probabilities
from attention_audit.training.loop import Epoch, Trained, fit
from attention_audit.training.objective import ConsistentAdversary
from attention_audit.training.settings import SearchSettings


class Step(NamedTuple):
    """One step: its lambda, and means over the dev texts of TVD and JSD (nats) from the base model."""

    lambda_: float
    tvd: float
    jsd: float


def last_within(steps: Sequence[Step], budget: float) -> int | None:
    """The step with the greatest lambda among those whose TVD is at most `budget`; None where there is none."""
    within = [number for number, step in enumerate(steps) if step.tvd <= budget]
    return max(within, key=lambda number: steps[number].lambda_, default=None)


def start(steps: Sequence[Step], budget: float) -> int | None:
    """The step whose weights the next one begins with; None for the softened base model.

    The last one within the budget or, before there is any, the last of all: its predictions may yet come back.
    """
    last = last_within(steps, budget)
    return last if last is not None else (len(steps) - 1 if steps else None)


def next_lambda(steps: Sequence[Step], budget: float, first: float, factor: float) -> float:
    """The lambda of the next step.

    `first` to begin with, and `factor` times less as long as no step is within the budget; then `factor` times more
    until a step leaves it; then the geometric mean of the last lambda within and the least beyond. So no lambda comes
    twice.
    """
    if not steps:
        return first
    last = last_within(steps, budget)
    if last is None:
        return min(step.lambda_ for step in steps) / factor
    within = steps[last].lambda_
    beyond = [step.lambda_ for step in steps if step.lambda_ > within]
    return math.sqrt(within * min(beyond)) if beyond else within * factor


def furthest(steps: Sequence[Step], budget: float) -> int:
    """The step with the greatest JSD within the budget; where there is none, the one with the least TVD."""
    within = [number for number, step in enumerate(steps) if step.tvd <= budget]
    if within:
        return max(within, key=lambda number: steps[number].jsd)
    return min(range(len(steps)), key=lambda number: steps[number].tvd)


@dataclass(frozen=True)
class Found:
    """One step: what it measures on dev, the number of the step it began with (None: the base model), its training."""

    step: Step
    began: int | None
    trained: Trained


def distances(model: Network, split: Split) -> tuple[float, float]:
    """Mean TVD and mean JSD (nats) over the texts of a split, from the model whose readout the split carries."""
    total = torch.zeros(2, dtype=torch.float64)
    with inference(model):
        for _, batch in split.in_order_of_length():
            if batch.attention is None or batch.probabilities is None:
                raise ValueError("a search needs a split that carries the base model's attention and predictions")
            output = model(batch)
            predicted = probabilities(output.logits).double()
            total[0] += tvd(predicted, batch.probabilities.double()).sum().cpu()
            total[1] += jsd(output.attention.double(), batch.attention.double()).sum().cpu()
    moved = (total / len(split)).tolist()
    return moved[0], moved[1]


def joined(rounds: list[Trained]) -> Trained:
    """Trainings that went on from one another, as one: the epochs of all, and the weights of the last."""
    history: list[Epoch] = []
    for part in rounds:
        selected = len(history) + part.selected
        history += [replace(epoch, epoch=len(history) + epoch.epoch) for epoch in part.history]
    return Trained(rounds[-1].weights, history, selected)


def trained_step(
    model: Network,
    number: int,
    lambda_: float,
    settings: SearchSettings,
    splits: Mapping[str, Split],
    report: Callable[[str], None],
) -> Trained:
    """The training of one step of a search, from the weights that the model has; the model's are then the step's.

    The first step goes on, in rounds, until its predictions are within the budget. Raises AuditError where a loss is no
    number any more.
    """
    sought = settings.continuation
    rounds: list[Trained] = []
    while not rounds or (
        number == 1 and len(rounds) < sought.rounds and distances(model, splits["dev"])[0] > settings.budget
    ):
        rounds = [replace(part, weights={}) for part in rounds]
        rounds.append(
            fit(
                model,
                splits["train"],
                ConsistentAdversary(lambda_),
                settings.optimisation,
                settings.epochs,
                settings.seed + number + len(rounds) * sought.steps,
                report,
            )
        )
        model.load_state_dict(rounds[-1].weights)
    return joined(rounds)


def search(
    model: Network,
    settings: SearchSettings,
    splits: Mapping[str, Split],
    report: Callable[[str], None],
    earlier: Iterator[Trained],
) -> Iterator[Found]:
    """The steps of a search, one after another, from a model with the base model's weights, which is changed.

    Of the steps, only the weights that the next one begins with are held. The splits carry the base model's readouts.
    earlier: the first steps as an earlier run has made them; those after them are trained.
    Raises AuditError, naming data set, seed and step, where a loss is no number any more, and where the attention
    cannot be softened.
    """
    budget, last = settings.budget, settings.continuation.steps
    soften(model.attention, settings.continuation.softening)
    steps: list[Step] = []
    began: int | None = None
    held: dict[str, Tensor] = {}
    for number in range(1, last + 1):
        lambda_ = next_lambda(steps, budget, settings.continuation.first, settings.continuation.factor)
        where = f"step {number}/{last}, lambda {lambda_:.3g},"
        trained = next(earlier, None)
        if trained is not None:
            model.load_state_dict(trained.weights)
        else:
            if began is not None:
                model.load_state_dict(held)
            try:
                trained = trained_step(
                    model,
                    number,
                    lambda_,
                    settings,
                    splits,
                    lambda line, where=where: report(f"{where} {line}"),  # type: ignore[misc]
                )
            except AuditError as error:
                raise AuditError(
                    f"{settings.dataset}, {settings.model}, seed {settings.seed}, {where} {error}"
                ) from error
        moved = distances(model, splits["dev"])
        report(f"step {number}/{last}: lambda {lambda_:.3g}, on dev TVD {moved[0]:.4f}, JSD {moved[1]:.4f}")
        steps.append(Step(lambda_, *moved))
        yield Found(steps[-1], began, trained)
        # a step that is not begun with now never is later
        if (began := start(steps, budget)) == len(steps) - 1:
            held = trained.weights
