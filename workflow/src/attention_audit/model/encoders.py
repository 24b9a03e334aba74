"""Encoders: from the words of a text to the states that attention weighs.

BiLSTM reads words and marks by itself. All others are given vectors, of words or of sentences, and see neither marks
nor padding: N sequences of at most L vectors of width E, (N, L, E), with their lengths (N,), to states
(N, L, `width`). States behind a sequence's end mean nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup

from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Batch, within


class BiLSTM(nn.Module):
    """One LSTM over the text and one over the text reversed within its own length.

    Padding comes last for both, so neither reads it before a token: exact without packing, and several times faster
    on a CPU. Both read their words from one lookup, time first, and end before the mark that would come last.
    """

    def __init__(self, embedding: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(embedding, hidden)
        self.backwards = nn.LSTM(embedding, hidden)
        self.width = 2 * hidden

    def forward(self, embedding: nn.Embedding, batch: Batch) -> Tensor:
        """States of the tokens, (B, L, 2 hidden)."""
        ids = batch.ids.t()
        position = torch.arange(len(ids) - 1, device=ids.device)[:, None]
        text = torch.arange(ids.shape[1], device=ids.device)
        last = batch.lengths + 1
        reverse = torch.where(position <= last, last - position, position)
        left, right = embedding(torch.stack([ids[:-1], ids[reverse, text]]))
        left, _ = self.forwards(left)
        right, _ = self.backwards(right)
        # right[reverse, text], by a lookup whose gradient is several times faster
        aligned = lookup((reverse * len(text) + text)[1:].t(), right.flatten(0, 1))
        return torch.cat([left[1:].transpose(0, 1), aligned], dim=-1)


class Affine(nn.Module):
    """tanh(W x + b), which sees no neighbour: the diagnostic MLP (Wiegreffe & Pinter 2019, section 3.4)."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.affine = nn.Linear(size, hidden)
        self.width = hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(N, L, E) -> (N, L, hidden)."""
        states: Tensor = self.affine(vectors).tanh()
        return states


class BiGRU(nn.Module):
    """One GRU over the sequence and one over the sequence reversed within its own length, as in `BiLSTM`."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.GRU(size, hidden)
        self.backwards = nn.GRU(size, hidden)
        self.width = 2 * hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(N, L, E) -> (N, L, 2 hidden)."""
        sequence, longest = torch.arange(len(vectors), device=vectors.device)[:, None], vectors.shape[1]
        position = torch.arange(longest, device=vectors.device)
        inside = within(lengths, longest)
        reverse = torch.where(inside, lengths[:, None] - 1 - position, position)
        # both turns are lookups: their gradient is several times faster than an index's
        turned = lookup((sequence * longest + reverse).t(), vectors.flatten(0, 1))
        left, _ = self.forwards(vectors.transpose(0, 1))
        right, _ = self.backwards(turned)
        aligned = lookup(reverse * len(vectors) + sequence, right.flatten(0, 1))
        return torch.cat([left.transpose(0, 1), aligned], dim=-1)


class Convolution(nn.Module):
    """ReLU of convolutions over 3 and over 5 neighbours, side by side (Serrano & Smith 2019, figure 2)."""

    def __init__(self, size: int, filters: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.filters = nn.ModuleList(nn.Conv1d(size, filters, width, padding="same") for width in (3, 5))
        self.width = 2 * filters

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(N, L, E) -> (N, L, 2 filters)."""
        inside = within(lengths, vectors.shape[1])
        values = self.dropout(vectors * inside[..., None]).transpose(1, 2)
        return torch.cat([filters(values) for filters in self.filters], dim=1).relu().transpose(1, 2)


class Bare(nn.Module):
    """No encoder: the vectors themselves."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.width = size

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(N, L, E) -> (N, L, E)."""
        return vectors


def vector_encoder(architecture: Architecture, size: int) -> Affine | BiGRU | Convolution | Bare:
    """The encoder of vectors of width `size` that an architecture asks for."""
    match architecture.encoder:
        case "affine":
            return Affine(size, architecture.hidden)
        case "bigru":
            return BiGRU(size, architecture.hidden)
        case "conv":
            return Convolution(size, architecture.hidden, architecture.dropout.convolution)
        case "none":
            return Bare(size)
        case "bilstm":
            raise ValueError("bilstm reads texts, not vectors")
