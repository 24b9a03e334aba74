"""Padded texts of a readout, and what their model predicts for them under any attention weights.

With weights a_t, the scores of a text are s = sum_t a_t z_t + b. In a model of single texts these are the logits. A
model of pairs has a head above them, logits = W tanh(s) + c, and classes that are not candidates have no logit.

A Transformer has several heads of attention and a tail above them (`model.tail`). Its map is the mean of the heads, and
z_t and b are those of its first-order expansion at its own weights. An audit asks for other weights by what is done to
the items, and gets those of all heads: `permute`, `reorder`. Weights are (..., L) of one map, (..., H, L) of H
heads, and `average_heads` is the map that a reader sees of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from attention_audit.arrays import Integers
from attention_audit.batching import mark_lengths
from attention_audit.model.tail import ROWS_AT_ONCE, LogitTail, Tail, probabilities


class Head(NamedTuple):
    """The last layer of a model of pairs, from scores to logits: weight (C, O), bias (C,)."""

    weight: Tensor
    bias: Tensor


class Heads(NamedTuple):
    """The heads of n texts, below their tail: weights (n, H, L), values (n, H, L, D_h), below (n, D).

    below: the state of the classified token under the last layer. Values and tail are in float32: a tail in float64
    takes many times as long, and both differ by about 1e-6.
    """

    weights: Tensor
    values: Tensor
    below: Tensor
    tail: LogitTail

    def compute_contexts(self, weights: Tensor) -> Tensor:
        """Return what K other sets of weights attend to: (K, n, H, L) -> (K, n, H D_h)."""
        attended = weights.to(self.values.dtype).permute(1, 2, 0, 3) @ self.values
        return attended.permute(2, 0, 1, 3).flatten(2)

    def compute_logits(self, contexts: Tensor) -> Tensor:
        """Compute the logits of K contexts of each text: (K, n, H D_h) -> (K, n, C)."""
        return self.tail.compute_logits(contexts, self.below)

    def expand(self) -> tuple[Tensor, Tensor, Tensor]:
        """Compute the first-order expansion of the logits s at the model's own weights: z (n, L, C), b (n, C), s (n,
        C).

        z_t = (sum over heads of a_ht ds/da_ht) / a_t, with the mean a_t of the heads, and b = s - sum_t a_t z_t. So
        a_t z_t is what item t adds where all its weights change in proportion. Where they are 0, all heads have an
        equal part in it.
        """
        with torch.enable_grad():
            context = self.compute_contexts(self.weights[None])[0].requires_grad_()
            logits = self.tail.apply(context, self.below)
            slopes = [torch.autograd.grad(logit.sum(), context, retain_graph=True)[0] for logit in logits.unbind(-1)]
        by_context = torch.stack(slopes, -1).reshape(*self.weights.shape[:2], -1, len(slopes))
        by_weight = self.values @ by_context
        weights = self.weights.to(by_weight.dtype)[..., None]
        added, map_ = (weights * by_weight).sum(1), weights.mean(1)
        contribution = (added / map_).where(map_ > 0, by_weight.sum(1))
        return contribution, logits.detach() - added.sum(1), logits.detach()

    def round_values(self) -> "Heads":
        """Return the same with values and tail in bfloat16, of three digits, where the processor multiplies them
        faster.
        """
        if not isinstance(self.tail, Tail) or not torch.cpu._is_avx512_bf16_supported():
            return self
        dtype = torch.bfloat16
        tail = replace(self.tail, weights={name: weight.to(dtype) for name, weight in self.tail.weights.items()})
        return self._replace(values=self.values.to(dtype), below=self.below.to(dtype), tail=tail)


def compute_softmax_slope(predicted: Tensor, slope: Tensor) -> Tensor:
    """Take derivatives with respect to the predictions to those with respect to the logits: (..., C) -> (..., C).

    Of a softmax, dp_c/ds_j = p_c (delta_cj - p_j).
    """
    return predicted * (slope - (slope * predicted).sum(-1, keepdim=True))


@dataclass(frozen=True)
class PaddedReadout:
    """n texts of a readout, padded to the longest.

    members (n,): the positions of the texts in the readout. attention (n, L), contribution (n, L, O), bias (n, O),
    lengths (n,). A model of pairs also has its head, and candidates (n, C), true on classes that may be the answer. A
    Transformer has its heads, whose mean is `attention`. marks (n,): how many items of a text, its last ones, are no
    words but marks of the tokenizer, where there are several maps. O is 0 where the predictions do not follow from the
    weights.
    """

    members: Integers
    attention: Tensor
    contribution: Tensor
    bias: Tensor
    lengths: Tensor
    head: Head | None = None
    candidates: Tensor | None = None
    heads: Heads | None = None
    marks: Tensor | None = None

    @property
    def weights(self) -> Tensor:
        """Return the weights that the prediction is made of: the map (n, L), or those of all heads (n, H, L)."""
        return self.attention if self.heads is None else self.heads.weights

    @property
    def padding(self) -> Tensor:
        """Return true behind the last item of a text, (n, L), or (n, 1, L) of several heads."""
        beyond = ~mark_lengths(self.lengths, self.attention.shape[1])
        return beyond if self.heads is None else beyond[:, None]

    @property
    def words(self) -> Tensor:
        """Return the number of items of each text that are no marks of a tokenizer, (n,); they come first."""
        return self.lengths if self.marks is None else self.lengths - self.marks

    def find_top(self) -> Tensor:
        """Find the word of each text that has the most attention, (n,)."""
        of_words = mark_lengths(self.words, self.attention.shape[1])
        return self.attention.masked_fill(~of_words, -1.0).argmax(1)

    def average_heads(self, weights: Tensor) -> Tensor:
        """Return the map that a reader sees of other weights: (..., L), or of heads (..., H, L), -> (..., L)."""
        return weights if self.heads is None else weights.mean(-2)

    def permute(self, orders: Tensor) -> Tensor:
        """Return the weights in K other orders of the items, the same in all heads: (K, n, L) -> (K, n, L) or (K, n, H,
        L).
        """
        index = orders if self.heads is None else orders.unsqueeze(-2)
        weights = self.weights.expand(len(orders), *self.weights.shape)
        return weights.gather(-1, index.expand(weights.shape))

    def reorder(self, order: Tensor) -> "PaddedReadout":
        """Impose the weights in another order of the items, the same in all heads: (n, L).

        With several heads, z and b are those of the first-order expansion at these weights.
        """
        (weights,) = self.permute(order[None])
        if self.heads is None:
            return replace(self, attention=weights)
        heads = self.heads._replace(weights=weights)
        contribution, bias, _ = (part.to(weights.dtype) for part in heads.expand())
        return replace(self, attention=weights.mean(1), contribution=contribution, bias=bias, heads=heads)

    def compute_scores(self, weights: Tensor) -> Tensor:
        """Compute the scores s under K other sets of weights: (K, n, L) or (K, n, H, L) -> (K, n, O).

        In a model of pairs they are tanh(s); with several heads, the logits of the tail.
        """
        if self.heads is not None:
            return self.heads.compute_logits(self.heads.compute_contexts(weights)).to(weights.dtype)
        scores = (weights.transpose(0, 1) @ self.contribution).transpose(0, 1) + self.bias
        return scores if self.head is None else scores.tanh()

    def decide(self, scores: Tensor) -> Tensor:
        """Compute predicted probabilities from the values of `scores`: (K, n, O) -> (K, n, C)."""
        if self.head is None:
            return probabilities(scores)
        logits = scores @ self.head.weight.T + self.head.bias
        if self.candidates is not None:
            logits = logits.masked_fill(~self.candidates, float("-inf"))
        return probabilities(logits)

    def predict(self, weights: Tensor) -> Tensor:
        """Compute predicted probabilities under K other sets of weights: (K, n, L) or (K, n, H, L) -> (K, n, C)."""
        return self.decide(self.compute_scores(weights))

    def compute_descent(self, weights: Tensor, slope: Callable[[Tensor], Tensor]) -> Tensor:
        """Differentiate a function of the predictions with respect to the weights, by the chain rule.

        weights: K other sets, (K, n, L) or (K, n, H, L). slope: from the predictions of K sets of weights for the
        texts, (K, n, C), to the function's derivative with respect to them; zeros in a row cost nothing. Returns the
        shape of the weights.
        """
        if self.heads is not None:
            return self._compute_tail_descent(self.heads, weights, slope)
        scores = self.compute_scores(weights)
        predicted = self.decide(scores)
        by_score = compute_softmax_slope(predicted, slope(predicted))
        if self.head is None:
            # a lone sigmoid output is the last of two classes
            by_score = by_score[..., -scores.shape[-1] :]
        else:
            by_score = (by_score @ self.head.weight) * (1 - scores.square())
        return (by_score.transpose(0, 1) @ self.contribution.transpose(1, 2)).transpose(0, 1)

    def _compute_tail_descent(self, heads: Heads, weights: Tensor, slope: Callable[[Tensor], Tensor]) -> Tensor:
        """Do so with several heads; of the rows, only those with a slope pass the tail a second time,
        backwards.
        """
        contexts = heads.compute_contexts(weights)
        predicted = self.decide(heads.compute_logits(contexts).to(weights.dtype))
        # a lone logit is that of the last of two classes
        by_logit = compute_softmax_slope(predicted, slope(predicted)).flatten(0, 1)[:, -heads.tail.outputs :]
        rows = by_logit.any(-1).nonzero()[:, 0]
        by_context = torch.zeros_like(contexts).flatten(0, 1)
        flat = contexts.flatten(0, 1)
        for some in torch.split(rows, ROWS_AT_ONCE):
            with torch.enable_grad():
                context = flat[some].requires_grad_()
                logits = heads.tail.apply(context, heads.below[some % len(self.attention)])
            (by_context[some],) = torch.autograd.grad(logits, context, by_logit[some].to(logits.dtype))
        by_head = by_context.view(*weights.shape[:3], -1)
        pulled = heads.values @ by_head.permute(1, 2, 3, 0)
        return pulled.permute(3, 0, 1, 2).to(weights.dtype)
