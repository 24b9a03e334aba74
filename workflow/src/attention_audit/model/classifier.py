"""The classifier of Wiegreffe & Pinter 2019, section 3 (after Jain & Wallace 2019, section 2).

embedding -> encoder -> attention -> decoder. Shapes: B texts, L tokens, E embedding, H hidden states, O outputs
(one for two classes: the logit of class 1; else one a class).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding as lookup

from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Batch


def outputs_for(classes: int) -> int:
    """Width of the decoder: one sigmoid for two classes, as the authors have it."""
    return 1 if classes == 2 else classes


def probabilities(logits: Tensor) -> Tensor:
    """Distribution over all classes; (..., 1) -> (..., 2) by a sigmoid, (..., C) -> (..., C) by a softmax."""
    if logits.shape[-1] == 1:
        positive = logits.sigmoid()
        return torch.cat([1 - positive, positive], dim=-1)
    return logits.softmax(-1)


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
    """tanh(W x + b) token by token: the diagnostic MLP, which sees no neighbour (section 3.4)."""

    def __init__(self, embedding: int, hidden: int) -> None:
        super().__init__()
        self.affine = nn.Linear(embedding, hidden)
        self.width = hidden

    def forward(self, embedding: nn.Embedding, batch: Batch) -> Tensor:
        """States of the tokens, (B, L, hidden)."""
        states: Tensor = self.affine(embedding(batch.ids[:, 1:-1])).tanh()
        return states


class Additive(nn.Module):
    """softmax_t v tanh(W h_t + b) over the tokens of a text (Bahdanau et al. 2015)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.affine = nn.Linear(width, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, states: Tensor, batch: Batch) -> Tensor:
        """(B, L, H) -> (B, L)."""
        scores: Tensor = self.score(self.affine(states).tanh()).squeeze(-1)
        return scores.masked_fill(~batch.mask, float("-inf")).softmax(-1)


class Uniform(nn.Module):
    """1 / length on every token (section 3.2)."""

    def forward(self, states: Tensor, batch: Batch) -> Tensor:
        """(B, L, H) -> (B, L)."""
        return batch.mask / batch.lengths[:, None]


class Imposed(nn.Module):
    """The weights of another model, brought along by the batch (section 3.4)."""

    def forward(self, states: Tensor, batch: Batch) -> Tensor:
        """(B, L, H) -> (B, L)."""
        if batch.attention is None:
            raise ValueError("imposed attention needs a split that carries attention")
        return batch.attention


class Output(NamedTuple):
    """What a forward pass gives: logits (B, O), attention (B, L) and states (B, L, H)."""

    logits: Tensor
    attention: Tensor
    states: Tensor


class Classifier(nn.Module):
    """Embedding, encoder, attention, decoder; the context vector is the attention-weighted sum of the states."""

    def __init__(self, architecture: Architecture, words: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, architecture.embedding, padding_idx=0)
        encoder = BiLSTM if architecture.encoder == "bilstm" else Affine
        self.encoder = encoder(architecture.embedding, architecture.hidden)
        width: int = self.encoder.width
        self.attention: nn.Module
        match architecture.attention:
            case "additive":
                self.attention = Additive(width, architecture.attention_hidden)
            case "uniform":
                self.attention = Uniform()
            case "imposed":
                self.attention = Imposed()
        self.decoder = nn.Linear(width, outputs_for(classes))

    def forward(self, batch: Batch) -> Output:
        """Logits, attention over tokens alone, and the states that it weighs."""
        states = self.encoder(self.embedding, batch)
        attention = self.attention(states, batch)
        context = torch.einsum("bl,blh->bh", attention, states)
        return Output(self.decoder(context), attention, states)

    def contributions(self, states: Tensor) -> Tensor:
        """z_t = W h_t: (B, L, H) -> (B, L, O). logits = sum_t attention_t z_t + bias, exactly."""
        return states @ self.decoder.weight.T
