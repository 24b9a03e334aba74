"""The Transformer as a network: padded batches of pieces, as it reads them; texts that are longer than its positions,
in overlapping windows; and the states of words that it ends in.

A window has as many pieces as the classifier reads, and begins half of what slides in it after the one before; the last
one ends where the text ends. What stands before the text and behind it, such as [CLS], [SEP] and a prompt, is in every
window, and so is the first text of a pair. The logits of a text are the mean of those of its windows, and so is its
map, in which a piece counts nothing where a window does not have it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from attention_audit.arrays import Array, Integers
from attention_audit.batching import cut_runs, mark_lengths, pad_slices, pass_texts, sort_into_runs
from attention_audit.errors import AuditError

from .pieces import SPECIAL, Pieces
from .settings import Pool

MIN_WINDOW_SHARE = 0.25
"""Share of a window that must be left for what slides."""
MAX_PADDING = 0.05
"""Share of padding at most in a batch that has a quarter of its pieces, with which a processor is as fast."""
PIECES_AT_ONCE, MAX_PIECES_AT_ONCE = 2048, 1 << 14
"""Padded pieces of a batch: those that a processor reads as fast as more; and of a GPU, with enough memory."""
MEMORY_SHARE = 0.5
"""Share of a GPU's free memory that a batch may take by what is known of a piece."""
_TOKENS = ContextVar[int | None]("tokens", default=None)
_ROOM = ContextVar[tuple[torch.device, float] | None]("room", default=None)


def get_piece_limit() -> int:
    """Return padded pieces at most of the texts that a Transformer reads together without gradients: what was set, or
    what the memory of the GPU has room for that is free now.
    """
    room = _ROOM.get()
    if (tokens := _TOKENS.get()) or room is None:
        return tokens or PIECES_AT_ONCE
    device, piece_bytes = room
    # PyTorch keeps what it freed
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    fitting = MEMORY_SHARE * (torch.cuda.mem_get_info(device)[0] + kept) / piece_bytes
    return int(min(max(fitting, PIECES_AT_ONCE), MAX_PIECES_AT_ONCE))


def fit_batches(device: torch.device, piece_bytes: float) -> None:
    """Fit batches, from now on, to a device, where a piece takes so many bytes."""
    _ROOM.set((device, piece_bytes) if device.type == "cuda" else None)


@contextmanager
def set_piece_limit(tokens: int | None) -> Iterator[None]:
    """Let it be another number in the block; None: as it is."""
    token = _TOKENS.set(tokens or _TOKENS.get())
    try:
        yield
    finally:
        _TOKENS.reset(token)


@dataclass(frozen=True)
class PieceBatch:
    """B texts of at most P pieces, padding last.

    ids, types (B, P), on a device, and words (B, P), as in `pieces.Pieces`; words are `SPECIAL` on padding too. lengths
    (B,): pieces. read, queried, ahead (B,): words of the text, of the query, and of the first text of a pair, that are
    read. All but ids and types is on the CPU, where it is counted without waiting for the device.
    """

    ids: Tensor
    types: Tensor
    words: Tensor
    lengths: Tensor
    read: Tensor
    queried: Tensor
    ahead: Tensor

    def send(self, values: Tensor) -> Tensor:
        """Send values that are on the CPU to the device of the texts, without waiting for it."""
        return values.to(self.ids.device, non_blocking=True)

    @property
    def _filled(self) -> Tensor:
        """Return (B, P), true on pieces, marks included."""
        return mark_lengths(self.lengths, self.ids.shape[1])

    @property
    def mask(self) -> Tensor:
        """Return (B, P), true on pieces, marks included, on the device."""
        return self.send(self._filled)

    @property
    def _outside(self) -> Tensor:
        """Return (B, P), true on marks."""
        return (self.words < 0) & self._filled

    @property
    def marks(self) -> Tensor:
        """Return how many items of each text are marks, (B,): the first piece where it is one, and all other marks as
        one.
        """
        return self._outside[:, 0].long() + self._outside[:, 1:].any(1)

    @property
    def items(self) -> Tensor:
        """Return the item of each piece, (B, P): a word's number, the first mark, then all others; -1 on padding."""
        offset = self._outside[:, :1] & (torch.arange(self.words.shape[1]) > 0)
        return self.words.where(self.words >= 0, self.read[:, None] + offset).where(self._filled, -1)

    @property
    def _place(self) -> Tensor:
        """Return the item of each piece, (B, P); that behind the last one on padding."""
        return self.items.where(self._filled, self.count)

    @property
    def count(self) -> int:
        """Return the most items that a text has."""
        return int((self.read + self.marks).max())

    @property
    def present(self) -> Tensor:
        """Return (B, I), true on items that have a piece."""
        present = torch.zeros(len(self.read), self.count + 1, dtype=torch.bool)
        return present.scatter(1, self._place, True)[:, :-1]

    @property
    def holders(self) -> Tensor:
        """Return the item whose pieces each item is read from, (B, I): itself; or, for a word without a piece, such as
        the second one of "can" and "not" where "cannot" is one piece, the nearest word before it that has some, or else
        the next.
        """
        number, present = torch.arange(self.count), self.present
        before = number.where(present, -1).cummax(1).values
        return before.where(before >= 0, present.int().argmax(1, keepdim=True))

    @property
    def _inside(self) -> Tensor:
        """Return (B, 1, I), true on the items of each text."""
        return mark_lengths(self.read + self.marks, self.count)[:, None]

    def sum_by_item(self, values: Tensor) -> Tensor:
        """Return values of pieces, (B, H, P) or (B, H, P, D), summed over the pieces of each item: (B, H, I) or (B, H,
        I, D); zeros for an item without pieces.
        """
        index = self.send(self._place)[:, None, :, *[None] * (values.ndim - 3)].expand(values.shape)
        sums = values.new_zeros(*values.shape[:2], self.count + 1, *values.shape[3:])
        return sums.scatter_add(2, index, values)[:, :, :-1]

    def weigh_items(self, weights: Tensor) -> Tensor:
        """Return weights of pieces, (B, H, P), as those of items, (B, H, I): items that are read from the same pieces
        have equal parts of their weight. Zeros behind a text's last item.
        """
        sums = self.sum_by_item(weights)
        holders = self.send(self.holders)[:, None].expand(sums.shape)
        inside = self.send(self._inside).to(sums)
        crowd = torch.zeros_like(sums).scatter_add(2, holders, inside.expand(sums.shape))
        return (sums / crowd.clamp(min=1)).gather(2, holders) * inside

    def share_weights(self, weights: Tensor) -> Tensor:
        """Compute the share of each piece in the weight of all pieces of its item, (B, H, P); alike where these have
        none, and 0 on padding.
        """
        mask = self.mask[:, None].to(weights).expand(weights.shape)
        index = self.send(self.items.clamp(min=0))[:, None].expand(weights.shape)
        total, count = (self.sum_by_item(part).gather(2, index) for part in (weights * mask, mask))
        return mask * (weights / total).where(total > 0, 1 / count)

    def weigh_pieces(self, items: Tensor, weights: Tensor) -> Tensor:
        """Return weights of items, (B, H, I), as those of pieces, (B, H, P), in proportion to `weights` within each
        item.
        """
        item_weights = items * self.send(self._inside)
        holders = self.send(self.holders)[:, None].expand(item_weights.shape)
        holder_weights = torch.zeros_like(item_weights).scatter_add(2, holders, item_weights)
        index = self.send(self.items.clamp(min=0))[:, None].expand(weights.shape)
        return self.share_weights(weights) * holder_weights.gather(2, index)

    @property
    def even(self) -> Tensor:
        """Return the same weight on every item of a text, of which the pieces of an item have equal parts: (B, P)."""
        items = self.send(self._inside / (self.read + self.marks)[:, None, None])
        return self.weigh_pieces(items, self.mask[:, None].float())[:, 0]

    def take(self, members: Tensor, positions: Tensor, lengths: Tensor) -> "PieceBatch":
        """Take pieces at `positions`, (R, Q), of the texts at `members`, (R,); of a row the first `lengths`, (R,)."""
        inside = mark_lengths(lengths, positions.shape[1])
        words = self.words[members].gather(1, positions * inside).where(inside, SPECIAL)
        of_device = self.send(members), self.send(positions * inside), self.send(inside)
        ids, types = (part[of_device[0]].gather(1, of_device[1]) * of_device[2] for part in (self.ids, self.types))
        return PieceBatch(
            ids=ids,
            types=types,
            words=words,
            lengths=lengths,
            read=self.read[members],
            queried=self.queried[members],
            ahead=self.ahead[members],
        )

    def select_texts(self, members: Tensor) -> "PieceBatch":
        """Select some of the texts, in any order, without the padding that they do not need: members (R,)."""
        lengths = self.lengths[members]
        positions = torch.arange(int(lengths.max()))
        return self.take(members, positions.expand(len(members), -1), lengths)

    def keep_words(self, mask: Tensor) -> "PieceBatch":
        """Return the texts without some of their words: mask (B, W), true on the words of the texts that stay.

        Marks and queries stay, and the first piece of a text of which nothing else would. The words that stay are
        counted anew.
        """
        positions, mask = torch.arange(mask.shape[1]), mask.cpu()
        words = mask & (positions < self.read[:, None])
        number = words.long().cumsum(1) - 1
        of_text = (self.words >= 0) & (self.words < self.read[:, None])
        word = self.words.clamp(0, mask.shape[1] - 1)
        stays = self._filled & (~of_text | words.gather(1, word))
        stays[:, 0] |= ~stays.any(1)
        remaining = words.sum(1)
        gone = (self.read - remaining)[:, None]
        renamed = torch.where(of_text, number.gather(1, word), self.words - gone * (self.words >= 0))
        ahead = (words & (positions < self.ahead[:, None])).sum(1)
        # a sort that keeps the order of equals moves what is deleted behind what is kept
        order = (~stays).to(torch.uint8).argsort(dim=1, stable=True)
        lengths, members = stays.sum(1), torch.arange(len(stays))
        texts = replace(self, words=renamed, read=remaining, ahead=ahead)
        return texts.take(members, order[:, : int(lengths.max())], lengths)

    def iterate_by_length(self) -> "Iterator[tuple[Tensor, PieceBatch]]":
        """Yield all texts once, shortest first, in batches of at most `get_piece_limit` padded pieces, with their
        positions (n,).
        """
        for run in sort_into_runs(self.lengths.numpy(), get_piece_limit(), MAX_PADDING):
            at = torch.from_numpy(run)
            yield at, self.select_texts(at)
            pass_texts(len(run))


class PieceTable:
    """The pieces of N texts on a device, from which batches are taken when they are needed."""

    def __init__(self, pieces: Pieces, device: torch.device) -> None:
        self.counts = pieces.counts
        self._pieces = torch.as_tensor(np.stack([pieces.ids, pieces.types]), device=device)
        self._words = torch.from_numpy(pieces.words)
        per_text = pieces.starts, pieces.counts, pieces.read, pieces.queried, pieces.ahead
        self._texts = torch.from_numpy(np.stack(per_text))

    def __len__(self) -> int:
        return len(self.counts)

    def batch(self, members: Tensor | Integers) -> PieceBatch:
        """Take the texts at `members` (B,), padded to the longest of them."""
        starts, counts, read_counts, queried, ahead = self._texts[:, torch.as_tensor(members)]
        longest, device = int(counts.max()), self._pieces.device
        bounds = starts.to(device, non_blocking=True), counts.to(device, non_blocking=True)
        ids, types = (pad_slices(flat, *bounds, longest).long() for flat in self._pieces)
        words = pad_slices(self._words, starts, counts, longest).long()
        return PieceBatch(
            ids=ids,
            types=types,
            words=words.where(mark_lengths(counts, longest), SPECIAL),
            lengths=counts,
            read=read_counts,
            queried=queried,
            ahead=ahead,
        )

    def iterate_by_length(
        self, tokens: int | None = None, members: Integers | None = None
    ) -> Iterator[tuple[Integers, PieceBatch]]:
        """Yield all texts once, or those at `members`, shortest first, in batches of at most `tokens` padded pieces,
        with their positions, which among `members` are counted anew.
        """
        chosen = np.arange(len(self)) if members is None else members
        for at in sort_into_runs(self.counts[chosen], tokens or get_piece_limit(), MAX_PADDING):
            yield at, self.batch(chosen[at])
            pass_texts(len(at))


@dataclass(frozen=True)
class Windows:
    """V windows of at most Q pieces, of B texts of at most P, those of a text one after another.

    pieces: the windows as texts, in which a word has the number that it has in its text. text (V,): the text of each.
    place (V, Q): of each piece in its text; both on the CPU. width: P.
    """

    pieces: PieceBatch
    text: Tensor
    place: Tensor
    width: int

    def iterate_parts(self, tokens: int | None = None) -> Iterator[tuple[Tensor, PieceBatch]]:
        """Yield all windows, in their order, in batches of at most `tokens` padded pieces, with their positions."""
        for run in cut_runs(self.pieces.lengths.numpy(), tokens=tokens or get_piece_limit()):
            at = torch.arange(len(self.text))[run]
            yield at, self.pieces.select_texts(at)

    def average_by_text(self, values: Tensor) -> Tensor:
        """Compute means over the windows of each text: (V, ..) -> (B, ..)."""
        text, counts = self.pieces.send(self.text), self.pieces.send(self.text.bincount())
        sums = values.new_zeros(len(counts), *values.shape[1:]).index_add(0, text, values)
        return sums / counts.view(-1, *[1] * (values.ndim - 1))

    def join_scores(self, scores: Tensor) -> Tensor:
        """Scores of the windows' pieces, zeros on padding, as those of the texts' pieces: (V, H, Q) -> (B, H, P)."""
        index = self.pieces.send(self.place)[:, None].expand(scores.shape)
        return self.average_by_text(scores.new_zeros(*scores.shape[:2], self.width).scatter_add(2, index, scores))


def _find_sliding(words: Array, ahead: int) -> tuple[int, int]:
    """Find where what slides begins and ends in the pieces of a text, of which these are the words."""
    slides = np.flatnonzero(words >= ahead)
    return (int(slides[0]), int(slides[-1]) + 1) if len(slides) else (0, 0)


def cut_windows(pieces: PieceBatch, size: int) -> Windows:
    """Cut B texts into windows of at most `size` pieces. A text that is no longer is its one window."""
    texts, rows = [], []
    numbers = pieces.ahead.tolist(), pieces.lengths.tolist()
    for text, (words, ahead, count) in enumerate(zip(pieces.words.numpy(), *numbers, strict=True)):
        begin, end = _find_sliding(words, ahead)
        room = end - begin - max(0, count - size)
        for start in (*range(begin, end - room, max(1, room // 2)), end - room):
            texts.append(text)
            rows.append(torch.tensor([*range(begin), *range(start, start + room), *range(end, count)]))
    text_of, lengths = torch.tensor(texts), torch.tensor([*map(len, rows)])
    positions = pad_sequence(rows, batch_first=True)
    return Windows(pieces.take(text_of, positions, lengths), text_of, positions, pieces.ids.shape[1])


def refuse_narrow(names: Sequence[str], pieces: Pieces, size: int) -> None:
    """Raise AuditError where less than `MIN_WINDOW_SHARE` of the windows of a long text would slide.

    names: of the texts.
    """
    starts = pieces.starts
    for at in np.flatnonzero(pieces.counts > size).tolist():
        span = slice(starts[at], starts[at] + pieces.counts[at])
        begin, end = _find_sliding(pieces.words[span], pieces.ahead[at])
        if size - pieces.counts[at] + end - begin < MIN_WINDOW_SHARE * size:
            raise AuditError(
                f"text {names[at]!r}",
                f"what stands in each of its windows of {size} pieces, which are the first text of a pair or "
                f"the prompt, leaves less than {100 * MIN_WINDOW_SHARE:.0f} % of them",
                "set `long: cut`, or leave it out",
            )


class EncodedWords(NamedTuple):
    """States of the words of B texts, (B, L, H), zeros after the last word that is read; summaries of their queries,
    (B, H), which are the means of the states of the queries' words, zeros where there is no query.
    """

    states: Tensor
    summary: Tensor


def pool_words(states: Tensor, pieces: PieceBatch, pool: Pool) -> Tensor:
    """Return the states of the pieces (B, P, H) as states of the words of text and query together, (B, W, H), which
    have no meaning behind the last word.
    """
    longest = int((pieces.read + pieces.queried).max())
    # (B, W, P), true where a piece is of a word
    members = pieces.send(pieces.words[:, None, :] == torch.arange(longest)[:, None])
    if pool == "sum":
        return members.to(states.dtype) @ states
    first_piece = members.to(torch.uint8).argmax(-1)
    return states.gather(1, first_piece[..., None].expand(-1, -1, states.shape[-1]))


def prepare_inputs(model: Any, pieces: PieceBatch, vectors: Tensor | None = None) -> dict[str, Tensor]:
    """Return what a model of the library is called with. vectors (B, P, E): in the place of those that the pieces have
    below position and segment.
    """
    inputs = {"input_ids": pieces.ids} if vectors is None else {"inputs_embeds": vectors}
    if getattr(model.config, "type_vocab_size", 1) > 1:
        inputs["token_type_ids"] = pieces.types
    return inputs | {"attention_mask": pieces.mask.long()}


class WordStates(nn.Module):
    """A Transformer that reads pieces, and the states of words that it ends in."""

    def __init__(self, backbone: Any, layer: int | None, pool: Pool) -> None:
        super().__init__()
        self.backbone, self.layer, self.pool = backbone, layer, pool
        self.width: int = backbone.config.hidden_size

    def look_up_vectors(self, pieces: PieceBatch) -> Tensor:
        """Look up the vectors of the pieces before position and segment are added, (B, P, E)."""
        return self.backbone.get_input_embeddings()(pieces.ids)

    def forward(self, pieces: PieceBatch, vectors: Tensor | None = None) -> EncodedWords:
        """Return the states of the words of each text, and the summaries of the queries.

        vectors (B, P, E): in the place of the pieces' own.
        """
        inputs = prepare_inputs(self.backbone, pieces, vectors)
        output = self.backbone(**inputs, output_hidden_states=self.layer is not None, return_dict=True)
        # some models normalise after their last layer, and say so in the last state only
        last = self.layer is None or self.layer == len(output.hidden_states) - 1
        words = pool_words(output.last_hidden_state if last else output.hidden_states[self.layer], pieces, self.pool)
        in_text, in_pair = (
            pieces.send(mark_lengths(count, words.shape[1])) for count in (pieces.read, pieces.read + pieces.queried)
        )
        summary = (words * (in_pair & ~in_text)[..., None]).sum(1)
        summary = summary / pieces.send(pieces.queried.clamp(min=1))[:, None]
        longest = int(pieces.read.max())
        return EncodedWords(words[:, :longest] * in_text[:, :longest, None], summary)
