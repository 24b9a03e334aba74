"""Erasure: what a model predicts when some attention weights are zeroed and the others renormalised.

Serrano & Smith 2019, section 2.1, computed from the readout without running the network. With attention weights a_t,
contributions z_t and bias b, item t casts the votes a_t (z_t + b) and has the mass a_t. Where the items K remain, the
logits are

    sum_K a_t z_t / sum_K a_t + b  =  (sum of the votes of K) / (mass of K)

Where no mass remains, the logits are b alone (their section 5.3: the zero vector): all items are erased, or those that
remain have weights of exactly 0. Votes and mass are sums over items, so one cumulative sum gives all erasures along a
ranking. It adds up the items that remain; to subtract the erased ones from the total would lose all digits where one
item has nearly all mass.

With two classes, the model's one output z is treated as the logits 0 and z, whose softmax is the sigmoid. Where classes
tie, the lower class is predicted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.readout import Readout


@dataclass(frozen=True)
class ErasableTexts:
    """n texts, padded with zeros to L items; L is one more than the longest text has, to leave room for "no item left".

    members (n,): the positions of the texts in the readout. attention (n, L), contribution (n, C, L), bias (n, C),
    votes (n, C + 1, L) with the mass last, lengths (n,). C is 2 for a model with one output.
    """

    members: npt.NDArray[np.int64]
    attention: Tensor
    contribution: Tensor
    bias: Tensor
    votes: Tensor
    lengths: Tensor

    @cached_property
    def decision(self) -> Tensor:
        """The predicted classes when nothing is erased, (n, 1)."""
        return decide(self.votes.sum(2, keepdim=True), self.bias)

    @cached_property
    def predicted(self) -> Tensor:
        """The predicted distributions when nothing is erased, (n, C, 1)."""
        return distribution(self.votes.sum(2, keepdim=True), self.bias)

    @cached_property
    def lead(self) -> Tensor:
        """By how much each item puts the predicted class m ahead, z_tm - sum_c p_c z_tc, (n, L).

        It is computed as sum_c p_c (z_tm - z_tc), which keeps its digits where p_m is nearly 1.
        """
        return (self.predicted.transpose(1, 2) @ self.ahead(self.contribution))[:, 0]

    @property
    def gradient(self) -> Tensor:
        """Derivative of the highest probability p_m with respect to each weight, with its sign, (n, L).

        The other weights stay as they are: the derivative is p_m times the lead.
        """
        return self.predicted[..., 0].gather(1, self.decision) * self.lead

    @property
    def exact_contributions(self) -> Tensor:
        """What each item adds to the decision, c_t = a_t times the lead, (n, L): `Padded.exact_contributions`."""
        return self.attention * self.lead

    def ahead(self, values: Tensor) -> Tensor:
        """Each item's value for the predicted class minus its value for every class, (n, C, L) -> (n, C, L)."""
        return values.gather(1, self.decision[..., None].expand(-1, 1, values.shape[2])) - values


def erasable(readout: Readout, positions: int = 16384) -> Iterator[ErasableTexts]:
    """All texts of a readout in float64, shortest first, in batches of about `positions` items together."""
    for texts in readout.batches(torch.float64, positions):
        two_classes = int(texts.bias.shape[1] == 1)
        attention = pad(texts.attention, (0, 1))
        contribution = pad(texts.contribution.transpose(1, 2), (0, 1, two_classes, 0))
        bias = pad(texts.bias, (two_classes, 0))
        votes = torch.cat([contribution.add(bias[..., None]).mul_(attention[:, None]), attention[:, None]], 1)
        yield ErasableTexts(texts.members, attention, contribution, bias, votes, texts.lengths)


def ranked(votes: Tensor, order: Tensor) -> Tensor:
    """Votes and mass in the order of a ranking, padding last: (n, C + 1, L), positions (n, L) -> (n, C + 1, L)."""
    return votes.gather(2, order[:, None].expand_as(votes))


def left(votes: Tensor) -> Tensor:
    """Votes and mass that remain when the first k items are erased, for k = 0 to L - 1.

    (n, C + 1, L) in the order of a ranking -> (n, C + 1, L), position k for k erased items.
    """
    return votes.flip(2).cumsum(2).flip(2)


def without(texts: ErasableTexts, positions: Tensor) -> Tensor:
    """Votes and mass that remain when one item is erased, for each of K positions: (n, K) -> (n, C + 1, K)."""
    kept = texts.votes.new_ones(*positions.shape, texts.votes.shape[2])
    return texts.votes @ kept.scatter_(2, positions[..., None], 0.0).transpose(1, 2)


def decide(votes: Tensor, bias: Tensor) -> Tensor:
    """Predicted classes from remaining votes and mass and the bias: (n, C + 1, K), (n, C) -> (n, K)."""
    return votes[:, :-1].max(1).indices.where(votes[:, -1] > 0, bias.argmax(1, keepdim=True))


def distribution(votes: Tensor, bias: Tensor) -> Tensor:
    """Predicted distributions from remaining votes and mass and the bias: (n, C + 1, K), (n, C) -> (n, C, K)."""
    mass = votes[:, -1:]
    logits = votes[:, :-1] / mass.where(mass > 0, 1.0)
    return logits.where(mass > 0, bias[..., None]).softmax(1)
