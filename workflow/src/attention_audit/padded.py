"""Padded texts of a readout, and what their model predicts for them under any attention weights.

With weights a_t, the scores of a text are s = sum_t a_t z_t + b. In a model of single texts these are the logits. A
model of pairs has a head above them, logits = W tanh(s) + c, and classes that are not candidates have no logit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from torch import Tensor

from attention_audit.model.probabilities import probabilities


class Head(NamedTuple):
    """The last layer of a model of pairs, from scores to logits: weight (C, O), bias (C,)."""

    weight: Tensor
    bias: Tensor


@dataclass(frozen=True)
class Padded:
    """n texts of a readout, padded to the longest.

    members (n,): the positions of the texts in the readout. attention (n, L), contribution (n, L, O), bias (n, O),
    lengths (n,). A model of pairs also has its head, and candidates (n, C), true on classes that may be the answer.
    """

    members: npt.NDArray[np.int64]
    attention: Tensor
    contribution: Tensor
    bias: Tensor
    lengths: Tensor
    head: Head | None = None
    candidates: Tensor | None = None

    def double(self) -> Padded:
        """The same texts with all values in float64."""
        head = None if self.head is None else Head(*(part.double() for part in self.head))
        values = {name: getattr(self, name).double() for name in ("attention", "contribution", "bias")}
        return replace(self, **values, head=head)

    def scores(self, attention: Tensor) -> Tensor:
        """The scores s under K other sets of weights, tanh(s) in a model of pairs: (K, n, L) -> (K, n, O)."""
        scores = (attention.transpose(0, 1) @ self.contribution).transpose(0, 1) + self.bias
        return scores if self.head is None else scores.tanh()

    def decide(self, scores: Tensor) -> Tensor:
        """Predicted probabilities from the values of `scores`: (K, n, O) -> (K, n, C)."""
        if self.head is None:
            return probabilities(scores)
        logits = scores @ self.head.weight.T + self.head.bias
        if self.candidates is not None:
            logits = logits.masked_fill(~self.candidates, float("-inf"))
        return probabilities(logits)

    def predict(self, attention: Tensor) -> Tensor:
        """Predicted probabilities under K other sets of weights: (K, n, L) -> (K, n, C)."""
        return self.decide(self.scores(attention))

    def pull(self, scores: Tensor, predicted: Tensor, slope: Tensor) -> Tensor:
        """Derivative, with respect to the attention, of a function of the predictions (the chain rule).

        scores (K, n, O): from `scores`. predicted (K, n, C): from `decide`. slope (K, n, C): the function's derivative
        with respect to the predictions. Returns (K, n, L).
        """
        # softmax: dp_c/ds_j = p_c (delta_cj - p_j); a lone sigmoid output is the last of two classes
        by_score = predicted * (slope - (slope * predicted).sum(-1, keepdim=True))
        if self.head is None:
            by_score = by_score[..., -scores.shape[-1] :]
        else:
            by_score = (by_score @ self.head.weight) * (1 - scores.square())
        return (by_score.transpose(0, 1) @ self.contribution.transpose(1, 2)).transpose(0, 1)
