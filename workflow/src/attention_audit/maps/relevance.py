"""AttnLRP (Achtibat et al. 2024): relevance that is passed down through a Transformer by rules, as input x gradient of
a network whose gradients are bent.

The rules: a layer normalisation divides by a constant (its standard deviation is not differentiated); an activation f
passes the share f(z) / z in the place of its slope (equation 9 there); a softmax is differentiated as it is; and a
product of two things that both depend on the input, such as queries and keys, or weights and values, passes half of the
relevance to either (equation 7). As a gradient, that is half of the gradient of both factors; so queries and keys have
a quarter together.

These few lines are ours, after the paper. Its authors' own code (LXT) grants no patent rights, and the method may be
covered by a patent application of theirs: whoever uses this map commercially has to look into that.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn

from attention_audit.maps.norms import deviation, straight
from attention_audit.maps.passes import Pass, normalised_after
from attention_audit.model.sequence_classifier import TransformerClassifier

FACTORS = {"query": 0.25, "key": 0.25, "values": 0.5}
"""What these parts of a layer keep of their gradient."""


def scaled(states: Tensor, factor: float) -> Tensor:
    """The same states, whose gradient is multiplied by a factor."""
    return states * factor + (states * (1 - factor)).detach()


def proportional(before: Tensor, after: Tensor) -> Tensor:
    """The values `after` with the gradient of before * (after / before): f(z) passes f(z) / z in place of its slope."""
    share = (after / before.where(before != 0, 1.0)).detach()
    return before * share + (after - before * share).detach()


def constant(norm: Any, states: Tensor) -> Tensor:
    """A layer normalisation whose standard deviation is a constant."""
    normed: Tensor = straight(norm, states) / deviation(norm, states)[..., None].detach() + norm.bias
    return normed


@contextmanager
def bent(classifier: TransformerClassifier) -> Iterator[None]:
    """Let gradients pass by the rules in the block."""
    with ExitStack() as hooks:

        def activated(before: nn.Module, after: nn.Module) -> None:
            """Bend the activation between two layers: what `after` reads is f of what `before` returns."""
            kept: dict[str, Tensor] = {}
            hooks.enter_context(before.register_forward_hook(lambda _m, _i, out: kept.update(z=out)))
            hooks.enter_context(
                after.register_forward_pre_hook(lambda _m, inputs: (proportional(kept["z"], inputs[0]), *inputs[1:]))
            )

        for module in classifier.model.modules():
            if isinstance(module, nn.LayerNorm):
                hooks.enter_context(module.register_forward_hook(lambda norm, inputs, _: constant(norm, inputs[0])))
        for number in range(1, len(classifier.layers) + 1):
            activated(classifier.part("inner", number), classifier.part("outer", number))
            for name, factor in FACTORS.items():
                part = classifier.part(name, number)
                hooks.enter_context(part.register_forward_hook(lambda _m, _i, out, by=factor: scaled(out, by)))
        family = classifier.family
        activated(*(attrgetter(getattr(family, name))(classifier.model) for name in ("pooler", "classifier")))
        yield


@normalised_after
def attn_lrp(read: Pass) -> Tensor:
    """AttnLRP: the relevance of each piece's vector for the predicted class's logit, signed. One pass forth and one
    back.
    """
    with torch.enable_grad(), bent(read.classifier):
        vectors = read.classifier.vectors(read.pieces).detach().requires_grad_()
        chosen = read.explained_of(read.classifier.logits(read.pieces, vectors)).sum()
        (slope,) = torch.autograd.grad(chosen, vectors)
    return (vectors.detach() * slope).sum(-1) * read.mask
