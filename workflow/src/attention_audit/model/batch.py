"""Padded batches of texts, and the split that they are taken from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.arrays import Array, Flags, Integers
from attention_audit.batching import mark_lengths, pad_slices, sort_into_runs
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


def _find_starts(lengths: Integers) -> Integers:
    return lengths.cumsum() - lengths


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
        return np.arange(len(self.flat)) - _find_starts(self.counts)[self.owners]

    def select(self, kept: Flags) -> "RaggedLists":
        """Return the lists with some of their numbers: `kept` says of each whether it stays."""
        return RaggedLists(self.flat[kept], np.bincount(self.owners[kept], minlength=len(self.counts)))


class _Slices:
    """N slices of a flat tensor on a device, of `counts` numbers each, one after another or where they begin."""

    def __init__(self, flat: Tensor, counts: Integers, starts: Integers | None = None) -> None:
        self.flat, self.counts = flat, counts
        bounds = np.stack([_find_starts(counts) if starts is None else starts, counts])
        self._bounds = torch.as_tensor(bounds, device=flat.device)

    def pad_rows(self, members: Integers, least: int = 0) -> tuple[Tensor, Tensor]:
        """Pad the slices at `members` with zeros to rows, at least `least` wide; give these, and the slices' counts."""
        starts, counts = self._bounds[:, torch.as_tensor(members, device=self.flat.device)]
        return pad_slices(self.flat, starts, counts, max(least, int(self.counts[members].max()))), counts


class _SentenceTable:
    """The sentences of a split, text after text, in the flat ids of its texts.

    For each text, (N,): counts, its number of sentences; longest, the tokens of its longest sentence.
    """

    def __init__(self, sentences: RaggedLists, texts: _Slices) -> None:
        self.counts, words = np.asarray(sentences.counts, np.int64), texts.counts - 2
        self._first = _find_starts(self.counts)
        tokens = np.asarray(sentences.flat, np.int64) + np.repeat(_find_starts(words), self.counts)
        lengths = np.diff(tokens, append=words.sum())
        # before a sentence lie both marks of every earlier text, and the start mark of its own
        starts = tokens + np.repeat(2 * np.arange(len(words)) + 1, self.counts)
        self._sentences = _Slices(texts.flat, lengths, starts)
        self.longest = np.maximum.reduceat(lengths, self._first)

    def take_documents(self, members: Integers) -> Documents:
        """Take the sentences of the texts at `members`."""
        counts = self.counts[members]
        numbers = np.arange(counts.sum()) + np.repeat(self._first[members] - _find_starts(counts), counts)
        octaves = np.ceil(np.log2(np.maximum(self._sentences.counts[numbers], SHORT_SENTENCE_WORDS)))
        order = np.argsort(octaves, kind="stable")
        groups = np.split(numbers[order], np.flatnonzero(np.diff(octaves[order])) + 1)
        rows = map(self._sentences.pad_rows, groups)
        places = torch.from_numpy(np.argsort(order)).to(self._sentences.flat.device)
        padded_places = _Slices(places, counts).pad_rows(np.arange(len(members)))
        return Documents([Sentences(words.long(), lengths) for words, lengths in rows], *padded_places)


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

    def batch(self, members: Integers, device: torch.device) -> tuple[Tensor, Tensor | None]:
        """Take states (B, L, H) of the texts at `members`, and summaries of queries (B, H)."""
        starts, counts = (torch.from_numpy(part[members]) for part in (self.starts, self.read))
        longest = int(counts.max())
        # a text's last state stands behind it too, where states have no meaning
        where = starts[:, None] + torch.minimum(torch.arange(longest), counts[:, None] - 1)
        found = self.flat.index_select(0, where.flatten())
        states = found.to(device, torch.float32).view(len(members), longest, -1)
        if not self.summarised:
            return states, None
        return states, self.flat.index_select(0, starts + counts).to(device, torch.float32)


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
        given: GivenStates | None = None,
        marks: int = 0,
    ) -> None:
        """N texts, one after another in `ids`, which are rows of the embedding; each text lies between both marks.

        lengths (N,) in tokens, without marks; labels (N,). sentences: the position of each sentence's first word in its
        text. The items of a text are its tokens or, with `sentences`, its sentences; `attention` has one weight for
        each item, and `impermissible` a truth value, text after text. Of pairs: queries, as `ids`, each between both
        marks; candidates, the classes that may answer each text, none where every class may.

        For a Transformer: the `pieces` of the texts, or its states, where they are `given`. marks: how many items of a
        map follow the tokens of a text, which are marks of a tokenizer.
        """

        def place(flat: npt.ArrayLike, counts: npt.ArrayLike, kind: npt.DTypeLike = np.int32) -> _Slices:
            return _Slices(torch.as_tensor(np.asarray(flat, kind), device=device), np.asarray(counts, np.int64))

        self._pieces, self._given, self.device = pieces, given, device
        self.labels, self.lengths = np.asarray(labels, np.int64), np.asarray(lengths, np.int64)
        self._texts = place(ids, self.lengths + 2)
        self._sentences = None if sentences is None else _SentenceTable(sentences, self._texts)
        self.items = self.widths = self.lengths
        if self._sentences is not None:
            self.items, self.widths = self._sentences.counts, self._sentences.longest
        self.sizes = self.lengths if pieces is None else pieces.counts
        self._queries = None if queries is None else place(*queries)
        self._candidates = None if candidates is None or not np.any(candidates.counts) else place(*candidates)
        self._by_item, self._by_text = {}, {"labels": self.labels}
        if attention is not None:
            self._by_item["attention"] = place(np.concatenate(attention), self.items + marks, np.float32)
        if impermissible is not None:
            # marks are permitted
            flat = np.insert(np.asarray(impermissible), np.repeat(self.items.cumsum(), marks), False)
            self._by_item["impermissible"] = place(flat, self.items + marks, np.bool_)
        if probabilities is not None:
            self._by_text["probabilities"] = np.asarray(probabilities, np.float32)

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
        carried: dict[str, Any] = {name: rows.pad_rows(members)[0] for name, rows in self._by_item.items()}
        for name, values in self._by_text.items():
            carried[name] = torch.as_tensor(values[members], device=self.device)
        if self._sentences is not None:
            carried["documents"] = self._sentences.take_documents(members)
        if self._pieces is not None:
            carried["pieces"] = self._pieces.batch(members)
        if self._queries is not None:
            # padded as if the longest had at least one token
            queries, both = self._queries.pad_rows(members, least=3)
            carried["query"] = MarkedBatch(queries.long(), both - 2)
        if self._candidates is not None:
            classes, counts = self._candidates.pad_rows(members, least=1)
            carried["candidates"] = classes.long().where(mark_lengths(counts, classes.shape[1]), -1)
        if self._given is not None:
            carried["states"], carried["summary"] = self._given.batch(members, self.device)
        return Batch(ids.long(), marked - 2, **carried)

    def iterate_by_length(self, tokens: int = 16384) -> Iterator[tuple[Integers, Batch]]:
        """Yield all texts once, shortest first, in batches of at most `tokens` padded tokens, with their positions."""
        for members in sort_into_runs(self.sizes + 2, self.scale_tokens(tokens)):
            yield members, self.batch(members)
