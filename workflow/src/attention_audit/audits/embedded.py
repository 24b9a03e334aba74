"""A model as a function of its texts' word vectors, so that it can be differentiated with respect to them."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.func import functional_call

from attention_audit.model.batch import Batch
from attention_audit.model.classifier import Output
from attention_audit.model.network import Network


def vectors_of(model: Network, batch: Batch) -> Tensor:
    """The word vectors of a batch, detached from the embedding, one for each token and mark: (B, L + 2, E)."""
    vectors: Tensor = model.embedding(batch.ids)
    return vectors.detach()


def run_on(model: Network, batch: Batch, vectors: Tensor) -> Output:
    """The model's output for texts whose word vectors are replaced by `vectors` (B, L + 2, E).

    The embedding is extended by one row for each position of each text. So two positions with the same word have
    vectors of their own, and the encoder may look up a position as often as it likes.
    """
    table = model.embedding.weight.detach()
    rows = torch.arange(batch.ids.numel(), device=table.device) + len(table)
    extended = {"embedding.weight": torch.cat([table, vectors.flatten(0, 1)])}
    output: Output = functional_call(model, extended, (replace(batch, ids=rows.view_as(batch.ids)),))
    return output
