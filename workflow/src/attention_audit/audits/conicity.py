"""Conicity: how alike are the hidden states of a text?

Claims nothing about attention itself: where all states point in the same direction, any weights give nearly the same
context vector, and permuting the weights cannot change the prediction. Conicity is the mean, over the tokens, of the
cosine between a token's state and the mean state: 1 where all states point in the same direction, near 0 where they
spread. Mohankumar et al. 2020, section 3. The magnitudes of the cosines are averaged too, as in the authors' code.
"""

from typing import Any

import numpy as np

from attention_audit.model.attention import measure_absolute_conicity, measure_conicity
from attention_audit.model.network import use_inference

from .attributed import Attributed


def conicity(texts: Attributed) -> dict[str, Any]:
    """Columns id, conicity and magnitude; one row for each text."""
    conicities, magnitudes = np.empty((2, len(texts.split)))
    with use_inference(texts.model):
        for members, batch in texts.split.iterate_by_length():
            states = texts.model(batch).states.double()
            conicities[members] = measure_conicity(states, batch.mask).cpu().numpy()
            magnitudes[members] = measure_absolute_conicity(states, batch.mask).cpu().numpy()
    return {"id": texts.readout.ids, "conicity": conicities, "magnitude": magnitudes}
