"""Texts that are longer than a classifier's positions, in overlapping windows.

A window has as many pieces as the classifier reads, and begins half of what slides in it after the one before; the last
one ends where the text ends. What stands before the text and behind it, such as [CLS], [SEP] and a prompt, is in every
window, and so is the first text of a pair. The logits of a text are the mean of those of its windows, and so is its
map, in which a piece counts nothing where a window does not have it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention_audit.arrays import Array
from attention_audit.batching import runs
from attention_audit.errors import AuditError

from .pieces import Pieces
from .states import PieceBatch, together

LEAST = 0.25
"""Share of a window that must be left for what slides."""


@dataclass(frozen=True)
class Windows:
    """V windows of at most Q pieces, of B texts of at most P, those of a text one after another.

    pieces: the windows as texts, in which a word has the number that it has in its text. text (V,): the text of each.
    place (V, Q): of each piece in its text. width: P.
    """

    pieces: PieceBatch
    text: Tensor
    place: Tensor
    width: int

    def parts(self, tokens: int | None = None) -> Iterator[tuple[Tensor, PieceBatch]]:
        """All windows, in their order, in batches of at most `tokens` padded pieces, with their positions."""
        for run in runs(self.pieces.lengths.cpu().numpy(), tokens=tokens or together()):
            at = torch.arange(len(self.text), device=self.text.device)[run]
            yield at, self.pieces.rows(at)

    def of_text(self, values: Tensor) -> Tensor:
        """Means over the windows of each text: (V, ..) -> (B, ..)."""
        counts = self.text.bincount().view(-1, *[1] * (values.ndim - 1))
        return values.new_zeros(len(counts), *values.shape[1:]).index_add(0, self.text, values) / counts

    def joined(self, scores: Tensor) -> Tensor:
        """Scores of the windows' pieces, zeros on padding, as those of the texts' pieces: (V, H, Q) -> (B, H, P)."""
        places = self.place[:, None].expand(scores.shape)
        return self.of_text(scores.new_zeros(*scores.shape[:2], self.width).scatter_add(2, places, scores))


def _find_sliding(words: Array, ahead: int) -> tuple[int, int]:
    """Find where what slides begins and ends in the pieces of a text, of which these are the words."""
    slides = np.flatnonzero(words >= ahead)
    return (int(slides[0]), int(slides[-1]) + 1) if len(slides) else (0, 0)


def windows_of(pieces: PieceBatch, size: int) -> Windows:
    """Cut B texts into windows of at most `size` pieces. A text that is no longer is its one window."""
    texts, places, device = [], [], pieces.ids.device
    numbers = pieces.ahead.tolist(), pieces.lengths.tolist()
    for text, (words, ahead, count) in enumerate(zip(pieces.words.cpu().numpy(), *numbers, strict=True)):
        begin, end = _find_sliding(words, ahead)
        room = end - begin - max(0, count - size)
        for start in (*range(begin, end - room, max(1, room // 2)), end - room):
            texts.append(text)
            places.append(torch.tensor([*range(begin), *range(start, start + room), *range(end, count)]))
    text_of, lengths = (torch.tensor(each, device=device) for each in (texts, [*map(len, places)]))
    place = pad_sequence(places, batch_first=True).to(device)
    return Windows(pieces.take(text_of, place, lengths), text_of, place, pieces.ids.shape[1])


def refuse_narrow(names: Sequence[str], pieces: Pieces, size: int) -> None:
    """Raise AuditError where less than `LEAST` of the windows of a long text would slide. names: of the texts."""
    starts = pieces.starts
    for at in np.flatnonzero(pieces.counts > size).tolist():
        own = slice(starts[at], starts[at] + pieces.counts[at])
        begin, end = _find_sliding(pieces.words[own], pieces.ahead[at])
        if size - pieces.counts[at] + end - begin < LEAST * size:
            raise AuditError(
                f"text {names[at]!r}: what stands in each of its windows of {size} pieces, which are the first text of "
                f"a pair or the prompt, leaves less than {100 * LEAST:.0f} % of them; raise max_length, or leave it out"
            )
