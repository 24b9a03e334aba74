"""What maps of a Transformer are made of: all that one pass over some texts shows of its layers, computed once.

A layer of BERT's kind reads states x_1 .. x_P of the pieces of a text, and returns as many (Devlin et al. 2019):

    c_i = concat_h sum_j A_hij V_h x_j,   u_i = N1(W_o c_i + b_o + x_i),   y_i = N2(F(u_i) + u_i)

with the weights A (H, P, P) of H heads, whose row i sums to 1, and layer normalisations N1 and N2. ModernBERT
and decoders normalise before their parts (Warner et al. 2024; Radford et al. 2019), so that maps which need N1 and N2
are not known for them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import NoReturn

import torch
from torch import Tensor

from attention_audit.errors import AuditError
from attention_audit.model.sequence_classifier import LayerPass, TransformerClassifier
from attention_audit.transformer.folder import FAMILIES
from attention_audit.transformer.states import PieceBatch


@dataclass(frozen=True, eq=False)
class ModelPass:
    """A classifier and some texts, which pass it once without gradients and once with, each when a map first asks.

    Maps are functions of a pass: scores of the pieces of B texts, (B, P), zeros on padding.

    classes (B,): those that are explained; None: the predicted ones.
    """

    classifier: TransformerClassifier
    pieces: PieceBatch
    classes: Tensor | None = None

    @cached_property
    def outcome(self) -> tuple[list[LayerPass], Tensor]:
        """Return all layers, and the logits (B, C), without gradients."""
        with torch.no_grad(), self.classifier.record_layers() as layers:
            logits = self.classifier.compute_logits(self.pieces)
        return layers, logits

    @property
    def layers(self) -> list[LayerPass]:
        """Return all layers, without gradients."""
        return self.outcome[0]

    def choose(self, logits: Tensor) -> Tensor:
        """Choose the class of each text that is explained, (B,), by the logits of the texts, (B, C); of a target, whose
        logit is one, what is said of it, 1 for yes and 0 for no.
        """
        predicted = (logits[:, 0] > 0).long() if logits.shape[1] == 1 else logits.argmax(1)
        return predicted if self.classes is None else self.classes

    @property
    def explained(self) -> Tensor:
        """Return the class of each text that is explained, (B,)."""
        return self.choose(self.outcome[1])

    @cached_property
    def mask(self) -> Tensor:
        """Return 1 on pieces, marks included, 0 on padding: (B, P)."""
        return self.pieces.mask.float()

    @cached_property
    def classified(self) -> Tensor:
        """Return the share of each piece in the state that is classified, (B, P): 1 for one, or alike for all."""
        return self.classifier.mark_classified(self.pieces)

    def average_rows(self, matrix: Tensor) -> Tensor:
        """Average rows of matrices by the share of their pieces in what is classified: (B, .., P, P) -> (B, .., P)."""
        return torch.einsum("bi,b...ij->b...j", self.classified.to(matrix.dtype), matrix)

    @cached_property
    def slopes(self) -> "Slopes":
        """Return one pass with gradients of the logit of the class that is explained."""
        with torch.enable_grad(), self.classifier.record_layers() as layers:
            vectors = self.classifier.look_up_vectors(self.pieces).detach().requires_grad_()
            logits = self.classifier.compute_logits(self.pieces, vectors)
            # of one logit, no is that of its negative
            signed = torch.cat([-logits, logits], 1) if logits.shape[1] == 1 else logits
            chosen = signed.gather(1, self.choose(logits)[:, None]).sum()
            inputs = [vectors, *(layer.weights for layer in layers), *(layer.below for layer in layers)]
            of_vectors, *gradients = torch.autograd.grad(chosen, inputs)
        count = len(layers)
        return Slopes(layers, vectors.detach(), of_vectors, gradients[:count], gradients[count:])


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


Map = Callable[[ModelPass], Tensor]
"""Scores of the pieces of B texts, (B, P), zeros on padding."""


def refuse_norm_before(classifier: TransformerClassifier, name: str, further: str = "") -> NoReturn:
    """Raise AuditError: a map is not known for layers that normalise before their parts, as those of the classifier.
    further: for what else it is known.
    """
    kinds = ", ".join(name for name, family in FAMILIES.items() if not family.before)
    raise AuditError(
        str(classifier.folder),
        f"the map {name} is known for layers that normalise after their parts ({kinds}){further}, and "
        f"not for those of {classifier.model.config.model_type}",
        "leave it out",
    )


def require_norm_after(map_: Map) -> Map:
    """Require layers which normalise after their parts; the map raises AuditError for those of others."""

    @wraps(map_)
    def check_map(model_pass: ModelPass) -> Tensor:
        if model_pass.classifier.family.before:
            refuse_norm_before(model_pass.classifier, map_.__name__)
        return map_(model_pass)

    return check_map
