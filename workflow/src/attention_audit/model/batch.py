"""Padded batches of texts, and the split that they are taken from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import embedding as lookup

from attention_audit.arrays import Array, Flags, Integers
from attention_audit.batching import find_starts, mark_lengths, pad_slices, sort_into_runs
from attention_audit.transformer.states import PieceBatch, PieceTable, get_piece_limit

PartT = TypeVar("PartT")
SHORT_SENTENCE_WORDS = 8
"""Sentences of up to this many words are padded together; a longer one only with sentences less than twice as long."""


@dataclass(frozen=True)
class Sentences:
    """n sentences of similar length, without marks: words (n, W), padding last; lengths (n,)."""

    words: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """Return (n, W), true on words."""
        return mark_lengths(self.lengths, self.words.shape[1])


class Documents(NamedTuple):
    """The B texts of a batch as sentences: counts (B,) sentences each, at most S.

    groups: all sentences, in groups of similar length. places (B, S): the positions of a text's sentences, in order, in
    the concatenation of all groups; 0 after the last sentence.
    """

    groups: list[Sentences]
    places: Tensor
    counts: Tensor


@dataclass(frozen=True)
class MarkedBatch:
    """B texts of at most L tokens, each between a start mark and an end mark, padding last.

    ids (B, L + 2); lengths (B,) in tokens, without marks.
    """

    ids: Tensor
    lengths: Tensor

    @property
    def words(self) -> Tensor:
        """Return (B, L), the ids after the start mark; shorter texts are followed by their end mark and padding."""
        return self.ids[:, 1:-1]


@dataclass(frozen=True)
class Batch(MarkedBatch):
    """B texts with their labels (B,), and with whatever else a model needs.

    The items that a model attends to are the tokens, or the sentences where the split has them in `documents`; I is the
    largest number of items. attention (B, I) and probabilities (B, C) come from another model, where the split carries
    them; the attention of a Transformer classifier is over its marks too. impermissible (B, I): true on items that
    attention is to keep away from, where the split carries them. query: the second texts of pairs. candidates (B, K):
    the classes that may answer each text, padded with -1; a row of only -1 means that every class may. None means that
    every class may answer every text.

    For a Transformer: pieces, the texts and queries as it reads them; vectors (B, P, E), in the place of those that it
    has of the pieces; or, where they are known already, states (B, L, H) of the tokens and summary (B, H) of the
    queries.
    """

    labels: Tensor
    attention: Tensor | None = None
    probabilities: Tensor | None = None
    impermissible: Tensor | None = None
    documents: Documents | None = None
    query: MarkedBatch | None = None
    candidates: Tensor | None = None
    pieces: PieceBatch | None = None
    vectors: Tensor | None = None
    states: Tensor | None = None
    summary: Tensor | None = None

    @property
    def items(self) -> Tensor:
        """Return the number of items of each text, (B,)."""
        return self.lengths if self.documents is None else self.documents.counts

    @property
    def mask(self) -> Tensor:
        """Return (B, I), true on items: a model cannot attend to marks and padding."""
        return mark_lengths(self.items, (self.words if self.documents is None else self.documents.places).shape[1])


def require_part(part: PartT | None, name: str) -> PartT:
    """Return what a batch carries. Raises ValueError, by this name, where its split has none."""
    if part is None:
        raise ValueError(f"the model needs a split that carries {name}")
    return part


class RaggedLists(NamedTuple):
    """N lists of numbers, one after another in `flat`: counts (N,) of them in each."""

    flat: Array
    counts: Integers

    @property
    def owners(self) -> Integers:
        """Return the list that each number is in."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def places(self) -> Integers:
        """Return the place of each number in its list."""
        return np.arange(len(self.flat)) - find_starts(self.counts)[self.owners]

    def select(self, mask: Flags) -> "RaggedLists":
        """Return the lists with some of their numbers: `mask` says of each whether it stays."""
        return RaggedLists(self.flat[mask], np.bincount(self.owners[mask], minlength=len(self.counts)))


class _Slices:
    """N slices of a flat tensor on a device, of `counts` numbers each, one after another or where they begin."""

    def __init__(self, flat: Tensor, counts: Integers, starts: Integers | None = None) -> None:
        self.flat, self.counts = flat, counts
        bounds = np.stack([find_starts(counts) if starts is None else starts, counts])
        self._bounds = torch.as_tensor(bounds, device=flat.device)

    def pad_rows(self, members: Integers, min_width: int = 0) -> tuple[Tensor, Tensor]:
        """Pad the slices at `members` with zeros to rows, at least `min_width` wide; give these, and the counts."""
        starts, counts = self._bounds[:, torch.as_tensor(members, device=self.flat.device)]
        return pad_slices(self.flat, starts, counts, max(min_width, int(self.counts[members].max()))), counts

    def take(self, members: Integers) -> Tensor:
        """Take the slices at `members` as rows padded with zeros."""
        return self.pad_rows(members)[0]

    def take_marked(self, members: Integers) -> MarkedBatch:
        """Take texts between marks, padded as if the longest had at least one token."""
        ids, counts = self.pad_rows(members, min_width=3)
        return MarkedBatch(ids.long(), counts - 2)

    def take_classes(self, members: Integers) -> Tensor:
        """Take rows of classes, padded with -1, of which there is at least one."""
        classes, counts = self.pad_rows(members, min_width=1)
        return classes.long().where(mark_lengths(counts, classes.shape[1]), -1)


class _SentenceTable:
    """The sentences of a split, text after text, in the flat ids of its texts.

    For each text, (N,): counts, its number of sentences; longest, the tokens of its longest sentence.
    """

    def __init__(self, sentences: RaggedLists, texts: _Slices) -> None:
        self.counts, words = sentences.counts, texts.counts - 2
        self._first = find_starts(self.counts)
        tokens = sentences.flat + np.repeat(find_starts(words), self.counts)
        lengths = np.diff(tokens, append=words.sum())
        # before a sentence lie both marks of every earlier text, and the start mark of its own
        starts = tokens + np.repeat(2 * np.arange(len(words)) + 1, self.counts)
        self._sentences = _Slices(texts.flat, lengths, starts)
        self.longest = np.maximum.reduceat(lengths, self._first)

    def take_documents(self, members: Integers) -> Documents:
        """Take the sentences of the texts at `members`."""
        counts = self.counts[members]
        numbers = np.arange(counts.sum()) + np.repeat(self._first[members] - find_starts(counts), counts)
        octaves = np.ceil(np.log2(np.maximum(self._sentences.counts[numbers], SHORT_SENTENCE_WORDS)))
        order = np.argsort(octaves, kind="stable")
        groups = np.split(numbers[order], np.flatnonzero(np.diff(octaves[order])) + 1)
        rows = map(self._sentences.pad_rows, groups)
        positions = torch.from_numpy(np.argsort(order)).to(self._sentences.flat.device)
        padded, sizes = _Slices(positions, counts).pad_rows(np.arange(len(members)))
        return Documents([Sentences(words.long(), lengths) for words, lengths in rows], padded, sizes)


@dataclass(frozen=True)
class GivenStates:
    """The states of the tokens of N texts, which a Transformer made, one after another in `flat` (T, H).

    starts, read (N,): the place of each text's first state, and its tokens that have one. summarised: whether the state
    behind those of a text is the summary of its query. `flat` may be of half precision and lie in a file; batches are
    float32, on the device.
    """

    flat: Tensor
    starts: Integers
    read: Integers
    summarised: bool

    def take_states(self, members: Integers, device: torch.device) -> Tensor:
        """Take the states of the tokens of the texts at `members`, (B, L, H)."""
        counts = self.read[members, None]
        # a text's last state stands behind it too, where states have no meaning
        positions = self.starts[members, None] + np.minimum(np.arange(counts.max()), counts - 1)
        return lookup(torch.from_numpy(positions), self.flat).to(device, torch.float32)

    def take_summaries(self, members: Integers, device: torch.device) -> Tensor:
        """Take the summaries of the queries of the texts at `members`, (B, H)."""
        return lookup(torch.from_numpy((self.starts + self.read)[members]), self.flat).to(device, torch.float32)


class Split:
    """One split of a corpus on the device, as flat arrays, from which batches are taken when they are needed.

    Of each text, (N,): labels, the gold labels; lengths, its tokens; items, what a model attends to; widths, the tokens
    that are encoded at once: its own, or those of its longest sentence; sizes, how long it is for its encoder: its
    pieces where a Transformer reads them, else its tokens.
    """

    def __init__(
        self,
        ids: npt.ArrayLike,
        lengths: npt.ArrayLike,
        labels: npt.ArrayLike,
        device: torch.device,
        attention: Sequence[npt.ArrayLike] | None = None,
        probabilities: npt.ArrayLike | None = None,
        sentences: RaggedLists | None = None,
        queries: RaggedLists | None = None,
        candidates: RaggedLists | None = None,
        impermissible: npt.ArrayLike | None = None,
        pieces: PieceTable | None = None,
        states: GivenStates | None = None,
        marks: int = 0,
    ) -> None:
        """N texts, one after another in `ids`, which are rows of the embedding; each text lies between both marks.

        lengths (N,) in tokens, without marks; labels (N,). sentences: the position of each sentence's first word in its
        text. The items of a text are its tokens or, with `sentences`, its sentences; `attention` has one weight for
        each item, and `impermissible` a truth value, text after text. Of pairs: queries, as `ids`, each between both
        marks; candidates, the classes that may answer each text, none where every class may.

        For a Transformer: the `pieces` of the texts, or its `states`, where they are given. marks: how many items of a
        map follow the tokens of a text, which are marks of a tokenizer.
        """

        def place(flat: npt.ArrayLike, counts: npt.ArrayLike, kind: npt.DTypeLike = np.int32) -> _Slices:
            return _Slices(torch.as_tensor(np.asarray(flat, kind), device=device), np.asarray(counts, np.int64))

        def take_rows(values: Array) -> Callable[[Integers], Tensor]:
            return lambda members: torch.as_tensor(values[members], device=device)

        self._pieces, self.device = pieces, device
        self.labels, self.lengths = np.asarray(labels, np.int64), np.asarray(lengths, np.int64)
        self._texts = place(ids, self.lengths + 2)
        self.items = self.widths = self.sizes = self.lengths
        # what takes each further part of a batch
        carried: dict[str, Callable[[Integers], Any]] = {"labels": take_rows(self.labels)}
        self._carried = carried
        if sentences is not None:
            table = _SentenceTable(sentences, self._texts)
            self.items, self.widths = table.counts, table.longest
            carried["documents"] = table.take_documents
        if pieces is not None:
            self.sizes, carried["pieces"] = pieces.counts, pieces.batch
        if queries is not None:
            carried["query"] = place(queries.flat, queries.counts).take_marked
        if candidates is not None and np.any(candidates.counts):
            carried["candidates"] = place(candidates.flat, candidates.counts).take_classes
        if states is not None:
            carried["states"] = partial(states.take_states, device=device)
        if states is not None and states.summarised:
            carried["summary"] = partial(states.take_summaries, device=device)
        if attention is not None:
            carried["attention"] = place(np.concatenate(attention), self.items + marks, np.float32).take
        if impermissible is not None:
            # marks are permitted
            flat = np.insert(np.asarray(impermissible), np.repeat(self.items.cumsum(), marks), False)
            carried["impermissible"] = place(flat, self.items + marks, np.bool_).take
        if probabilities is not None:
            carried["probabilities"] = take_rows(np.asarray(probabilities, np.float32))

    def __len__(self) -> int:
        return len(self.lengths)

    def scale_tokens(self, tokens: float, passes: int = 1) -> float:
        """Return how many padded tokens are computed together where `tokens` are for small encoders.

        passes: how many times more memory a token takes than without gradients.
        """
        return tokens if self._pieces is None else min(tokens, get_piece_limit() / passes)

    def batch(self, members: Integers) -> Batch:
        """Take the texts at `members`, padded to the longest of them."""
        ids, marked = self._texts.pad_rows(members)
        return Batch(ids.long(), marked - 2, **{name: take(members) for name, take in self._carried.items()})

    def iterate_by_length(self, tokens: int = 16384) -> Iterator[tuple[Integers, Batch]]:
        """Yield all texts once, shortest first, in batches of at most `tokens` padded tokens, with their positions."""
        for members in sort_into_runs(self.sizes + 2, self.scale_tokens(tokens)):
            yield members, self.batch(members)
