"""What a training minimises: one value a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from attention_audit.divergence import kl, tvd
from attention_audit.model.batch import Batch
from attention_audit.model.classifier import Output, probabilities


class Objective(Protocol):
    """A loss, (B,)."""

    def __call__(self, output: Output, batch: Batch) -> Tensor: ...


@dataclass(frozen=True)
class LabelLoss:
    """Cross-entropy of the gold label, weighted by class: negatives 1, positives negatives / positives of
    the training split (the authors' pos_weight), so that both classes weigh the same.

    With more than two classes, each class weighs mean class size / its size.
    """

    class_sizes: tuple[int, ...]

    def __call__(self, output: Output, batch: Batch) -> Tensor:
        sizes = torch.tensor(self.class_sizes, dtype=output.logits.dtype, device=output.logits.device)
        if output.logits.shape[-1] == 1:
            weight = torch.where(batch.labels == 1, sizes[0] / sizes[1], 1.0)
            loss = binary_cross_entropy_with_logits(output.logits[:, 0], batch.labels.to(weight), reduction="none")
            return weight * loss
        return cross_entropy(output.logits, batch.labels, weight=sizes.mean() / sizes, reduction="none")


@dataclass(frozen=True)
class ConsistentAdversary:
    """TVD(adversary, base) - lambda KL(adversary || base): predict alike, attend elsewhere.

    Wiegreffe & Pinter 2019, section 4.1, equation 1. TVD over predictions, KL over attention; the base model's come
    with the batch.
    """

    lambda_: float

    def __call__(self, output: Output, batch: Batch) -> Tensor:
        if batch.attention is None or batch.probabilities is None:
            raise ValueError("an adversary needs a split that carries the base model's attention and predictions")
        distance = tvd(probabilities(output.logits), batch.probabilities)
        return distance - self.lambda_ * kl(output.attention, batch.attention)
