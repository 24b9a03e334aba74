"""Conicity: how alike are the hidden states of a text?

Claims nothing of attention: where all states point the same way, any weights give the same context, and permuting them
can not move the prediction. The mean over tokens of the cosine between a state and the mean of the states; 1 where all
point the same way, near 0 where they spread. Mohankumar et al. 2020, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from attention_audit.audits.attributions import evaluating
from attention_audit.model.batch import Split
from attention_audit.model.network import Network


def cone(states: Tensor, mask: Tensor) -> Tensor:
    """Conicity of n texts: states (n, L, H), mask (n, L), true on items -> (n,). A state of zeros has a cosine of 0."""
    inside = mask[..., None]
    items = mask.sum(1)
    middle = states.where(inside, 0.0).sum(1) / items[:, None]
    return cosine_similarity(states, middle[:, None], dim=-1).where(mask, 0.0).sum(1) / items


@torch.inference_mode()
def conicity(model: Network, split: Split, ids: Sequence[str]) -> dict[str, Any]:
    """Columns id and conicity; one row a text of the split, whose ids these are."""
    found = np.empty(len(split))
    with evaluating(model):
        for members, batch in split.in_order_of_length():
            found[members] = cone(model(batch).states.double(), batch.mask).cpu().numpy()
    return {"id": list(ids), "conicity": found}
