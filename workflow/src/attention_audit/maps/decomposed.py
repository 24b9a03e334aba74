"""DecompX (Modarressi et al. 2023): the state of every piece as a sum of vectors, one of each piece of the input, which
are carried through all parts of a Transformer up to the logits.

A linear part acts on each vector; a normalisation has the deviation of the whole sum; an activation f multiplies each
vector by f(z) / z of the whole sum z; and a bias is split among the vectors in proportion to the absolute value of
their dot product with it, so that nothing is left over: the parts of a logit sum to the logit. As in the authors' code,
the biases of attention, W_o b_v + b_o, are split as one, once the residual connection is added; but in the first layer
each piece keeps the bias of its own value.
"""

from operator import attrgetter
from typing import Any

import torch
from torch import Tensor

from attention_audit.maps.norms import deviation, straight
from attention_audit.maps.passes import Pass, normalised_after
from attention_audit.model.tail import ACTIVATIONS


def with_bias(parts: Tensor, bias: Tensor | None) -> Tensor:
    """Vectors (.., J, D) with a bias (D,) split among them."""
    if bias is None:
        return parts
    weight = (parts @ bias).abs()
    whole = weight.sum(-1, keepdim=True)
    weight = (weight / whole).where(whole > 0, 1 / weight.shape[-1])
    return parts + weight[..., None] * bias


def linear(part: Any, parts: Tensor) -> Tensor:
    """A linear layer of vectors (.., J, D)."""
    return with_bias(parts @ part.weight.T, part.bias)


def norm(part: Any, parts: Tensor) -> Tensor:
    """A layer normalisation of vectors (.., J, D) whose deviation is that of their sum."""
    return with_bias(straight(part, parts) / deviation(part, parts.sum(-2))[..., None, None], part.bias)


def active(name: str, parts: Tensor) -> Tensor:
    """An activation of vectors (.., J, D): all are multiplied by f(z) / z of their sum z."""
    whole = parts.sum(-2, keepdim=True)
    return parts * (ACTIVATIONS[name](whole) / whole.where(whole != 0, 1.0))


@torch.no_grad()
def parts_of_logits(read: Pass, text: int) -> Tensor:
    """What each of the J pieces of one text adds to each logit, (J, C), which sum to the logits."""
    classifier, count = read.classifier, int(read.pieces.lengths[text])
    states = read.layers[0].below[text, :count]
    place = torch.arange(count, device=states.device)
    parts = torch.diag_embed(states.T).permute(1, 2, 0)  # (P, J, D): of piece i, the vector of piece j
    for number, layer in enumerate(read.layers, start=1):
        weights = layer.weights[text, :, :count, :count]
        value: Any
        output: Any
        value, output = (classifier.part(name, number) for name in ("values", "output"))
        values, bias = parts @ value.weight.T, output.bias
        if number == 1:
            values[place, place] += value.bias
        else:
            bias = output.weight @ value.bias + bias
        mixed = torch.einsum("hik,kjhe->ijhe", weights, values.reshape(count, count, len(weights), -1)).flatten(-2)
        parts = norm(classifier.part("first", number), with_bias(mixed @ output.weight.T + parts, bias))
        inner = active(classifier.activation(), linear(classifier.part("inner", number), parts))
        parts = norm(classifier.part("second", number), linear(classifier.part("outer", number), inner) + parts)
    family = classifier.family
    pooler, decoder = (attrgetter(getattr(family, name))(classifier.model) for name in ("pooler", "classifier"))
    return linear(decoder, active(classifier.pooled, linear(pooler, parts[0])))


@normalised_after
def decompx(read: Pass) -> Tensor:
    """DecompX: what each piece adds to the logit of the predicted class, signed. As many passes as there are pieces."""
    scores = torch.zeros_like(read.mask)
    for text, (count, chosen) in enumerate(zip(read.pieces.lengths.tolist(), read.explained.tolist(), strict=True)):
        scores[text, :count] = parts_of_logits(read, text)[:, chosen]
    return scores
