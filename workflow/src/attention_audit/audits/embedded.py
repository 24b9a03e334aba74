"""A model as a function of the vectors that its texts are read as, to be differentiated in them."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.func import functional_call

from attention_audit.model.batch import Batch
from attention_audit.model.classifier import Output
from attention_audit.model.network import Network


def vectors_of(model: Network, batch: Batch) -> Tensor:
    """The vectors of a batch as leaves of a new graph, one for each place of a text, marks too: (B, L + 2, E)."""
    vectors: Tensor = model.embedding(batch.ids)
    return vectors.detach()


def run_on(model: Network, batch: Batch, vectors: Tensor) -> Output:
    """What the model says where its texts are read as `vectors` (B, L + 2, E), whatever their words.

    Every place has a row of its own behind the embedding's, so the vector of a word is not shared by its places, and
    the encoder may look it up as often as it likes.
    """
    table = model.embedding.weight.detach()
    rows = torch.arange(batch.ids.numel(), device=table.device) + len(table)
    extended = {"embedding.weight": torch.cat([table, vectors.flatten(0, 1)])}
    output: Output = functional_call(model, extended, (replace(batch, ids=rows.view_as(batch.ids)),))
    return output
