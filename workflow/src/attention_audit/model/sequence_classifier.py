"""A fine-tuned Transformer classifier of texts: what its last layer attends to, and the tail above it.

The classified token is the first, such as [CLS]. Its row of attention in the last layer has a map in each head; with
the values of the layer, its state below, and the tail, all else of the network is needed no more (`model.tail`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attention_audit.errors import AuditError
from attention_audit.model.batch import Batch
from attention_audit.model.classifier import Output
from attention_audit.model.tail import Tail
from attention_audit.transformer.batches import PieceBatch
from attention_audit.transformer.families import ACTIVATIONS, family_of
from attention_audit.transformer.opening import open_model, open_tokenizer, positions
from attention_audit.transformer.pieces import UNLIMITED, longest


class Attended(NamedTuple):
    """What the classified token of B texts of at most P pieces attends to in the last layer, and the model's logits.

    weights (B, H, P), zeros on padding; values (B, H, P, D / H); below (B, D); logits (B, C).
    """

    weights: Tensor
    values: Tensor
    below: Tensor
    logits: Tensor


class SequenceClassifier(nn.Module):
    """The classifier of a folder, in evaluation, with its tokenizer.

    names: of its classes, in the order of its logits. most: pieces that it can read. Audits that run a network again
    run it as they do those that end in one layer of attention, but nothing holds its attention constant. Raises
    AuditError where the folder holds no classifier of texts into classes, or one of another family than those of
    `transformer.families`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.family = family_of(folder)
        self.model: Any = open_model(folder, classifier=True, attention="eager")
        config: Any = self.model.config
        if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
            what = config.problem_type or "regression"
            raise AuditError(
                f"{folder}: its task is {what.replace('_', ' ')}, and no choice of one class; name a classifier"
            )
        self.names = [str(config.id2label[number]) for number in range(config.num_labels)]
        self.tokenizer: Any = open_tokenizer(folder)
        self.layer: nn.Module = attrgetter(self.family.layers)(self.model)[-1]
        self.attending: nn.Module = attrgetter(self.family.attention)(self.layer)
        self.attention = nn.Identity()
        self.values: nn.Module = attrgetter(self.family.values)(self.layer)
        self.tail = self._tail(config)

    @property
    def transformer(self) -> SequenceClassifier:
        """What reads pieces: itself."""
        return self

    @property
    def most(self) -> int:
        """How many pieces of a text it can read, marks included."""
        return longest(self.tokenizer, positions(self.model), UNLIMITED)

    def _tail(self, config: Any) -> Tail:
        family = self.family
        in_layer = {name: getattr(family, name) for name in ("output", "first", "inner", "outer", "second")}
        parts = {name: attrgetter(path)(self.layer) for name, path in in_layer.items()}
        parts |= {name: attrgetter(getattr(family, name))(self.model) for name in ("pooler", "classifier")}
        activation = getattr(config, "hidden_act", None) or config.activation
        if activation not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise AuditError(f"{self.folder}: its activation {activation!r} is not known here; known are {known}")
        weights = {
            f"{name}.{what}": getattr(part, what).detach().clone()
            for name, part in parts.items()
            for what in ("weight", "bias")
        }
        return Tail(weights, ACTIVATIONS[activation], family.pooled, float(parts["first"].eps))

    def forward(self, batch: Batch) -> Output:
        """Logits of a batch of texts that carries pieces; of what else such an output has, nothing is known."""
        if batch.pieces is None:
            raise ValueError("a Transformer classifier reads pieces")
        logits = self.logits(batch.pieces, batch.vectors)
        return Output(logits, logits.new_empty(0), logits.new_empty(0), logits.new_empty(0))

    def logits(self, pieces: PieceBatch, vectors: Tensor | None = None) -> Tensor:
        """Logits of B texts, (B, C). vectors (B, P, E): in the place of those that the pieces have below position."""
        given = {"input_ids": pieces.ids} if vectors is None else {"inputs_embeds": vectors}
        if getattr(self.model.config, "type_vocab_size", 1) > 1:
            given["token_type_ids"] = pieces.types
        found: Tensor = self.model(**given, attention_mask=pieces.mask.long()).logits
        return found

    def vectors(self, pieces: PieceBatch) -> Tensor:
        """The vectors of the pieces below position and segment, (B, P, E)."""
        looked_up: Tensor = self.model.get_input_embeddings()(pieces.ids)
        return looked_up

    @torch.inference_mode()
    def attend(self, pieces: PieceBatch) -> Attended:
        """Run the model on a batch, and keep what the tail needs. Raises AuditError where no weights are returned."""
        kept: dict[str, Any] = {}
        handles = [
            self.layer.register_forward_pre_hook(lambda module, inputs: kept.update(below=inputs[0][:, 0])),
            self.values.register_forward_hook(lambda module, inputs, output: kept.update(values=output)),
            self.attending.register_forward_hook(lambda module, inputs, output: kept.update(weights=output[1])),
        ]
        try:
            logits = self.logits(pieces)
        finally:
            for handle in handles:
                handle.remove()
        if kept["weights"] is None:
            raise AuditError(f"{self.folder}: the library returned no attention weights; use another version of it")
        weights = kept["weights"][:, :, 0]
        count = weights.shape[1]
        values = kept["values"].reshape(*kept["values"].shape[:2], count, -1).transpose(1, 2)
        return Attended(weights, values, kept["below"], logits)

    @contextmanager
    def imposing(self, weights: Tensor) -> Iterator[None]:
        """Let the classified token of one text have other weights in the last layer in the block: (H, P)."""

        def replaced(module: nn.Module, inputs: Any) -> Any:
            values = kept["values"][0].reshape(weights.shape[1], len(weights), -1)
            states = inputs[0].clone()
            states[0, 0] = torch.einsum("hp,phd->hd", weights, values).flatten()
            return (states, *inputs[1:])

        kept: dict[str, Any] = {}
        output: nn.Module = attrgetter(self.family.output)(self.layer)
        handles = [
            self.values.register_forward_hook(lambda module, inputs, values: kept.update(values=values)),
            output.register_forward_pre_hook(replaced),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
