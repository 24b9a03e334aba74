"""What a model says of a target: one of the numbers that it returns, read as one logit.

Whatever a model returns of a text, K numbers s, what it says of a target t is

    l = own - rest,    p = sigmoid(l),

and it says yes where l > 0, and else no. So each target is a classifier of one logit, and whatever is asked of such a
classifier is asked of the target: the probability of the statement falls or does not, and a decision flips where l
changes its sign.

    kind     own                  rest
    class    s_t                  the greatest s_c of the other classes c, or of those that it is told from
    label    s_t                  log of threshold_t / (1 - threshold_t): p is 1/2 where the label begins
    number   1.702 (s - c) / sd   0

So a class is said where it is the likeliest, and p is its probability beside the likeliest other one alone. Of a
number, c and sd are the median and the standard deviation of a model's own predictions: p is within .01 the share of a
normal distribution that s exceeds.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attention_audit.errors import AuditError
from attention_audit.transformer.outputs import OutputKind

TARGET = "target"
"""What a stored target is called."""
SAME_NUMBER = 1e-6
"""Predicted numbers whose standard deviation is less, beside their size, are one."""
PROBIT = 1.702
"""sigmoid(1.702 x) is the distribution function of a normal at x, to within .0095."""


@dataclass(frozen=True)
class Target:
    """One output that is asked of, and how it is read.

    at: which of the K outputs. rivals: the other classes that a class is told from. centre, scale: l is
    scale (s_t - centre) of a label or a number.
    """

    at: int
    rivals: tuple[int, ...] = ()
    centre: float = 0.0
    scale: float = 1.0

    def read(self, outputs: Tensor) -> Tensor:
        """Read what a model returns as the one logit of the target: (..., K) -> (..., 1)."""
        own = outputs[..., [self.at]]
        if self.rivals:
            return own - outputs[..., [*self.rivals]].amax(-1, keepdim=True)
        return self.scale * (own - self.centre)

    def reorder(self, order: Sequence[int]) -> "Target":
        """Return the same target of a model that has the outputs in another order."""
        return replace(self, at=order[self.at], rivals=tuple(order[number] for number in self.rivals))

    def pack(self) -> dict[str, Tensor]:
        """Return it as a tensor to be stored, by its name."""
        return {TARGET: torch.tensor([self.at, self.centre, self.scale, *self.rivals], dtype=torch.float64)}

    def weigh(self, outputs: Tensor) -> Tensor:
        """Return the derivative of the logit by each of the outputs, (..., K) -> (..., K)."""
        weights = torch.zeros_like(outputs)
        weights[..., self.at] = self.scale
        if self.rivals:
            greatest = outputs[..., [*self.rivals]].argmax(-1, keepdim=True)
            weights.scatter_(-1, torch.tensor(self.rivals, device=outputs.device)[greatest], -1.0)
        return weights


def build_target(tensors: Mapping[str, Tensor]) -> Target | None:
    """Build the target of `Target.pack`; None where there is none among the tensors."""
    if TARGET not in tensors:
        return None
    at, centre, scale, *rivals = tensors[TARGET].tolist()
    return Target(int(at), tuple(map(int, rivals)), centre, scale)


def make_class(at: int, rivals: Sequence[int]) -> Target:
    """Make the target of a class, which is told from `rivals`."""
    return Target(at, tuple(number for number in rivals if number != at))


def make_label(at: int, threshold: float) -> Target:
    """Make the target of a label that begins at a probability."""
    return Target(at, centre=math.log(threshold / (1 - threshold)))


def make_number(at: int, values: Tensor, centre: float | None = None) -> Target:
    """Make the target of a number. values (N,): what the first training predicts. centre: by default their median."""
    deviation = float(values.double().std())
    middle = float(values.double().quantile(0.5)) if centre is None else centre
    return Target(at, centre=middle, scale=PROBIT / deviation)


def make_target(
    kind: OutputKind, at: int, outputs: Tensor, threshold: float | None = None, rivals: Sequence[int] = ()
) -> Target:
    """Make the target of an output of a model. outputs (N, K): what the first training returns. threshold: where a
    label or number begins; None: as by default. rivals: the classes that a class is told from, by default all others.

    Raises AuditError where a number is the same for all texts.
    """
    if kind == "labels":
        return make_label(at, 0.5 if threshold is None else threshold)
    if kind == "classes":
        return make_class(at, rivals or range(outputs.shape[1]))
    values = outputs[:, at]
    if not float(values.double().std()) > SAME_NUMBER * max(1.0, float(values.abs().max())):
        fault = f"gives all {len(values)} texts the same number ({float(values[0]):.3g})"
        raise AuditError("model", fault, "nothing can be told apart; give other texts, or another model")
    return make_number(at, values, threshold)


def mark_said(kind: OutputKind, outputs: Sequence[Tensor], thresholds: Sequence[float]) -> Tensor:
    """Mark which outputs a model says of which texts, in any of its trainings: the likeliest class, or all labels from
    their threshold on. outputs (N, K) of each training; thresholds (K,) of labels -> (N, K).
    """
    if kind == "classes":
        masks = [each.argmax(1)[:, None] == torch.arange(each.shape[1]) for each in outputs]
    else:
        # in float32 a threshold would lie beside itself
        begins = torch.tensor([make_label(0, threshold).centre for threshold in thresholds], dtype=torch.float64)
        masks = [each >= begins for each in outputs]
    return torch.stack(masks).any(0)


def distribute(outputs: Tensor, kind: OutputKind) -> Tensor:
    """Compute what a pipeline of the library answers from a model's outputs, (..., K) -> (..., K)."""
    if kind == "number":
        return outputs
    return outputs.sigmoid() if kind == "labels" else outputs.softmax(-1)
