"""Value zeroing (Mohebbi et al. 2023): what a layer returns for each piece without the value of one piece."""

from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from attention_audit.maps.norms import as_shares, at_once, by_head, rolled
from attention_audit.maps.passes import Pass, normalised_after
from attention_audit.model.tail import ACTIVATIONS


@torch.no_grad()
def distances(read: Pass, number: int, rows: int) -> Tensor:
    """How far, by the cosine, what a layer returns for piece i moves where the value of piece j is 0: (B, R, P), from
    the first R pieces i to j.

    Rows are normalised, as in the authors' code.
    """
    layer, classifier = read.layers[number - 1], read.classifier
    first, inner, outer, second = (classifier.part(name, number) for name in ("first", "inner", "outer", "second"))
    of_heads = by_head(read, layer, number)
    some = at_once(read.mask.shape[1], layer.mixed.shape[-1])
    moved = torch.zeros(len(read.mask), rows, read.mask.shape[1], device=read.mask.device)
    for text, vectors in enumerate(of_heads):
        for start in range(0, rows, some):
            part = slice(start, min(start + some, rows))
            gone = torch.einsum("hij,jhd->ijd", layer.weights[text, :, part], vectors)
            normed = first(layer.mixed[text, part, None] - gone)
            above = second(outer(ACTIVATIONS[classifier.activation()](inner(normed))) + normed)
            moved[text, part] = 1 - cosine_similarity(above, layer.above[text, part, None], dim=-1)
    return as_shares(moved.clamp(min=0) * read.mask[:, None])


@normalised_after
def value_zeroing(read: Pass) -> Tensor:
    """Value zeroing, rolled out: row 0 of the product of the layers' matrices, the last one first. About as many passes
    as there are pieces.
    """
    return rolled(read, partial(distances, read))
