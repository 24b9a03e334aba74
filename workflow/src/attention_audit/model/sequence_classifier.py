"""A fine-tuned Transformer classifier of texts: what its last layer attends to, and the tail above it.

The classified token is the first, such as [CLS]. Its row of attention in the last layer has a map in each head; with
the values of the layer, its state below, and the tail, all else of the network is needed no more (`model.tail`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from attention_audit.errors import AuditError
from attention_audit.model.batch import Batch
from attention_audit.model.network import Network, Output
from attention_audit.model.tail import Tail
from attention_audit.transformer.batches import PieceBatch
from attention_audit.transformer.families import ACTIVATIONS, family_of
from attention_audit.transformer.opening import open_model, open_tokenizer, positions
from attention_audit.transformer.pieces import UNLIMITED, longest
from attention_audit.transformer.states import library_inputs, library_vectors


class Attended(NamedTuple):
    """What the classified token of B texts of at most P pieces attends to in the last layer, and the model's logits.

    weights (B, H, P), zeros on padding; values (B, H, P, D / H); below (B, D); logits (B, C).
    """

    weights: Tensor
    values: Tensor
    below: Tensor
    logits: Tensor


@contextmanager
def hooked(*handles: RemovableHandle) -> Iterator[None]:
    """Remove hooks when the block ends."""
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class TransformerClassifier(Network):
    """A classifier of the library `transformers`, of a folder that messages name.

    Audits that run a network again run it as they do those that end in one layer of attention, but nothing holds its
    attention constant. Raises AuditError where it is of another family than those of `transformer.families`.
    """

    def __init__(self, folder: Path, model: nn.Module) -> None:
        super().__init__()
        self.folder = folder
        self.family = family_of(folder)
        self.model: Any = model
        self.attention = nn.Identity()
        # it reads pieces itself, and its parts have one name each
        self.__dict__ |= {"transformer": self, "decoder": attrgetter(self.family.classifier)(model)}
        self.activation()

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.decoder.weight.device

    @property
    def layers(self) -> nn.ModuleList:
        """All layers."""
        found: nn.ModuleList = attrgetter(self.family.layers)(self.model)
        return found

    def part(self, name: str, layer: int = 0) -> nn.Module:
        """A part of a layer, counted from 1, or of the last one, by its name in `Family`."""
        found: nn.Module = attrgetter(getattr(self.family, name))(self.layers[layer - 1])
        return found

    def activation(self) -> str:
        """The activation within the last layer, by its name in `model.tail`. Raises AuditError for an unknown one."""
        config: Any = self.model.config
        names = ("hidden_act", "hidden_activation", "activation")
        return self._known(next(getattr(config, name) for name in names if getattr(config, name, None)))

    def _known(self, activation: str) -> str:
        if activation not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise AuditError(f"{self.folder}: its activation {activation!r} is not known here; known are {known}")
        return ACTIVATIONS[activation]

    @property
    def tail(self) -> Tail:
        """The tail with the weights that it has now."""
        family = self.family
        parts: dict[str, Any] = {name: self.part(name) for name in ("output", "first", "inner", "outer")}
        parts["second"] = attrgetter(family.second)(self.model) if family.third else self.part("second")
        parts |= {name: attrgetter(getattr(family, name))(self.model) for name in ("pooler", "classifier")}
        pooled = family.pooled
        if family.third:
            parts["third"] = attrgetter(family.third)(self.model)
            pooled = self._known(self.model.config.classifier_activation)
        weights = {f"{name}.weight": part.weight.detach().cpu() for name, part in parts.items()}
        for name, part in parts.items():
            none = torch.zeros(len(part.weight))
            weights[f"{name}.bias"] = none if part.bias is None else part.bias.detach().cpu()
        return Tail(weights, self.activation(), pooled, float(parts["first"].eps))

    def forward(self, batch: Batch) -> Output:
        """Logits of a batch of texts that carries pieces; of what else such an output has, nothing is known."""
        if batch.pieces is None:
            raise ValueError("a Transformer classifier reads pieces")
        logits = self.logits(batch.pieces, batch.vectors)
        return Output(logits, logits.new_empty(0), logits.new_empty(0), logits.new_empty(0))

    def logits(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        """Logits of B texts, (B, C). vectors (B, P, E): in the place of those that the pieces have below position."""
        found: Tensor = self.model(**library_inputs(self.model, pieces, vectors)).logits
        return found

    def vectors(self, pieces: PieceBatch) -> Tensor:
        """The vectors of the pieces below position and segment, (B, P, E)."""
        return library_vectors(self.model, pieces)

    @torch.inference_mode()
    def attend(self, pieces: PieceBatch, layer: int = 0) -> Attended:
        """Run the model on a batch, and keep what the tail needs. layer: another one than the last, counted from 1.

        Raises AuditError where no weights are returned.
        """
        kept: dict[str, Any] = {}
        handles = [
            self.layers[layer - 1].register_forward_pre_hook(lambda _, inputs: kept.update(below=inputs[0][:, 0])),
            self.part("values", layer).register_forward_hook(lambda _, inputs, output: kept.update(values=output)),
            self.part("attention", layer).register_forward_hook(lambda _, inputs, out: kept.update(weights=out[1])),
        ]
        with hooked(*handles):
            logits = self.logits(pieces)
        if kept["weights"] is None:
            raise AuditError(f"{self.folder}: the library returned no attention weights; use another version of it")
        weights: Tensor = kept["weights"][:, :, 0]
        values = self._values(kept["values"], weights.shape[1]).transpose(1, 2)
        return Attended(weights, values, kept["below"], logits)

    def _values(self, made: Tensor, heads: int) -> Tensor:
        """The values of the heads, which may come behind queries and keys: (B, P, ..) -> (B, P, H, D / H)."""
        width = self.model.config.hidden_size
        return made[..., -width:].reshape(*made.shape[:-1], heads, -1)

    @contextmanager
    def imposing(self, weights: Tensor) -> Iterator[None]:
        """Let the classified token of B texts have other weights in the last layer in the block: (B, H, P)."""

        def replaced(module: nn.Module, inputs: Any) -> Any:
            heads = weights.shape[1]
            values = self._values(kept["values"], heads)
            states = inputs[0].clone()
            states[:, 0] = torch.einsum("bhp,bphd->bhd", weights, values).flatten(1)
            return (states, *inputs[1:])

        kept: dict[str, Any] = {}
        handles = [
            self.part("values").register_forward_hook(lambda module, inputs, values: kept.update(values=values)),
            self.part("output").register_forward_pre_hook(replaced),
        ]
        with hooked(*handles):
            yield


class SequenceClassifier(TransformerClassifier):
    """The classifier of a folder, in evaluation, with its tokenizer for raw texts.

    names: of its classes, in the order of its logits. most: pieces that it can read. Raises AuditError where the folder
    holds no classifier of texts into classes.
    """

    def __init__(self, folder: Path) -> None:
        family_of(folder)
        super().__init__(folder, open_model(folder, classifier=True, attention="eager"))
        config: Any = self.model.config
        if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
            what = config.problem_type or "regression"
            raise AuditError(
                f"{folder}: its task is {what.replace('_', ' ')}, and no choice of one class; name a classifier"
            )
        self.names = [str(config.id2label[number]) for number in range(config.num_labels)]
        self.tokenizer: Any = open_tokenizer(folder, split=False)

    @property
    def most(self) -> int:
        """How many pieces of a text it can read, marks included."""
        return longest(self.tokenizer, positions(self.model), UNLIMITED)
