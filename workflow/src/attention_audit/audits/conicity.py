"""Conicity: how alike are the hidden states of a text?

Claims nothing about attention itself: where all states point in the same direction, any weights give nearly the same
context vector, and permuting the weights cannot change the prediction. Conicity is the mean, over the tokens, of the
cosine between a token's state and the mean state: 1 where all states point in the same direction, near 0 where they
spread. Mohankumar et al. 2020, section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.attributions import evaluating


def cone(states: Tensor, mask: Tensor) -> Tensor:
    """Conicity of n texts: states (n, L, H), mask (n, L), true on items -> (n,). A state of zeros has the cosine 0."""
    inside = mask[..., None]
    items = mask.sum(1)
    middle = states.where(inside, 0.0).sum(1) / items[:, None]
    return cosine_similarity(states, middle[:, None], dim=-1).where(mask, 0.0).sum(1) / items


@torch.inference_mode()
def conicity(texts: Attributed) -> dict[str, Any]:
    """Columns id and conicity; one row for each text."""
    conicities = np.empty(len(texts.split))
    with evaluating(texts.model):
        for members, batch in texts.split.in_order_of_length():
            conicities[members] = cone(texts.model(batch).states.double(), batch.mask).cpu().numpy()
    return {"id": texts.readout.ids, "conicity": conicities}
