"""Stability of attributions: would another training put the words of a text in the same order by them too?

What `map_stability` measures of the maps that readouts carry, of attributions that none carries: the gradient by the
weights and its product with them; and, for which the model runs again, leave-one-out and integrated gradients.
"""

from typing import Any

import numpy as np

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.attributions import Scores
from attention_audit.audits.map_stability import rank_correlation
from attention_audit.audits.rankings import BY_MAP, BY_STATES, by_states
from attention_audit.audits.settings import Agreement, Deletion
from attention_audit.readout import Readout


def of_states(readout: Readout) -> dict[str, Scores]:
    """The scores of the words of each text by the rankings that need states; none where these are not known."""
    names = [name for name in BY_STATES if name not in BY_MAP and readout.decided]
    found: dict[str, Scores] = {name: [np.empty(0)] * len(readout) for name in names}
    for texts, scored in by_states(readout, seed=0):
        for name, scores in found.items():
            for member, row, words in zip(texts.members, scored[name].numpy(), texts.words.tolist(), strict=True):
                scores[member] = row[:words]
    return found


def attribution_stability(texts: Attributed, agreement: Agreement, deletion: Deletion) -> dict[str, Any]:
    """Columns other, id, map, rho: a row for each earlier training of the model, attribution and text that has it.

    Integrated gradients and leave-one-out are of the samples of texts that `located` has them of.
    """
    chosen, integrated = texts.integrated(agreement)
    several = texts.deletable(agreement, deletion)
    further = {"loo": texts.deletions_of(several).falls, "integrated_gradients": integrated}
    own = of_states(texts.readout) | further
    members = dict.fromkeys(own, several) | {"integrated_gradients": np.intersect1d(several, chosen)}
    rows = [
        (other, texts.readout.ids[member], name, rank_correlation(theirs[name][member], own[name][member]))
        for other, theirs in texts.earlier.items()
        for name in own
        for member in members[name]
    ]
    texts.earlier[texts.seed] = own
    return {name: [row[place] for row in rows] for place, name in enumerate(("other", "id", "map", "rho"))}
