"""Findings of a paper, one by one, and whether this run finds the same.

A claim that a difference exists holds where the whole interval lies on the claimed side, and does not where none of it
does; otherwise it is undecided.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from attention_audit.answer.bootstrap import bootstrap
from attention_audit.columns.claims import CLAIMS
from attention_audit.tables.arrays import Floats

Finding = tuple[str, str, float, float, float, str, str]
"""One row of columns.claims without the data set."""


YES, NO, UNDECIDED = "yes", "no", "undecided"


def above(low: float, high: float, bound: float) -> str:
    """Say yes where the whole interval lies above a bound, no where it lies below or at it, else undecided."""
    return YES if low > bound else NO if high <= bound else UNDECIDED


def below(low: float, high: float, bound: float) -> str:
    """Whether a number with this interval is below a bound: yes, no or undecided."""
    return above(-high, -low, -bound)


def finding(
    claim: str,
    statistic: str,
    ours: Sequence[float],
    theirs: str,
    side: Callable[[float, float, float], str],
    bound: float,
) -> Finding:
    """A finding of a number with its interval (value, low, high), which holds where it is on a side of a bound.

    side: `above` or `below`.
    """
    value, low, high = ours
    return claim, statistic, value, low, high, theirs, side(low, high, bound)


def of_medians(one: Floats, other: Floats, resamples: int) -> Sequence[float]:
    """The median of `one` minus that of `other`, (S, N) each, with the interval of the bootstrap."""

    def medians(ones: Floats, others: Floats) -> Floats:
        apart: Floats = np.nanmedian(ones, axis=-1) - np.nanmedian(others, axis=-1)
        return apart

    return bootstrap(medians, one, other, resamples=resamples)


def as_claims(found: Iterable[tuple[str, Finding]]) -> pd.DataFrame:
    """Findings by data set as rows of columns.claims."""
    return pd.DataFrame([(dataset, *own) for dataset, own in found], columns=CLAIMS.schema.names)
