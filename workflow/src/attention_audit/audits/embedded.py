"""A model as a function of its texts' word vectors, so that it can be differentiated with respect to them.

A Transformer has vectors of pieces, before positions and segments are added. What they are given is summed to words.
"""

from dataclasses import replace

import torch
from torch import Tensor
from torch.func import functional_call
from torch.nn.functional import pad

from attention_audit.model.batch import Batch
from attention_audit.model.classifier import Output
from attention_audit.model.network import Network


def vectors_of(model: Network, batch: Batch) -> Tensor:
    """The vectors of a batch, detached from the embedding, one for each position that is read: (B, P, E).

    The positions are the tokens between both marks, P = L + 2; for a Transformer they are its pieces.
    """
    if model.transformer is not None and batch.pieces is not None:
        return model.transformer.vectors(batch.pieces).detach()
    vectors: Tensor = model.embedding(batch.ids)
    return vectors.detach()


def of_tokens(batch: Batch) -> Tensor:
    """(B, P), true on the positions that are of a token of the text: no mark, no padding, nothing of a query."""
    if batch.pieces is None:
        return pad(batch.mask, (1, 1))
    return (batch.pieces.words >= 0) & (batch.pieces.words < batch.pieces.read[:, None])


def by_token(batch: Batch, values: Tensor) -> Tensor:
    """Values of the positions, (B, P), as those of the tokens, (B, L): sums over the pieces of each."""
    if batch.pieces is None:
        return values[:, 1:-1]
    longest = batch.mask.shape[1]
    token = batch.pieces.words.where(of_tokens(batch), longest)
    sums = values.new_zeros(len(values), longest + 1)
    return sums.scatter_add(1, token, values)[:, :-1]


def run_on(model: Network, batch: Batch, vectors: Tensor) -> Output:
    """The model's output for texts whose vectors are replaced by `vectors` (B, P, E).

    The embedding is extended by one row for each position of each text. So two positions with the same word have
    vectors of their own, and the encoder may look up a position as often as it likes.
    """
    if model.transformer is not None and batch.pieces is not None:
        replaced: Output = model(replace(batch, vectors=vectors))
        return replaced
    table = model.embedding.weight.detach()
    rows = torch.arange(batch.ids.numel(), device=table.device) + len(table)
    extended = {"embedding.weight": torch.cat([table, vectors.flatten(0, 1)])}
    output: Output = functional_call(model, extended, (replace(batch, ids=rows.view_as(batch.ids)),))
    return output
