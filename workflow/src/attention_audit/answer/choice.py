"""Which adversary answers for all that were trained: the furthest one whose predictions stay, chosen on dev."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ENOUGH = 3
"""So many adversaries near the budget make a search of which one may say that it found nothing."""


class Candidate(NamedTuple):
    """One adversary, a whole model: its family, lambda and seed, and its mean TVD and JSD (nats) from base on dev."""

    model: str
    lambda_: float
    seed: int
    tvd: float
    jsd: float


class Choice(NamedTuple):
    """The chosen adversary, None where none is within the budget.

    near: how many adversaries have a TVD between half the budget and the budget. nearest: the least TVD of all, NaN
    where there is no adversary.
    """

    chosen: Candidate | None
    near: int
    nearest: float

    @property
    def searched(self) -> bool:
        """Whether the search went up to the budget often enough that "nothing else was found" means something."""
        return self.near >= ENOUGH


def furthest(candidates: Sequence[Candidate], budget: float) -> Choice:
    """The adversary with the greatest JSD among those whose TVD is at most `budget`; of equals, that of the least TVD.

    All numbers are of dev, so that the test split, on which the chosen one is then measured, has chosen nothing. No
    point between two adversaries is counted: a mixture of two models is none that anybody has trained.
    """
    within = [one for one in candidates if one.tvd <= budget]
    chosen = max(within, key=lambda one: (one.jsd, -one.tvd), default=None)
    near = sum(one.tvd >= budget / 2 for one in within)
    return Choice(chosen, near, min((one.tvd for one in candidates), default=float("nan")))
