"""A fine-tuned Transformer classifier of texts: what its last layer attends to, and the tail above it.

The classified token is the first one, such as [CLS]. Its row of attention in the last layer has a map in each head; with
the values of the layer, its state below, and the tail, all else of the network is needed no more (`model.tail`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attention_audit.errors import AuditError
from attention_audit.model.tail import Tail
from attention_audit.transformer.batches import PieceBatch
from attention_audit.transformer.folder import read_facts
from attention_audit.transformer.opening import open_model, open_tokenizer, positions
from attention_audit.transformer.pieces import UNLIMITED, longest


class Family(NamedTuple):
    """Where the parts of a classifier lie: the layers; in a layer, its attention, values, and parts of the tail by their
    names there; above them, pooler and classifier, and the activation between.
    """

    layers: str
    attention: str
    values: str
    output: str
    first: str
    inner: str
    outer: str
    second: str
    pooler: str
    classifier: str
    pooled: str


def of_bert(name: str, pooler: str, classifier: str, pooled: str) -> Family:
    """A family whose layers are BERT's."""
    return Family(
        f"{name}.encoder.layer",
        "attention.self",
        "attention.self.value",
        "attention.output.dense",
        "attention.output.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
        pooler,
        classifier,
        pooled,
    )


FAMILIES: Mapping[str, Family] = {
    "bert": of_bert("bert", "bert.pooler.dense", "classifier", "tanh"),
    "roberta": of_bert("roberta", "classifier.dense", "classifier.out_proj", "tanh"),
    "electra": of_bert("electra", "classifier.dense", "classifier.out_proj", "gelu"),
    "distilbert": Family(
        "distilbert.transformer.layer",
        "attention",
        "attention.v_lin",
        "attention.out_lin",
        "sa_layer_norm",
        "ffn.lin1",
        "ffn.lin2",
        "output_layer_norm",
        "pre_classifier",
        "classifier",
        "relu",
    ),
}
"""By `model_type` of config.json."""
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}
"""The activations of `model.tail` by their names in config.json."""


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

    names: of its classes, in the order of its logits. most: pieces that it can read. Raises AuditError where the folder
    holds no classifier of texts into classes, or one of another family than those of `FAMILIES`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        facts = read_facts(folder)
        if facts.kind not in FAMILIES:
            raise AuditError(
                f"{folder}: a model of type {facts.kind!r}, whose last layer and classifier are not known here; known "
                f"are {', '.join(FAMILIES)}"
            )
        self.folder = folder
        self.family = FAMILIES[facts.kind]
        self.model: Any = open_model(folder, classifier=True, attention="eager")
        config = self.model.config
        if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
            what = config.problem_type or "regression"
            raise AuditError(
                f"{folder}: its task is {what.replace('_', ' ')}, and no choice of one class; name a classifier"
            )
        self.names = [str(config.id2label[number]) for number in range(config.num_labels)]
        self.tokenizer: Any = open_tokenizer(folder)
        self.layer: nn.Module = attrgetter(self.family.layers)(self.model)[-1]
        self.attention: Any = attrgetter(self.family.attention)(self.layer)
        self.values: nn.Module = attrgetter(self.family.values)(self.layer)
        self.tail = self._tail(config)

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
            self.attention.register_forward_hook(lambda module, inputs, output: kept.update(weights=output[1])),
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
        """Let the classified token of one text of P pieces have other weights in the last layer in the block: (H, P)."""

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
