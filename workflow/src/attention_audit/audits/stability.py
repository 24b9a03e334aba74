"""Stability of maps and attributions: would another training put the words of a text in the same order?

Claims: a map whose order of the words changes with the seed of the training says little of the words. Assumes that both
trainings decide alike. Measured by Spearman's rank correlation over the words of a text, which scores of any sign have:
1 is the same order, 0 an unrelated one. The audit `stability` measures how far the weights of attention themselves
move; scores that may be negative are no distribution, and have no such distance.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from attention_audit.readout import Readout

from .batches import to_columns

Scores = npt.NDArray[np.floating]


def rank_correlation(one: Scores, other: Scores) -> float:
    """Compute Spearman's rank correlation of two scores of the same words; NaN where all scores of either are alike."""
    with np.errstate(invalid="ignore"):
        return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def map_stability(other: Readout, own: Readout) -> dict[str, Any]:
    """Columns id, map, rho; one row for attention on the words and each further map that both trainings have, and each
    text of `other`.

    Raises AuditError where `own` lacks a text.
    """
    theirs, ours = ({"attention": each.word_attention, **each.maps} for each in (other, own.aligned(other.ids)))
    rows = [
        (id_, name, rank_correlation(*both))
        for name in theirs
        if name in ours
        for id_, *both in zip(other.ids, theirs[name], ours[name], strict=True)
    ]
    return to_columns(("id", "map", "rho"), rows)
