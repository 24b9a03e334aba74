"""Stability of maps and attributions: would another training put the words of a text in the same order?

Claims: a map whose order of the words changes with the seed of the training says little of the words. Assumes that both
trainings decide alike. Measured by Spearman's rank correlation over the words of a text, which scores of any sign have:
1 is the same order, 0 an unrelated one. The audit `stability` measures how far the weights of attention themselves
move; scores that may be negative are no distribution, and have no such distance.

`map_stability` measures the maps that readouts carry, and `attribution_stability` attributions that none carries: the
gradient by the weights and its product with them; and, for which the model runs again, leave-one-out and integrated
gradients.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.batches import to_columns
from attention_audit.audits.rankings import BY_MAP, list_scores
from attention_audit.audits.settings import Agreement, Deletion
from attention_audit.readout import Readout

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


def attribution_stability(texts: Attributed, agreement: Agreement, deletion: Deletion) -> dict[str, Any]:
    """Columns other, id, map, rho: a row for each earlier training of the model, attribution and text that has it.

    Integrated gradients and leave-one-out are of the samples of texts that `located` has them of.
    """
    chosen, integrated = texts.integrated(agreement)
    several = texts.deletable(agreement, deletion)
    further = {"loo": texts.deletions_of(several).falls, "integrated_gradients": integrated}
    own = {name: scores for name, scores in list_scores(texts.readout, 0).items() if name not in BY_MAP} | further
    members = dict.fromkeys(own, several) | {"integrated_gradients": np.intersect1d(several, chosen)}
    rows = [
        (other, texts.readout.ids[member], name, rank_correlation(theirs[name][member], scores[member]))
        for other, theirs in texts.earlier.items()
        for name, scores in own.items()
        for member in members[name]
    ]
    texts.earlier[texts.seed] = own
    return to_columns(("other", "id", "map", "rho"), rows)
