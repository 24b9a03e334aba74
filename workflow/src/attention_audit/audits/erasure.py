"""Erasure: what a model predicts when some attention weights are zeroed and the others renormalised.

Serrano & Smith 2019, section 2.1, computed from the readout without running the network. With attention weights a_t,
contributions z_t and bias b, item t casts the votes a_t (z_t + b) and has the mass a_t. Where the items K remain, the
logits are

    sum_K a_t z_t / sum_K a_t + b  =  (sum of the votes of K) / (mass of K)

Where no mass remains, the logits are b alone (their section 5.3: the zero vector): all items are erased, or those that
remain have weights of exactly 0. Votes and mass are sums over items, so one cumulative sum gives all erasures along a
ranking. It adds up the items that remain; to subtract the erased ones from the total would lose all digits where one
item has nearly all mass.

With several heads, an item is erased in all of them, and each head is renormalised by itself; one without any mass
attends to the zero vector. The votes of an item are then a_ht V_ht of each head, and there is a mass of each head: they
are sums over items too, and what remains of them passes the tail.

With two classes, the model's one output z is treated as the logits 0 and z, whose softmax is the sigmoid. Where classes
tie, the lower class is predicted; but the decision flips only where no class that was predicted, or tied with it, is
among the likeliest any longer, whatever the order of the classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.arrays import Integers
from attention_audit.divergence import detect_flips
from attention_audit.model.tail import probabilities
from attention_audit.padded import Heads, PaddedReadout
from attention_audit.readout import Readout

ALL_TEXTS = slice(None)
POSITIONS = 16384
"""Items of the texts that are padded together."""
ERASED_TOGETHER = 4
"""Further items whose erasure passes a tail together, of texts whose decision holds so far."""


@dataclass(frozen=True)
class ErasableTexts:
    """n texts, padded with zeros to L items; L is one more than the longest text has, to leave room for "no item left".

    members (n,): the positions of the texts in the readout. attention (n, L), contribution (n, C, L), bias (n, C),
    votes (n, F, L) with the mass last, lengths (n,). C is 2 for a model with one output. F is C + 1, or
    H D_h + H + 1 with several heads, whose masses come before the last, which is their mean. words (n,): how many items
    are no marks of a tokenizer; they come first.
    """

    members: Integers
    attention: Tensor
    contribution: Tensor
    bias: Tensor
    votes: Tensor
    lengths: Tensor
    words: Tensor
    heads: Heads | None

    @cached_property
    def decision(self) -> Tensor:
        """Return the predicted classes when nothing is erased, (n, 1)."""
        return self.original.max(1).indices

    @cached_property
    def original(self) -> Tensor:
        """Return the scores of the classes when nothing is erased, (n, C, 1)."""
        return self.score(self.votes.sum(2, keepdim=True))

    @cached_property
    def predicted(self) -> Tensor:
        """Return the predicted distributions when nothing is erased, (n, C, 1)."""
        return self.predict(self.votes.sum(2, keepdim=True))

    def predict(self, votes: Tensor, rows: Tensor | slice = ALL_TEXTS) -> Tensor:
        """Predict distributions from the votes and mass that remain in the texts at `rows`: (n, F, K) -> (n, C, K)."""
        if self.heads is None:
            mass = votes[:, -1:]
            logits = votes[:, :-1] / mass.where(mass > 0, 1.0)
            return logits.where(mass > 0, self.bias[rows, :, None]).softmax(1)
        (_, count, _, width), below = self.heads.values.shape, self.heads.below[rows]
        values = votes[:, : count * width].reshape(len(votes), count, width, -1)
        masses = votes[:, count * width : -1, None]
        contexts = (values / masses.where(masses > 0, 1.0)).where(masses > 0, 0.0).flatten(1, 2)
        logits = self.heads.tail.compute_logits(contexts.permute(2, 0, 1), below)
        return probabilities(logits.double()).permute(1, 2, 0)

    def score(self, votes: Tensor, rows: Tensor | slice = ALL_TEXTS) -> Tensor:
        """Order the classes by the votes and mass that remain, exactly: (n, F, K) -> (n, C, K)."""
        if self.heads is not None:
            return self.predict(votes, rows)
        return votes[:, :-1].where(votes[:, -1:] > 0, self.bias[rows, :, None])

    def erase(self, votes: Tensor, rows: Tensor | slice = ALL_TEXTS) -> tuple[Tensor, Tensor]:
        """Predict as `predict` does, and find where the decision flips: (n, F, K) -> (n, C, K), (n, K)."""
        predicted = self.predict(votes, rows)
        scores = self.score(votes, rows) if self.heads is None else predicted
        return predicted, detect_flips(self.original[rows], scores, 1)

    def measure_fall(self, predicted: Tensor) -> Tensor:
        """Compute how far the probability of the decision falls to other predictions: (n, C, K) -> (n, K)."""
        chosen = self.decision[..., None].expand(-1, 1, predicted.shape[2])
        return (self.predicted - predicted).gather(1, chosen)[:, 0]

    @cached_property
    def lead(self) -> Tensor:
        """By how much each item puts the predicted class m ahead, z_tm - sum_c p_c z_tc, (n, L).

        It is computed as sum_c p_c (z_tm - z_tc), which keeps its digits where p_m is nearly 1.
        """
        return (self.predicted.transpose(1, 2) @ self.compare_to_decision(self.contribution))[:, 0]

    @cached_property
    def margin(self) -> Tensor:
        """By how much each item puts the predicted class m ahead of the others, in logits, (n, L).

        It is z_tm minus the mean of z_tc over the other classes, weighted by their probabilities: the lead divided by
        1 - p_m. So it does not vanish where the model is sure, as the lead does.
        """
        other_probabilities = self.predicted.scatter(1, self.decision[..., None], 0.0)
        # where not even float64 knows of another class, all others count alike
        even = torch.ones_like(other_probabilities).scatter(1, self.decision[..., None], 0.0)
        other_probabilities = other_probabilities.where(other_probabilities.sum(1, keepdim=True) > 0, even)
        shares = other_probabilities / other_probabilities.sum(1, keepdim=True)
        return (shares.transpose(1, 2) @ self.compare_to_decision(self.contribution))[:, 0]

    @property
    def gradient(self) -> Tensor:
        """Derivative of the highest probability p_m with respect to each weight, with its sign, (n, L).

        The other weights stay as they are: the derivative is p_m times the lead.
        """
        return self.predicted[..., 0].gather(1, self.decision) * self.lead

    @property
    def exact_contributions(self) -> Tensor:
        """What each item adds to the decision for the predicted class m, c_t = a_t (z_tm - sum_c p_c z_tc), (n, L).

        Its sum over the items is the lead of logit m over the mean of all logits, weighted by their probabilities,
        but for the bias. Zeros on padding. With several heads, z_t are those of the first-order expansion, so that c_t
        are exact at the model's own weights only.
        """
        return self.attention * self.lead

    def compare_to_decision(self, values: Tensor) -> Tensor:
        """Subtract from each item's value for the predicted class its value for every class: (n, C, L), likewise."""
        return values.gather(1, self.decision[..., None].expand(-1, 1, values.shape[2])) - values


def batch_items(readout: Readout) -> Iterator[PaddedReadout]:
    """Cut a readout into batches in float64, shortest texts first, of about `POSITIONS` items together.

    With several heads, a batch has fewer items: they are larger.
    """
    return readout.batches(torch.float64, POSITIONS if readout.attending is None else POSITIONS // 8)


def batch_erasable(readout: Readout) -> Iterator[ErasableTexts]:
    """Count the votes of all texts of a readout, in the batches of `batch_items`."""
    return map(count_votes, batch_items(readout))


def count_votes(texts: PaddedReadout) -> ErasableTexts:
    """Compute the votes and masses of texts under their map; with several heads they are in float32."""
    two_classes = int(texts.bias.shape[1] == 1)
    attention = pad(texts.attention, (0, 1))
    contribution = pad(texts.contribution.transpose(1, 2), (0, 1, two_classes, 0))
    bias = pad(texts.bias, (two_classes, 0))
    if texts.heads is None:
        votes = torch.cat([contribution.add(bias[..., None]).mul_(attention[:, None]), attention[:, None]], 1)
    else:
        # what each item adds to what the heads attend to, its mass in each head, and the mean of these
        weights = texts.heads.weights.to(texts.heads.values.dtype)
        values = (weights[..., None] * texts.heads.values).transpose(2, 3).flatten(1, 2)
        votes = pad(torch.cat([values, weights, weights.mean(1, keepdim=True)], 1), (0, 1))
    return ErasableTexts(texts.members, attention, contribution, bias, votes, texts.lengths, texts.words, texts.heads)


def find_contributions(texts: PaddedReadout) -> Tensor | None:
    """Find `ErasableTexts.exact_contributions`, (n, L); None for a model of pairs, which has no such sum below its
    head, and where the predictions do not follow from the weights.
    """
    if texts.head is not None or not texts.bias.shape[1]:
        return None
    return count_votes(texts).exact_contributions[:, :-1]


def reorder_votes(votes: Tensor, order: Tensor) -> Tensor:
    """Put votes and mass into the order of a ranking, padding last: (n, F, L), positions (n, L) -> (n, F, L)."""
    return votes.gather(2, order[:, None].expand_as(votes))


def sum_remaining(votes: Tensor) -> Tensor:
    """Sum up the votes and mass that remain when the first k items are erased, for k = 0 to L - 1.

    (n, F, L) in the order of a ranking -> (n, F, L), position k for k erased items.
    """
    return votes.flip(2).cumsum(2).flip(2)


def find_flips(texts: ErasableTexts, remaining: Tensor, limits: Tensor) -> Tensor:
    """Find how many items are erased when the decision first changes, (n,); -1 where it never does.

    With several heads, whose tail takes long, -1 also where that takes more items than `limits`, (n,), and a few.
    """
    flip_sizes = torch.full_like(limits, -1)
    step = remaining.shape[2] if texts.heads is None else ERASED_TOGETHER
    for start in range(1, remaining.shape[2], step):
        rows = ((flip_sizes < 0) & (limits >= start)).nonzero()[:, 0]
        if not len(rows):
            break
        scores = texts.score(remaining[rows, :, start : start + step], rows)
        flips = detect_flips(texts.original[rows], scores, 1)
        ever = flips.any(1)
        flip_sizes[rows[ever]] = start + flips[ever].to(torch.uint8).argmax(1)
    return flip_sizes


def find_share(texts: ErasableTexts, order: Tensor) -> Tensor:
    """Find the share of the items erased in an order (n, L) when the decision first changes, (n,); NaN for never."""
    removed = find_flips(texts, sum_remaining(reorder_votes(texts.votes, order)), texts.lengths)
    return (removed.double() / texts.lengths).where(removed > 0, torch.nan)


def sum_without(texts: ErasableTexts, positions: Tensor) -> Tensor:
    """Sum up votes and mass when one item is erased, for each of K positions: (n, K) -> (n, F, K)."""
    remaining = texts.votes.new_ones(*positions.shape, texts.votes.shape[2])
    return texts.votes @ remaining.scatter_(2, positions[..., None], 0.0).transpose(1, 2)
