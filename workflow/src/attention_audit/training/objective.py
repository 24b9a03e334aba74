"""The losses that trainings minimise, one value for each text."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from attention_audit.divergence import kl, tvd
from attention_audit.model.batch import Batch
from attention_audit.model.cone import absolute_conicity
from attention_audit.model.network import Output
from attention_audit.model.probabilities import probabilities


class Loss(Protocol):
    """A function from a model's output and its batch to the loss of each text, (B,)."""

    def __call__(self, output: Output, batch: Batch) -> Tensor: ...


def cross_entropies(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of the gold label: (B, O), (B,) -> (B,); a single output is the logit of class 1."""
    if logits.shape[-1] == 1:
        return binary_cross_entropy_with_logits(logits[:, 0], labels.to(logits), reduction="none")
    return cross_entropy(logits, labels, reduction="none")


@dataclass(frozen=True)
class LabelLoss:
    """Cross-entropy of the gold label, weighted so that all classes of the training split count the same.

    class_sizes: texts of each class in the training split. Of two classes, a negative text has weight 1 and a positive
    one negatives / positives (the authors' pos_weight). Of more, a text has weight mean class size / its class's size.
    Without class sizes, all weights are 1.
    """

    class_sizes: tuple[int, ...] | None

    def __call__(self, output: Output, batch: Batch) -> Tensor:
        loss = cross_entropies(output.logits, batch.labels)
        if self.class_sizes is None:
            return loss
        sizes = torch.tensor(self.class_sizes, dtype=loss.dtype, device=loss.device)
        if len(sizes) == 2:
            return torch.where(batch.labels == 1, sizes[0] / sizes[1], 1.0) * loss
        return (sizes.mean() / sizes)[batch.labels] * loss


@dataclass(frozen=True)
class Diversity:
    """Label loss + weight x conicity of the states that the attention weighs, of a pair those of its first text.

    Mohankumar et al. 2020, section 4.2; conicity is the mean of the cosines' magnitudes, as in the authors' code: a few
    large states, to which all others are opposed, would make that of the paper's formula negative.
    """

    labels: LabelLoss
    weight: float

    def __call__(self, output: Output, batch: Batch) -> Tensor:
        return self.labels(output, batch) + self.weight * absolute_conicity(output.states, batch.mask)


@dataclass(frozen=True)
class ConsistentAdversary:
    """TVD(adversary, base) - lambda KL(adversary || base): the same predictions from different attention.

    Wiegreffe & Pinter 2019, section 4.1, equation 1. TVD is between predictions, KL between attention weights; the
    batch carries the base model's predictions and weights.
    """

    lambda_: float

    def __call__(self, output: Output, batch: Batch) -> Tensor:
        if batch.attention is None or batch.probabilities is None:
            raise ValueError("an adversary needs a split that carries the base model's attention and predictions")
        distance = tvd(probabilities(output.logits), batch.probabilities)
        return distance - self.lambda_ * kl(output.attention, batch.attention)


@dataclass(frozen=True)
class Deception:
    """Label loss - lambda log(1 - m), with m the attention on impermissible items: right, and silent about why.

    Pruthi et al. 2020, section 3.1, equation 1. The batch carries the impermissible items. 1 - m is summed from the
    other weights, so that it keeps its digits, and its gradient, where nearly all attention is on impermissible items.
    """

    labels: LabelLoss
    lambda_: float

    def __call__(self, output: Output, batch: Batch) -> Tensor:
        if batch.impermissible is None:
            raise ValueError("deception needs a split that carries impermissible items")
        permitted = output.attention.masked_fill(batch.impermissible, 0.0).sum(-1)
        least = torch.finfo(permitted.dtype).tiny
        return self.labels(output, batch) - self.lambda_ * permitted.clamp(min=least).log()
