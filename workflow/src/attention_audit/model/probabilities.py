"""From the outputs of a decoder to a distribution over classes."""

import torch
from torch import Tensor


def probabilities(logits: Tensor) -> Tensor:
    """Distribution over all classes; (..., 1) -> (..., 2) by a sigmoid, (..., C) -> (..., C) by a softmax."""
    if logits.shape[-1] == 1:
        positive = logits.sigmoid()
        return torch.cat([1 - positive, positive], dim=-1)
    return logits.softmax(-1)
