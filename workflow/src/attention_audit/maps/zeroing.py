"""Value zeroing (Mohebbi et al. 2023): what a layer returns for each piece without the value of one piece."""

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from attention_audit.maps.norms import given
from attention_audit.maps.passes import Pass, normalised_after
from attention_audit.model.tail import ACTIVATIONS


@torch.no_grad()
def distances(read: Pass, number: int) -> Tensor:
    """How far, by the cosine, what a layer returns for piece i moves where the value of piece j is 0: (B, P, P), from i
    (first P) to j.

    Rows are normalised, as in the authors' code.
    """
    layer, classifier = read.layers[number - 1], read.classifier
    first, inner, outer, second = (classifier.part(name, number) for name in ("first", "inner", "outer", "second"))
    mixed = layer.mixed[:, :, None] - given(read, layer, number)
    normed = first(mixed)
    above = second(outer(ACTIVATIONS[classifier.activation()](inner(normed))) + normed)
    moved = (1 - cosine_similarity(above, layer.above[:, :, None], dim=-1)).clamp(min=0) * read.mask[:, None]
    shares: Tensor = moved / moved.sum(-1, keepdim=True).clamp(min=torch.finfo(moved.dtype).tiny)
    return shares


@normalised_after
def value_zeroing(read: Pass) -> Tensor:
    """Value zeroing, rolled out: row 0 of the product of the layers' matrices, the last one first. About as many passes
    as there are pieces.
    """
    row: Tensor | None = None
    for number in range(len(read.layers), 0, -1):
        shares = distances(read, number)
        row = shares[:, :1] if row is None else row @ shares
    assert row is not None
    return row[:, 0]
