"""Maps by the vectors that weights multiply: value norm, GlobEnc, ALTI, value zeroing.

Of a layer, the vector that piece j gives piece i through attention is f_ij = sum_h A_hij W_o^h V_h x_j, and the
residual connection adds x_i for j = i. So what N1 reads is sum_j T_ij with T_ij = f_ij + [i = j] x_i, plus the bias
b_o, which belongs to no piece; biases of the values are in f, since the weights of a row sum to 1.
"""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from attention_audit.model.sequence_classifier import LayerPass
from attention_audit.model.tail import ACTIVATIONS

from .passes import Map, ModelPass, require_norm_after

MAX_NUMBERS_AT_ONCE = 1 << 18
"""Numbers that pass at once."""


def project_heads(layer: LayerPass) -> Tensor:
    """Compute what each head makes of each piece, W_o^h V_h x_j: (B, P, H, D)."""
    weight = layer.part("output").weight
    weight = weight.reshape(len(weight), layer.values.shape[2], -1)
    return torch.einsum("bjhe,dhe->bjhd", layer.values, weight)


def count_together(pieces: int, width: int) -> int:
    """Count the pieces whose vectors of all P pieces, of this width, fit a processor's cache."""
    return max(1, MAX_NUMBERS_AT_ONCE // (pieces * width))


def normalise_part(norm: nn.LayerNorm, parts: Tensor) -> Tensor:
    """Normalise parts (.., D) of what a layer normalisation reads, but for the division by the deviation of the whole.

    N(s) = (s - mean(s)) / deviation(s) * g + b. With the deviation of the whole sum, that is linear in the parts, to
    none of which b belongs.
    """
    return (parts - parts.mean(-1, keepdim=True)) * norm.weight


def compute_deviation(norm: nn.LayerNorm, read_by: Tensor) -> Tensor:
    """Compute what a layer normalisation divides by, (B, P), from what it reads, (B, P, D)."""
    return (read_by.var(-1, unbiased=False) + norm.eps).sqrt()


@torch.no_grad()
def value_norm(model_pass: ModelPass) -> Tensor:
    """Measure the length of what each piece j gives the classified one, i, in the last layer: |f_ij|.

    Kobayashi et al. 2020: the norm of the weighted, transformed vectors, summed over heads before the norm is taken.
    One pass.
    """
    layer = model_pass.layers[-1]
    lengths: Tensor = torch.einsum("bhj,bjhd->bjd", model_pass.average_rows(layer.weights), project_heads(layer)).norm(
        dim=-1
    )
    return lengths * model_pass.mask


def combine_layers(layer_matrix: Callable[[ModelPass, LayerPass, int], Tensor]) -> Map:
    """Make a map of a matrix of each layer: row 0 of their product, the last layer first, as shares of all pieces.

    layer_matrix: gives the first R rows of the matrix of a layer, (B, R, P); of the last layer one row is asked.
    """

    @wraps(layer_matrix)
    @torch.no_grad()
    def multiply_layers(model_pass: ModelPass) -> Tensor:
        *below, last = model_pass.layers
        row = normalise_rows(layer_matrix(model_pass, last, 1))
        for layer in reversed(below):
            # a product of many norms overflows; only proportions matter
            row = normalise_rows(row @ layer_matrix(model_pass, layer, row.shape[-1]))
        return row[:, 0]

    return require_norm_after(multiply_layers)


def normalise_rows(rows: Tensor) -> Tensor:
    """Divide rows of non-negative numbers by their sum; zeros where all of them are 0."""
    return rows / rows.sum(-1, keepdim=True).clamp(min=torch.finfo(rows.dtype).tiny)


@combine_layers
def globenc(model_pass: ModelPass, layer: LayerPass, rows: int) -> Tensor:
    """GlobEnc: in each layer the matrix of |N2(N1(T_ij))|, both normalisations with the deviations of the whole sums
    and the inner layer left out; row 0 of the product of these matrices, the last layer first.

    Modarressi et al. 2022 (N_ENC). Scores are shares of all pieces; the authors' are not divided by their sum. One
    pass. Lengths are taken from the products of the heads' vectors, so that no T_ij is made.
    """
    first_norm, second_norm = map(layer.part, ("first", "second"))
    of_heads = normalise_part(second_norm, normalise_part(first_norm, project_heads(layer)))
    residual = normalise_part(second_norm, normalise_part(first_norm, layer.below[:, :rows]))
    weights = layer.weights[:, :, :rows]
    products = torch.einsum("bjhd,bjgd->bjhg", of_heads, of_heads)
    lengths = (torch.einsum("bjhg,bgij->bhij", products, weights) * weights).sum(1).clamp(min=0).sqrt()
    index = torch.arange(rows, device=lengths.device)
    lengths[:, index, index] = (select_diagonal(weights, of_heads) + residual).norm(dim=-1)
    deviation = compute_deviation(first_norm, layer.mixed) * compute_deviation(second_norm, layer.joined)
    return lengths / deviation[:, :rows, None] * model_pass.mask[:, None]


@combine_layers
def alti(model_pass: ModelPass, layer: LayerPass, rows: int) -> Tensor:
    """ALTI: a piece j matters to piece i by how much nearer to y_i, what N1 returns, its part brings it in the norm 1,

        c_ij = max(0, |y_i|_1 - |y_i - T'_ij|_1),   T'_ij = N1(T_ij) as a part,

    rows normalised; row 0 of the product of these matrices, the last layer first.

    Ferrando et al. 2022. Their code leaves the epsilon of N1 out of the deviation, and its distances add 1e-6 to every
    number of a difference (torch's default), which moves scores by some millionths. One pass.
    """
    first_norm = layer.part("first")
    of_heads = normalise_part(first_norm, project_heads(layer))
    normed: Tensor = first_norm(layer.mixed)[:, :rows]
    by = compute_deviation(first_norm, layer.mixed)[:, :rows]
    weights = layer.weights[:, :, :rows] / by[:, None, :, None]
    far = torch.stack([*map(measure_distances, normed, weights, of_heads)])
    index = torch.arange(rows, device=far.device)
    self_part = select_diagonal(weights, of_heads) + normalise_part(first_norm, layer.below[:, :rows]) / by[..., None]
    far[:, index, index] = (normed - self_part).norm(p=1, dim=-1)
    size: Tensor = normed.norm(p=1, dim=-1)
    return normalise_rows((size[:, :, None] - far).clamp(min=0) * model_pass.mask[:, None])


def select_diagonal(weights: Tensor, of_heads: Tensor) -> Tensor:
    """Select f_ii of the first R pieces, (B, R, D): weights (B, H, R, P), vectors of the heads (B, P, H, D)."""
    rows = weights.shape[2]
    return torch.einsum("bhi,bihd->bid", weights.diagonal(dim1=2, dim2=3), of_heads[:, :rows])


def measure_distances(normed: Tensor, weights: Tensor, of_heads: Tensor) -> Tensor:
    """Measure |y_i - sum_h a_hij z_jh|_1 of one text, (R, P): y (R, D), a (H, R, P), z (P, H, D)."""
    some = count_together(*normed.shape)
    cut = zip(torch.split(weights.permute(2, 1, 0), some), torch.split(of_heads, some), strict=True)
    return torch.cat([torch.baddbmm(normed, a, z, alpha=-1).norm(p=1, dim=-1) for a, z in cut]).T


@combine_layers
def value_zeroing(model_pass: ModelPass, layer: LayerPass, rows: int) -> Tensor:
    """Value zeroing: a piece j matters to piece i by how far, by the cosine, what the layer returns for i moves where
    the value of j is 0; rows normalised; row 0 of the product of the layers' matrices, the last layer first.

    Mohebbi et al. 2023. Rows are normalised as in the authors' code. About as many passes as there are pieces.
    """
    first_norm, inner, outer, second_norm = map(layer.part, ("first", "inner", "outer", "second"))
    active, of_heads = ACTIVATIONS[model_pass.classifier.active], project_heads(layer)
    some = count_together(model_pass.mask.shape[1], layer.mixed.shape[-1])
    distances = torch.zeros(len(model_pass.mask), rows, model_pass.mask.shape[1], device=model_pass.mask.device)
    for text, vectors in enumerate(of_heads):
        for start in range(0, rows, some):
            part = slice(start, min(start + some, rows))
            gone = torch.einsum("hij,jhd->ijd", layer.weights[text, :, part], vectors)
            normed = first_norm(layer.mixed[text, part, None] - gone)
            above = second_norm(outer(active(inner(normed))) + normed)
            distances[text, part] = 1 - cosine_similarity(above, layer.above[text, part, None], dim=-1)
    return normalise_rows(distances.clamp(min=0) * model_pass.mask[:, None])
