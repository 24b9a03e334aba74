"""Which adversary answers for all that were trained: the furthest one whose predictions stay, chosen on dev."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

from attention_audit.answer.intervals import NORMAL

ENOUGH = 3
"""So many adversaries near the budget make a search of which one may say that it found nothing."""


class Candidate(NamedTuple):
    """One adversary, a whole model: its family, lambda and seed, and its mean TVD and JSD (nats) from base on dev.

    upper: the upper end of the interval of the TVD over texts.
    """

    model: str
    lambda_: float
    seed: int
    tvd: float
    upper: float
    jsd: float

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> "Candidate":
        """That of a row of columns.CONSISTENCY."""
        upper = row["tvd"] + NORMAL * row["tvd_sd"] / sqrt(row["texts"])
        return cls(row["model"], row["lambda"], row["seed"], row["tvd"], upper, row["jsd"])


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
    """The adversary with the greatest JSD among those whose TVD holds the budget; of equals, that of the least TVD.

    It holds the budget where the upper end of its interval is at most `budget`: the furthest of many with a mean just
    below it would be above it on other texts. All numbers are of dev, so that the test split, on which the chosen one
    is then measured, has chosen nothing. No point between two adversaries is counted: a mixture of two
    models is none that anybody has trained.
    """
    held = [one for one in candidates if one.upper <= budget]
    chosen = max(held, key=lambda one: (one.jsd, -one.tvd), default=None)
    near = sum(budget / 2 <= one.tvd <= budget for one in candidates)
    return Choice(chosen, near, min((one.tvd for one in candidates), default=float("nan")))
