"""The tail of a Transformer classifier: what stands between the attention of its last layer and its logits; and the
distribution over classes that logits are.

Of the last layer, only one token is classified: the first, or in a decoder the last. With the values V_h of H heads,
weights a_h of that token's row, and x, that token's state below the layer,

    c = concat_h a_h V_h,   u = N1(W_o c + b_o + x),   y = N2(W_2 g(W_1 u + b_1) + b_2 + u),
    logits = W_c k(W_p y + b_p) + b_c

where N1 and N2 are layer normalisations and g and k activations. So the prediction under any other weights costs this
and no more; the layers below are never run again. BERT and its kin differ in k, and in what their checkpoints call
these parts (`transformer.folder`).

ModernBERT normalises before its inner layer, which has a gate, and once more above (Warner et al. 2024):

    u = W_o c + b_o + x,   [i, h] = W_1 N1(u) + b_1,   y = W_2 (g(i) * h) + b_2 + u,
    logits = W_c N3(k(W_p N2(y) + b_p)) + b_c

Decoders are of that kind without a pooler and N3: GPT-2 without the gate (Radford et al. 2019), Llama and its kin with
normalisations that divide by the root mean square (Touvron et al. 2023). Several heads of queries may share the values
of one; V_h is then the same for these. The tail of any other model is the library's own network (`model.replay`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, linear, relu, rms_norm, silu

from .outputs import Target

_GELU_TANH = partial(gelu, approximate="tanh")
ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": gelu,
    "gelu_new": _GELU_TANH,
    "relu": relu,
    "tanh": torch.tanh,
    "silu": silu,
    "gelu_pytorch_tanh": _GELU_TANH,
    "swish": silu,
}
"""Every activation that a tail may have, by its names in config.json; files name one by its place, so a new one is
added at the end.
"""
TAIL_PARTS = ("output", "inner", "outer", "classifier", "first", "second", "pooler", "third")
"""The linear layers W_o, W_1, W_2 and W_c, each with a weight and a bias; the normalisations N1 and N2, which have a
weight, and a bias unless they divide by the root mean square; and what some have: the linear layer W_p, and the
normalisation N3.
"""
ROWS_AT_ONCE = 2048
"""Rows that pass at once: as many as keep the widest layer in a processor's cache."""


@dataclass(frozen=True)
class LogitTail(ABC):
    """What makes logits of what the heads of the last layer attend to, c, and of the state below it, x.

    target: what is asked of, whose one logit is then all that the tail returns; it is packed by itself.
    """

    target: Target | None = field(default=None, kw_only=True)

    @property
    def outputs(self) -> int:
        """Count the logits that it returns, C."""
        return self.classes if self.target is None else 1

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """Return the width D of the states, and that of c, H D_h."""

    @property
    @abstractmethod
    def classes(self) -> int:
        """Count the outputs of the model."""

    @property
    @abstractmethod
    def sample(self) -> Tensor:
        """Return one of its weights: all are on its device, and of its dtype."""

    @abstractmethod
    def order_classes(self, classes: Sequence[int]) -> "LogitTail":
        """Return the same with some of its classes, in this order."""

    @abstractmethod
    def pack(self) -> dict[str, Tensor]:
        """Return all of it as tensors, as files hold it: in float32, in which audits of files compute."""

    @abstractmethod
    def _compute_rows(self, contexts: Tensor, below: Tensor) -> Tensor:
        """Compute the outputs of the model for R rows: (R, H D_h), (R, D) -> (R, K)."""

    def apply(self, contexts: Tensor, below: Tensor) -> Tensor:
        """Return the logits of R rows, from c and x: (R, H D_h), (R, D) -> (R, C). They are computed where the weights
        are, in the dtype of these, and come back as the contexts are.
        """
        outputs = self._compute_rows(contexts.to(self.sample), below.to(self.sample)).to(contexts)
        return outputs if self.target is None else self.target.read(outputs)

    def compute_logits(self, contexts: Tensor, below: Tensor) -> Tensor:
        """Compute the logits of K contexts of each of n texts: (K, n, H D_h), (n, D) -> (K, n, C)."""
        rows = contexts.flatten(0, 1)
        texts = torch.arange(len(below)).repeat(len(contexts))
        cut = zip(torch.split(rows, ROWS_AT_ONCE), torch.split(texts, ROWS_AT_ONCE), strict=True)
        return torch.cat([self.apply(some, below[text]) for some, text in cut]).reshape(*contexts.shape[:2], -1)


@dataclass(frozen=True)
class Tail(LogitTail):
    """The weights of `TAIL_PARTS` by their names, such as output.weight; g and k by their
    names in `ACTIVATIONS`; the epsilon of the normalisations; and whether N1 and N2 come before the parts that they are
    of.
    """

    weights: Mapping[str, Tensor]
    activation: str
    pooled: str
    epsilon: float
    before: bool = False

    @property
    def sizes(self) -> tuple[int, int]:
        width, joined = self.weights["output.weight"].shape
        return width, joined

    @property
    def classes(self) -> int:
        return len(self.weights["classifier.bias"])

    @property
    def sample(self) -> Tensor:
        return self.weights["output.weight"]

    def _apply_linear(self, part: str, states: Tensor) -> Tensor:
        return linear(states, self.weights[f"{part}.weight"], self.weights[f"{part}.bias"])

    def _normalise(self, part: str, states: Tensor) -> Tensor:
        """Return the states as they are where there is no such normalisation."""
        weight, bias = (self.weights.get(f"{part}.{what}") for what in ("weight", "bias"))
        if weight is None:
            return states
        if bias is None:
            return rms_norm(states, weight.shape, weight, self.epsilon)
        return layer_norm(states, weight.shape, weight, bias, self.epsilon)

    def _compute_rows(self, contexts: Tensor, below: Tensor) -> Tensor:
        active = ACTIVATIONS[self.activation]
        mixed = self._apply_linear("output", contexts) + below
        normed = self._normalise("first", mixed)
        inner = self._apply_linear("inner", normed)
        # with a gate it is twice as wide as the outer layer reads
        if inner.shape[-1] != self.weights["outer.weight"].shape[1]:
            inner, gate = inner.chunk(2, -1)
            inner = active(inner) * gate
        else:
            inner = active(inner)
        outer = self._apply_linear("outer", inner)
        above = self._normalise("second", outer + (mixed if self.before else normed))
        if "pooler.weight" in self.weights:
            above = ACTIVATIONS[self.pooled](self._apply_linear("pooler", above))
        return self._apply_linear("classifier", self._normalise("third", above))

    def order_classes(self, classes: Sequence[int]) -> "Tail":
        rows = {f"classifier.{what}": self.weights[f"classifier.{what}"][[*classes]] for what in ("weight", "bias")}
        return replace(self, weights={**self.weights, **rows})

    def pack(self) -> dict[str, Tensor]:
        indices = [list(ACTIVATIONS).index(name) for name in (self.activation, self.pooled)]
        return {
            **{name: weight.float().cpu() for name, weight in self.weights.items()},
            "activations": torch.tensor(indices),
            "epsilon": torch.tensor(self.epsilon, dtype=torch.float64),
            "before": torch.tensor(self.before),
        }


def build_tail(tensors: Mapping[str, Tensor]) -> Tail:
    """Build the tail of `Tail.pack`. Raises KeyError where the tensors are of something else."""
    activation, pooled = (list(ACTIVATIONS)[index] for index in tensors["activations"].tolist())
    weights = {name: weight for name, weight in tensors.items() if "." in name}
    return Tail(weights, activation, pooled, float(tensors["epsilon"]), bool(tensors["before"]))


def probabilities(logits: Tensor) -> Tensor:
    """Compute the distribution over classes; (..., 1) -> (..., 2) by a sigmoid, (..., C) -> (..., C) by a softmax."""
    if logits.shape[-1] == 1:
        positive = logits.sigmoid()
        return torch.cat([1 - positive, positive], dim=-1)
    return logits.softmax(-1)
