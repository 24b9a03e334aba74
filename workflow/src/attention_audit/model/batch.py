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


def _padded(flat: Tensor, start: Tensor, length: Tensor, longest: int) -> Tensor:
    """Runs of a flat tensor that begin at start (B,) and have length (B,), as rows with zeros behind, (B, longest)."""
    offset = torch.arange(longest, device=flat.device)
    where = (start[:, None] + offset).clamp(max=len(flat) - 1)
    return flat[where] * (offset < length[:, None])


class Split:
    """One split of a corpus on the device, as flat arrays; batches are gathered from it, never stored."""

    def __init__(
        self,
        ids: npt.ArrayLike,
        lengths: npt.ArrayLike,
        labels: npt.ArrayLike,
        device: torch.device,
        attention: Sequence[npt.ArrayLike] | None = None,
        probabilities: npt.ArrayLike | None = None,
    ) -> None:
        """N texts, one after another in `ids`: rows of the embedding, each text between both marks.

        lengths (N,) in tokens, without marks; labels (N,); `attention` has one weight for each token.
        """
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self.device = device
        self._lengths = torch.from_numpy(self.lengths).to(device)
        self._start = self._lengths.cumsum(0) - self._lengths
        self._ids = torch.from_numpy(np.asarray(ids, dtype=np.int32)).to(device)
        self._labels = torch.from_numpy(np.asarray(labels, dtype=np.int64)).to(device)
        self._attention = None
        if attention is not None:
            flat = np.concatenate([np.asarray(weights, dtype=np.float32) for weights in attention])
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
        longest = int(self.lengths[members].max())
        lengths, start = self._lengths[rows], self._start[rows]
        return Batch(
            ids=_padded(self._ids, start + 2 * rows, lengths + 2, longest + 2).long(),
            lengths=lengths,
            labels=self._labels[rows],
            attention=None if self._attention is None else _padded(self._attention, start, lengths, longest),
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
