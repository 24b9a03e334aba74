"""What maps of a Transformer are made of: all that one pass over some texts shows of its layers, computed once.

A layer of BERT's kind reads states x_1 .. x_P of the pieces of a text, and returns as many (Devlin et al. 2019):

    c_i = concat_h sum_j A_hij V_h x_j,   u_i = N1(W_o c_i + b_o + x_i),   y_i = N2(F(u_i) + u_i)

with the weights A (H, P, P) of H heads, whose row i sums to 1, and layer normalisations N1 and N2. ModernBERT
and decoders normalise before their parts (Warner et al. 2024; Radford et al. 2019), so that maps which need N1 and N2
are not known for them.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any

import torch
from torch import Tensor, nn

from attention_audit.errors import AuditError
from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.transformer.families import FAMILIES
from attention_audit.transformer.states import PieceBatch


@dataclass
class LayerPass:
    """What one layer did with B texts of at most P pieces: H heads, width D.

    below (B, P, D): x; weights (B, H, P, P): A; values (B, P, H, D_h): V x, biases included; mixed (B, P, D): what N1
    reads; joined (B, P, D): what N2 reads; above (B, P, D): y. With gradients these are part of the graph. A layer that
    normalises before its parts has no `mixed` and no `joined`.
    """

    below: Tensor = field(init=False)
    weights: Tensor = field(init=False)
    values: Tensor = field(init=False)
    mixed: Tensor = field(init=False)
    joined: Tensor = field(init=False)
    above: Tensor = field(init=False)


@contextmanager
def watched(classifier: TransformerClassifier) -> Iterator[list[LayerPass]]:
    """What each layer does in the block, filled as texts pass. Raises AuditError where no weights are returned."""
    passes = [LayerPass() for _ in classifier.layers]
    with ExitStack() as hooks:
        for number, (layer, seen) in enumerate(zip(classifier.layers, passes, strict=True), start=1):
            _watch(classifier, layer, number, seen, hooks)
        yield passes
    if any(not isinstance(getattr(seen, "weights", None), Tensor) for seen in passes):
        raise AuditError(f"{classifier.folder}: the library returned no attention weights; use another version of it")


def _watch(classifier: TransformerClassifier, layer: nn.Module, number: int, seen: LayerPass, hooks: ExitStack) -> None:
    def entered(_: nn.Module, inputs: Any) -> None:
        seen.below = inputs[0]

    def left(_: nn.Module, inputs: Any, output: Any) -> None:
        seen.above = output[0] if isinstance(output, tuple) else output

    def attended(_: nn.Module, inputs: Any, output: Any) -> None:
        seen.weights = output[1]

    def valued(_: nn.Module, inputs: Any, output: Tensor) -> None:
        seen.values = classifier.of_heads(output)

    def summed(_: nn.Module, inputs: Any) -> None:
        seen.mixed = inputs[0]

    def joined(_: nn.Module, inputs: Any) -> None:
        seen.joined = inputs[0]

    hooks.enter_context(layer.register_forward_pre_hook(entered))
    hooks.enter_context(layer.register_forward_hook(left))
    hooks.enter_context(classifier.part("attention", number).register_forward_hook(attended))
    hooks.enter_context(classifier.part("values", number).register_forward_hook(valued))
    if not classifier.family.before:
        hooks.enter_context(classifier.part("first", number).register_forward_pre_hook(summed))
        hooks.enter_context(classifier.part("second", number).register_forward_pre_hook(joined))


@dataclass(frozen=True, eq=False)
class Pass:
    """A classifier and some texts, which pass it once without gradients and once with, each when a map first asks.

    Maps are functions of a pass: scores of the pieces of B texts, (B, P), zeros on padding.

    classes (B,): those that are explained; None: the predicted ones.
    """

    classifier: TransformerClassifier
    pieces: PieceBatch
    classes: Tensor | None = None

    @cached_property
    def seen(self) -> tuple[list[LayerPass], Tensor]:
        """All layers, and the logits (B, C), without gradients."""
        with torch.no_grad(), watched(self.classifier) as layers:
            logits = self.classifier.logits(self.pieces)
        return layers, logits

    @property
    def layers(self) -> list[LayerPass]:
        """All layers, without gradients."""
        return self.seen[0]

    @property
    def explained(self) -> Tensor:
        """The class of each text that is explained, (B,)."""
        return self.seen[1].argmax(1) if self.classes is None else self.classes

    def explained_of(self, logits: Tensor) -> Tensor:
        """Of the logits of the texts, (B, C), those of the classes that are explained, (B,)."""
        if self.classes is None:
            return logits.max(1).values
        return logits.gather(1, self.classes[:, None])[:, 0]

    @cached_property
    def mask(self) -> Tensor:
        """1 on pieces, marks included, 0 on padding: (B, P)."""
        return self.pieces.mask.float()

    @cached_property
    def classified(self) -> Tensor:
        """The share of each piece in the state that is classified, (B, P): 1 for one of them, or alike for all."""
        return self.classifier.classified(self.pieces)

    def row(self, matrix: Tensor) -> Tensor:
        """The rows of matrices that are those of the classified pieces, or their mean: (B, .., P, P) -> (B, .., P)."""
        return torch.einsum("bi,b...ij->b...j", self.classified, matrix)

    @cached_property
    def slopes(self) -> "Slopes":
        """One pass with gradients of the logit of the class that is explained."""
        with torch.enable_grad(), watched(self.classifier) as layers:
            vectors = self.classifier.vectors(self.pieces).detach().requires_grad_()
            chosen = self.explained_of(self.classifier.logits(self.pieces, vectors)).sum()
            asked = [vectors, *(layer.weights for layer in layers), *(layer.below for layer in layers)]
            of_vectors, *others = torch.autograd.grad(chosen, asked)
        count = len(layers)
        return Slopes(layers, vectors.detach(), of_vectors, others[:count], others[count:])


@dataclass(frozen=True)
class Slopes:
    """All layers of a pass with gradients, detached, and the gradients of the sum of the chosen logits.

    vectors, of_vectors (B, P, E): what the pieces have below position and segment, and its gradient. of_weights: those
    of the weights of each layer, (B, H, P, P). of_states: those of the states below each layer, (B, P, D).
    """

    layers: list[LayerPass]
    vectors: Tensor
    of_vectors: Tensor
    of_weights: list[Tensor]
    of_states: list[Tensor]


Map = Callable[[Pass], Tensor]
"""Scores of the pieces of B texts, (B, P), zeros on padding."""


def normalised_after(map_: Map) -> Map:
    """A map that holds for layers which normalise after their parts, and raises AuditError for those of others."""

    @wraps(map_)
    def checked(read: Pass) -> Tensor:
        if read.classifier.family.before:
            known = ", ".join(name for name, family in FAMILIES.items() if not family.before)
            raise AuditError(
                f"{read.classifier.folder}: the map {map_.__name__} is known for layers that normalise after their "
                f"parts ({known}), and not for those of {read.classifier.model.config.model_type}; leave it out"
            )
        return map_(read)

    return checked
