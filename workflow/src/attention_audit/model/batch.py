"""A padded batch of texts, and the split it is cut from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """B texts of at most L tokens, each between a start and an end mark, padding last.

    ids (B, L + 2); lengths (B,) in tokens, without marks; labels (B,); attention (B, L) and probabilities (B, C) are
    those of another model, where the split carries them.
    """

    ids: Tensor
    lengths: Tensor
    labels: Tensor
    attention: Tensor | None = None
    probabilities: Tensor | None = None

    @property
    def mask(self) -> Tensor:
        """(B, L), true on tokens: marks and padding can not be attended to."""
        return torch.arange(self.ids.shape[1] - 2, device=self.ids.device) < self.lengths[:, None]


class Split:
    """One split of a corpus on the device, as flat arrays; batches are gathered from it, never stored."""

    def __init__(
        self,
        texts: Sequence[Sequence[int]],
        labels: Sequence[int],
        device: torch.device,
        attention: Sequence[npt.ArrayLike] | None = None,
        probabilities: npt.ArrayLike | None = None,
    ) -> None:
        """`texts` are rows of the embedding with both marks; `attention` has one weight for each token between them."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        self.lengths = lengths - 2
        self.device = device
        self._width = torch.from_numpy(lengths).to(device)
        self._start = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)[:-1]])).to(device)
        self._ids = torch.from_numpy(np.concatenate([np.asarray(text, dtype=np.int64) for text in texts])).to(device)
        self._labels = torch.tensor(labels, device=device)
        self._attention = None
        if attention is not None:
            flat = np.concatenate([np.pad(np.asarray(a, dtype=np.float32), 1) for a in attention])
            self._attention = torch.from_numpy(flat).to(device)
        self._probabilities = None
        if probabilities is not None:
            self._probabilities = torch.from_numpy(np.asarray(probabilities, dtype=np.float32)).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """Gold labels, (N,)."""
        return self._labels.cpu().numpy()

    def batch(self, members: Indices) -> Batch:
        """The texts at `members`, padded to the longest of them."""
        rows = torch.from_numpy(members).to(self.device)
        width = self._width[rows]
        offset = torch.arange(int(self.lengths[members].max()) + 2, device=self.device)
        inside = offset < width[:, None]
        where = (self._start[rows][:, None] + offset).clamp(max=len(self._ids) - 1)
        return Batch(
            ids=self._ids[where] * inside,
            lengths=width - 2,
            labels=self._labels[rows],
            attention=None if self._attention is None else (self._attention[where] * inside)[:, 1:-1],
            probabilities=None if self._probabilities is None else self._probabilities[rows],
        )

    def in_order_of_length(self, tokens: int = 16384) -> Iterator[tuple[Indices, Batch]]:
        """All texts once, shortest first, in batches of at most `tokens` padded tokens, with their positions."""
        order = np.argsort(self.lengths, kind="stable")
        start = 0
        for stop in range(1, len(order) + 1):
            full = stop == len(order) or (stop + 1 - start) * (self.lengths[order[stop]] + 2) > tokens
            if full:
                yield order[start:stop], self.batch(order[start:stop])
                start = stop
