"""Erasure: what a model predicts when some attention weights are zeroed and the others renormalised.

Serrano & Smith 2019, section 2.1; here without the network. With the readout's weights a_t, contributions z_t and bias
b, let item t cast the votes a_t (z_t + b) and bring the mass a_t. Where the items K are left, the logits are

    sum_K a_t z_t / sum_K a_t + b  =  (sum of the votes of K) / (mass of K)

and b alone where no mass is left: everything is erased, or what is not has weights of exactly 0 (their section 5.3:
the zero vector). Votes and mass add up, so all erasures along a ranking are one cumulative sum. It runs over what is
left, never total less erased, which would lose all digits where one item holds nearly all mass.

Two classes are the softmax of the logits 0 and z, which is the sigmoid. Ties between classes go to the lower class.
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
class Texts:
    """n texts, padded with zeros to L: more than the longest has items, so that what is left of none has a place.

    attention (n, L), contribution (n, C, L), bias (n, C); votes (n, C + 1, L): the mass comes last; lengths (n,);
    `members` (n,) are their positions in the readout. C is 2 for a model with one output.
    """

    members: npt.NDArray[np.int64]
    attention: Tensor
    contribution: Tensor
    bias: Tensor
    votes: Tensor
    lengths: Tensor

    @cached_property
    def decision(self) -> Tensor:
        """Predicted classes when nothing is erased, (n, 1)."""
        return decide(self.votes.sum(2, keepdim=True), self.bias)

    @cached_property
    def predicted(self) -> Tensor:
        """Predicted distributions when nothing is erased, (n, C, 1)."""
        return distribution(self.votes.sum(2, keepdim=True), self.bias)

    @cached_property
    def gradient(self) -> Tensor:
        """Derivative of the highest probability p_m in each weight, with its sign, (n, L).

        The weight moves freely, without the others: p_m (z_tm - sum_j p_j z_tj), here summed over z_tm - z_tj, which
        keeps its digits where p_m is nearly 1.
        """
        highest = self.predicted[..., 0].gather(1, self.decision)
        return highest * (self.predicted.transpose(1, 2) @ self.ahead(self.contribution))[:, 0]

    def ahead(self, values: Tensor) -> Tensor:
        """What each item has for the predicted class less what it has for any, (n, C, L) -> (n, C, L)."""
        return values.gather(1, self.decision[..., None].expand(-1, 1, values.shape[2])) - values


def erasable(readout: Readout, positions: int = 16384) -> Iterator[Texts]:
    """All texts, shortest first, in float64, in batches of about so many positions."""
    for texts in readout.batches(torch.float64, positions):
        two_classes = int(texts.bias.shape[1] == 1)
        attention = pad(texts.attention, (0, 1))
        contribution = pad(texts.contribution.transpose(1, 2), (0, 1, two_classes, 0))
        bias = pad(texts.bias, (two_classes, 0))
        votes = torch.cat([contribution.add(bias[..., None]).mul_(attention[:, None]), attention[:, None]], 1)
        yield Texts(texts.members, attention, contribution, bias, votes, texts.lengths)


def ranked(votes: Tensor, order: Tensor) -> Tensor:
    """Votes and mass in the order of a ranking, padding last: (n, C + 1, L), positions (n, L) -> (n, C + 1, L)."""
    return votes.gather(2, order[:, None].expand_as(votes))


def left(votes: Tensor) -> Tensor:
    """What is left when the first k of ranked items are erased, for k = 0 to L - 1: (n, C + 1, L) -> the same."""
    return votes.flip(2).cumsum(2).flip(2)


def decide(votes: Tensor, bias: Tensor) -> Tensor:
    """Predicted classes: (n, C + 1, K), (n, C) -> (n, K)."""
    return votes[:, :-1].max(1).indices.where(votes[:, -1] > 0, bias.argmax(1, keepdim=True))


def distribution(votes: Tensor, bias: Tensor) -> Tensor:
    """Predicted distributions: (n, C + 1, K), (n, C) -> (n, C, K)."""
    mass = votes[:, -1:]
    logits = votes[:, :-1] / mass.where(mass > 0, 1.0)
    return logits.where(mass > 0, bias[..., None]).softmax(1)
