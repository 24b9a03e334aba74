"""How much each item of a text counts: N texts or sentences, at most I items, states of width H."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attention_audit.model.batch import Batch, Sentences


class Additive(nn.Module):
    """softmax_t v tanh(W h_t + b) over the items of a text (Bahdanau et al. 2015)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.affine = nn.Linear(width, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, states: Tensor, texts: Batch | Sentences) -> Tensor:
        """(N, I, H) -> (N, I)."""
        scores: Tensor = self.score(self.affine(states).tanh()).squeeze(-1)
        return scores.masked_fill(~texts.mask, float("-inf")).softmax(-1)


class Uniform(nn.Module):
    """1 / items on every item (Wiegreffe & Pinter 2019, section 3.2)."""

    def forward(self, states: Tensor, texts: Batch) -> Tensor:
        """(N, I, H) -> (N, I)."""
        return texts.mask / texts.items[:, None]


class Imposed(nn.Module):
    """The weights of another model, brought along by the batch (Wiegreffe & Pinter 2019, section 3.4)."""

    def forward(self, states: Tensor, texts: Batch) -> Tensor:
        """(N, I, H) -> (N, I)."""
        if texts.attention is None:
            raise ValueError("imposed attention needs a split that carries attention")
        return texts.attention


def weigh(attention: Tensor, states: Tensor) -> Tensor:
    """The context vectors sum_t a_t h_t: (N, I), (N, I, H) -> (N, H)."""
    return torch.einsum("bl,blh->bh", attention, states)
