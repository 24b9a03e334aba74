"""The continuation search for consistent adversaries: which lambda comes next, from what happened so far.

A model that is trained as an adversary from scratch must find the base model's predictions and other attention at the
same time, and where lambda is too large it finds neither. This search begins at the base model, whose attention scores
are softened so that the softmax passes gradients, waits until the predictions are back, and then raises lambda step by
step. A step begins with the weights of the last one that is within the budget: the one with the greatest lambda there.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple


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
