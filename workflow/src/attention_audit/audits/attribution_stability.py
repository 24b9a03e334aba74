"""Stability of attributions: would another training put the words of a text in the same order by them too?

What `map_stability` measures of the maps that readouts carry, of attributions that none carries: the gradient by the
weights and its product with them; and, for which the model runs again, leave-one-out and integrated gradients.
"""

from typing import Any

import numpy as np

from .attributed import Attributed
from .batches import to_columns
from .rankings import BY_MAP, list_scores
from .settings import Agreement, Deletion
from .stability import rank_correlation


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
