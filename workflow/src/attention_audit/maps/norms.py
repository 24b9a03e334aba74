"""Maps by the vectors that weights multiply: value norm, GlobEnc, ALTI.

Of a layer, the vector that piece j gives piece i through attention is f_ij = sum_h A_hij W_o^h V_h x_j, and the
residual connection adds x_i for j = i. So what N1 reads is sum_j T_ij with T_ij = f_ij + [i = j] x_i, plus the bias
b_o, which belongs to no piece; biases of the values are in f, since the weights of a row sum to 1.
"""

from typing import Any

import torch
from torch import Tensor

from attention_audit.maps.passes import LayerPass, Pass, normalised_after


def by_head(read: Pass, layer: LayerPass, number: int) -> Tensor:
    """W_o of a layer, (D, H, D / H)."""
    output: Any = read.classifier.part("output", number)
    weight: Tensor = output.weight.reshape(len(output.weight), layer.values.shape[2], -1)
    return weight


@torch.no_grad()
def given(read: Pass, layer: LayerPass, number: int) -> Tensor:
    """The vectors f_ij of a layer, (B, P, P, D): from piece j (second P) to piece i (first P). Takes memory P^2 D."""
    of_heads = torch.einsum("bjhe,dhe->bhjd", layer.values, by_head(read, layer, number))
    return torch.einsum("bhij,bhjd->bijd", layer.weights, of_heads)


@torch.no_grad()
def transformed(read: Pass, layer: LayerPass, number: int) -> Tensor:
    """The vectors T_ij, (B, P, P, D); with b_o they sum over j to what N1 reads."""
    parts = given(read, layer, number)
    place = torch.arange(parts.shape[1], device=parts.device)
    parts[:, place, place] += layer.below
    return parts


@torch.no_grad()
def normed(read: Pass, number: int, name: str, read_by: Tensor, parts: Tensor) -> Tensor:
    """A layer normalisation of a sum, part by part: (B, P, P, D).

    N(s) = (s - mean(s)) / std(s) * g + b is linear but for the standard deviation, which is that of the whole sum
    `read_by` (B, P, D): a part p gives (p - mean(p)) / std(s) * g. b belongs to no part.
    """
    norm: Any = read.classifier.part(name, number)
    deviation = (read_by.var(-1, unbiased=False) + norm.eps).sqrt()[:, :, None, None]
    scaled: Tensor = (parts - parts.mean(-1, keepdim=True)) / deviation * norm.weight
    return scaled


@torch.no_grad()
def value_norm(read: Pass) -> Tensor:
    """The length of what each piece gives the first one in the last layer: |f_0j|.

    Kobayashi et al. 2020: the norm of the weighted, transformed vectors, summed over heads before the norm is taken.
    One pass.
    """
    layer, number = read.layers[-1], len(read.layers)
    weight = by_head(read, layer, number)
    weighted = layer.weights[:, :, 0, :].transpose(1, 2)[..., None] * layer.values
    lengths: Tensor = torch.einsum("bjhe,dhe->bjd", weighted, weight).norm(dim=-1)
    return lengths * read.mask


@normalised_after
@torch.no_grad()
def globenc(read: Pass) -> Tensor:
    """GlobEnc: in each layer the matrix of |N2(N1(T_ij))|, both normalisations with the deviations of the whole sums
    and the inner layer left out; row 0 of the product of these matrices, the last layer first.

    Modarressi et al. 2022 (N_ENC). Scores are shares of all pieces; the authors' are not divided by their sum. One
    pass, memory P^2 D a text and layer.
    """
    row: Tensor | None = None
    for number, layer in reversed([*enumerate(read.layers, start=1)]):
        parts = transformed(read, layer, number)
        parts = normed(read, number, "first", layer.mixed, parts)
        norms = normed(read, number, "second", layer.joined, parts).norm(dim=-1) * read.mask[:, None]
        row = norms[:, :1] if row is None else row @ norms
        # a product of many norms overflows; only proportions matter
        row = row / row.sum(-1, keepdim=True)
    assert row is not None
    return row[:, 0]


@normalised_after
@torch.no_grad()
def alti(read: Pass) -> Tensor:
    """ALTI: a piece j matters to piece i by how much nearer to y_i, what N1 returns, its part brings it in the norm 1,

        c_ij = max(0, |y_i|_1 - |y_i - T'_ij|_1),   T'_ij = N1(T_ij) as a part,

    rows normalised; row 0 of the product of these matrices, the last layer first.

    Ferrando et al. 2022. Their code adds the epsilon of N1 to its input, and not to the variance, which moves scores by
    a millionth. One pass, memory P^2 D a text and layer.
    """
    row: Tensor | None = None
    for number, layer in reversed([*enumerate(read.layers, start=1)]):
        parts = normed(read, number, "first", layer.mixed, transformed(read, layer, number))
        first: Any = read.classifier.part("first", number)
        whole: Tensor = first(layer.mixed)
        nearer = whole.norm(p=1, dim=-1)[:, :, None] - (whole[:, :, None] - parts).norm(p=1, dim=-1)
        shares = nearer.clamp(min=0) * read.mask[:, None]
        shares = shares / shares.sum(-1, keepdim=True).clamp(min=torch.finfo(shares.dtype).tiny)
        row = shares[:, :1] if row is None else row @ shares
    assert row is not None
    return row[:, 0]
