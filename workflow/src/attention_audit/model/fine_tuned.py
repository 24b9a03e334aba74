"""A Transformer classifier that is fine-tuned here, with its own attention or with uniform weights in its place.

What differs from the library's model is its last layer only. Of that layer nothing is read but the state of the first
token, which is classified (`FirstRow`), so that no other row is computed; and that row's weights may be uniform.
"""

from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from attention_audit.model.attention import scale
from attention_audit.model.batch import Batch
from attention_audit.model.network import Output
from attention_audit.model.sequence_classifier import Attended, TransformerClassifier
from attention_audit.model.tail import ACTIVATIONS
from attention_audit.transformer.batches import PieceBatch
from attention_audit.transformer.settings import MARKS


def even_weights(pieces: PieceBatch) -> Tensor:
    """The same weight on every item of a text, of which the pieces of an item have equal parts: (B, P)."""
    count = (pieces.read + MARKS)[:, None, None]
    even = (1 / count).expand(-1, -1, int(count.max()))
    return pieces.of_pieces(even, pieces.mask[:, None].float())[:, 0]


class Queries(nn.Module):
    """The scores of the first token in the last layer: those of the query's weights.

    The layer's other rows are not read, so whatever is done to its queries is done to this row alone. It holds no
    weights of its own.
    """

    def __init__(self, query: nn.Linear) -> None:
        super().__init__()
        self._weights = (query.weight, query.bias)

    def soften(self, factor: float) -> None:
        """Multiply all scores by a factor."""
        for weight in self._weights:
            scale(weight, factor)


class FirstRow(nn.Module):
    """Stands in for the last layer: the new state of the first token alone, with dropout where the library has it.

    The parts are those of the layer, by their names in `Family`. weights (B, H, P): those of the last call, before
    dropout.
    """

    weights: Tensor

    def __init__(self, classifier: TransformerClassifier, pieces: PieceBatch, even: bool) -> None:
        super().__init__()
        # in a tuple, so that the layer's weights keep one name each
        self._layer = (classifier.layers[-1],)
        self._family = classifier.family
        self._activation = ACTIVATIONS[classifier.activation()]
        self._pieces, self._even = pieces, even

    def _called(self, name: str, states: Tensor) -> Tensor:
        path = getattr(self._family, name)
        result: Tensor = attrgetter(path)(self._layer[0])(states) if path else states
        return result

    def forward(self, states: Tensor, *others: Any, **named: Any) -> Tensor:
        """The states below the layer, (B, P, D) -> that of the first token above it, (B, 1, D)."""
        below = states[:, 0]
        size = attrgetter(self._family.attention)(self._layer[0]).attention_head_size
        values = self._called("values", states).view(*states.shape[:2], -1, size)
        if self._even:
            row = even_weights(self._pieces)
            self.weights = row[:, None].expand(-1, values.shape[2], -1)
        else:
            queries = self._called("query", below).view(len(below), -1, size)
            keys = self._called("key", states).view(*states.shape[:2], -1, size)
            scores = torch.einsum("bhd,bphd->bhp", queries, keys) * size**-0.5
            self.weights = scores.masked_fill(~self._pieces.mask[:, None], float("-inf")).softmax(-1)
        weights = self._called("dropped", self.weights)
        context = torch.einsum("bhp,bphd->bhd", weights, values).flatten(1)
        mixed = self._called("output_dropped", self._called("output", context))
        first = self._called("first", mixed + below)
        inner = self._activation(self._called("inner", first))
        outer = self._called("outer_dropped", self._called("outer", inner))
        return self._called("second", outer + first)[:, None]


class FineTuned(TransformerClassifier):
    """A classifier that training fine-tunes. even: whether the first token's weights in the last layer are uniform.

    Its map is the mean of the heads over the items of a text: its words, then the marks (`PieceBatch.items`).
    """

    def __init__(self, folder: Path, model: nn.Module, even: bool) -> None:
        super().__init__(folder, model)
        self.even = even
        if not even:
            query: Any = self.part("query")
            self.attention = Queries(query)

    def forward(self, batch: Batch) -> Output:
        """Logits (B, C) and the map (B, I) of a batch that carries pieces; it has no states of items, and no bias."""
        if batch.pieces is None:
            raise ValueError("a Transformer classifier reads pieces")
        layers, row = self.layers, FirstRow(self, batch.pieces, self.even)
        layer, layers[-1] = layers[-1], row
        try:
            logits = self.logits(batch.pieces, batch.vectors)
        finally:
            layers[-1] = layer
        map_ = batch.pieces.of_items(row.weights.mean(1, keepdim=True))[:, 0]
        return Output(logits, map_, logits.new_empty(0), logits.new_empty(0))

    def attend(self, pieces: PieceBatch, layer: int = 0) -> Attended:
        """As in `TransformerClassifier`, by the library's own model; with uniform weights where it has these."""
        if not self.even:
            return super().attend(pieces, layer)
        heads = self.model.config.num_attention_heads
        weights = even_weights(pieces)[:, None].expand(-1, heads, -1)
        with self.imposing(weights):
            return super().attend(pieces)._replace(weights=weights)
