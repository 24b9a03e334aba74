"""Rankings of the items of a text by how much they are thought to matter (Serrano & Smith 2019, section 5.2).

Every ranking is a score for each item: the highest first and, of equals, the lower position first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
import torch
from torch import Tensor

from attention_audit.audits.erasure import Texts

Ranker = Callable[[Texts, Sequence[str], int], Tensor]
"""Scores (n, L) of the items of n texts, from the texts, the ids of the whole readout, and a seed."""


def order(scores: Tensor, lengths: Tensor) -> Tensor:
    """Positions by falling score, equals by position, padding last: (n, L), (n,) -> (n, L)."""
    padding = torch.arange(scores.shape[1]) >= lengths[:, None]
    keys = (-scores).masked_fill(padding, float("inf")).numpy()
    # numpy's default sort is several times faster than its stable one, which only texts with ties need
    positions = np.argsort(keys)
    ranked = np.take_along_axis(keys, positions, 1)
    tied = ((ranked[:, 1:] == ranked[:, :-1]) & np.isfinite(ranked[:, 1:])).any(1)
    positions[tied] = np.argsort(keys[tied], kind="stable")
    return torch.from_numpy(positions)


def stream(purpose: str, name: str, seed: int) -> np.random.Generator:
    """The random numbers of one text: the same wherever and beside whichever others it is drawn."""
    digest = blake2b(f"{seed}\0{purpose}\0{name}".encode(), digest_size=16).digest()
    return np.random.default_rng(np.frombuffer(digest, "<u4"))


def shuffled(texts: Texts, ids: Sequence[str], seed: int) -> Tensor:
    """Random scores, (n, L): one shuffle a text. `ids` are those of the whole readout."""
    scores = np.zeros(texts.attention.shape)
    for row, (member, length) in enumerate(zip(texts.members, texts.lengths.tolist(), strict=True)):
        scores[row, :length] = stream("shuffle", ids[member], seed).random(length)
    return torch.from_numpy(scores)


def attention(texts: Texts, _ids: Sequence[str], _seed: int) -> Tensor:
    """The attention weights, (n, L)."""
    return texts.attention


def gradient(texts: Texts, _ids: Sequence[str], _seed: int) -> Tensor:
    """Derivative of the highest probability in each weight, (n, L)."""
    return texts.gradient


def product(texts: Texts, _ids: Sequence[str], _seed: int) -> Tensor:
    """The product of attention and gradient, (n, L)."""
    return texts.attention * texts.gradient


def smallest(texts: Texts, _ids: Sequence[str], _seed: int) -> Tensor:
    """Scores (n, L) whose ranking changes the decision with as few erased items as any set does.

    The gold standard that the paper holds too costly (section 5.2), exactly. Let m be the decision and w_tc the votes
    of item t for m less those for class c. What is left, R, is renormalised by its mass, which is positive, so c beats
    m if and only if sum_R w_tc < 0 (or = 0 where c < m: a tie). Of all R of one size, that sum is least for the items
    of least w_tc: the smallest set that lets c win takes the highest w_tc first. The decision flips where any class
    wins, so the best of these sets is the smallest. Beside them there is one other way: to erase all mass, whereupon
    the bias decides; the smallest set for that is all items of positive weight, and attention ranks them first.

    A ranking by w_tc for the class that wins soonest (the lowest of equals), or by attention where that is sooner.
    """
    lead = texts.ahead(texts.votes[:, :-1])
    # numpy sorts many times faster than torch, which brings the positions too
    remaining = torch.from_numpy(np.sort(lead.numpy())).cumsum(2)
    wins_ties = torch.arange(lead.shape[1]) < texts.decision
    # the sums fall and then rise, so those low enough come first; a tie of no mass counts too, but it takes all mass
    kept = (remaining <= 0).sum(2).where(wins_ties, (remaining < 0).sum(2))
    most, winner = kept.max(1, keepdim=True)
    weighty = (texts.attention > 0).sum(1, keepdim=True)
    by_bias = (texts.bias.argmax(1, keepdim=True) != texts.decision) & (weighty < lead.shape[2] - most)
    best = lead.gather(1, winner[..., None].expand(-1, 1, lead.shape[2]))[:, 0]
    return texts.attention.where(by_bias, best)


SMALLEST = "smallest"
"""The ranking whose order means nothing beyond the set that it erases."""
RANKERS: dict[str, Ranker] = {
    "random": shuffled,
    "attention": attention,
    "gradient": gradient,
    "product": product,
    SMALLEST: smallest,
}
"""Every ranking; `names.RANKINGS` says how it is called and looks."""
TOPS = tuple(name for name in RANKERS if name not in {"random", SMALLEST})
"""The rankings that claim their first item to matter most."""
