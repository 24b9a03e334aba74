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
from torch.nn.functional import pad

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

    def exact_contributions(self) -> Tensor | None:
        """What each item adds to the decision for the predicted class m, c_t = a_t (z_tm - sum_c p_c z_tc), (n, L).

        Its sum over the items is the lead of logit m over the mean of all logits, weighted by their probabilities,
        but for the bias. Zeros on padding. None for a model of pairs, which has no such sum below its head.
        """
        if self.head is not None:
            return None
        logits = self.scores(self.attention[None])[0]
        predicted = pad(logits, (int(logits.shape[-1] == 1), 0)).softmax(-1)
        decision = predicted.argmax(-1, keepdim=True)
        others = predicted.scatter(-1, decision, 0.0)
        # [c = m] - p_c; 1 - p_m would lose its digits where p_m is nearly 1
        lead = others.neg().scatter(-1, decision, others.sum(-1, keepdim=True))[:, -logits.shape[-1] :]
        return self.attention * (self.contribution @ lead[..., None])[..., 0]

    def contribution_map(self) -> Tensor | None:
        """The absolute exact contributions as shares of their sum, (n, L); NaN where all are 0, None as above."""
        exact = self.exact_contributions()
        return None if exact is None else exact.abs() / exact.abs().sum(-1, keepdim=True)

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
