"""A base model and texts -> the adversaries of one search by continuation: all that decides what their weights are."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attention_audit.divergence import jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.model.attention import soften
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, inference
from attention_audit.model.probabilities import probabilities
from attention_audit.training.continuation import Step, next_lambda, start
from attention_audit.training.loop import Epoch, Trained, fit
from attention_audit.training.objective import ConsistentAdversary
from attention_audit.training.settings import SearchSettings


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
