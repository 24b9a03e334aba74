"""Padded batches of texts, and the split that they are taken from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attention_audit.batching import Indices, padded, runs, within
from attention_audit.transformer.batches import TOKENS, PieceBatch, PieceTable

SHORT = 8
"""Sentences of up to this many words are padded together; a longer one only with sentences less than twice as long."""


@dataclass(frozen=True)
class Sentences:
    """n sentences of similar length, without marks: words (n, W), padding last; lengths (n,)."""

    words: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """(n, W), true on words."""
        return within(self.lengths, self.words.shape[1])


class Documents(NamedTuple):
    """The B texts of a batch as sentences: counts (B,) sentences each, at most S.

    groups: all sentences, in groups of similar length. places (B, S): the positions of a text's sentences, in order, in
    the concatenation of all groups; 0 after the last sentence.
    """

    groups: list[Sentences]
    places: Tensor
    counts: Tensor


@dataclass(frozen=True)
class Marked:
    """B texts of at most L tokens, each between a start mark and an end mark, padding last.

    ids (B, L + 2); lengths (B,) in tokens, without marks.
    """

    ids: Tensor
    lengths: Tensor

    @property
    def words(self) -> Tensor:
        """(B, L), the ids after the start mark; shorter texts are followed by their end mark and padding."""
        return self.ids[:, 1:-1]


@dataclass(frozen=True)
class Batch(Marked):
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
    query: Marked | None = None
    candidates: Tensor | None = None
    pieces: PieceBatch | None = None
    vectors: Tensor | None = None
    states: Tensor | None = None
    summary: Tensor | None = None

    @property
    def items(self) -> Tensor:
        """The number of items of each text, (B,)."""
        return self.lengths if self.documents is None else self.documents.counts

    @property
    def mask(self) -> Tensor:
        """(B, I), true on items: a model cannot attend to marks and padding."""
        return within(self.items, (self.words if self.documents is None else self.documents.places).shape[1])


def _starts(lengths: Indices) -> Indices:
    return lengths.cumsum() - lengths


class Boundaries(NamedTuple):
    """The sentences of N texts, text after text.

    starts: the position of each sentence's first word in its text. counts (N,): the number of sentences of each text.
    """

    starts: npt.ArrayLike
    counts: npt.ArrayLike


class _SentenceTable:
    """The T sentences of a split, text after text: their lengths (T,), and their starts in the split's flat ids (T,).

    For each text, (N,): counts, its number of sentences; first, the number of its first sentence; longest, the tokens
    of its longest sentence.
    """

    def __init__(self, boundaries: Boundaries, texts: Indices) -> None:
        """`texts` (N,): tokens of each text."""
        self.counts = np.asarray(boundaries.counts, dtype=np.int64)
        self.first = _starts(self.counts)
        tokens = np.asarray(boundaries.starts, dtype=np.int64) + np.repeat(_starts(texts), self.counts)
        self.lengths = np.diff(tokens, append=texts.sum())
        # before a sentence lie both marks of every earlier text, and the start mark of its own
        self.starts = tokens + np.repeat(2 * np.arange(len(texts)) + 1, self.counts)
        self.longest = np.maximum.reduceat(self.lengths, self.first)

    def documents(self, members: Indices, ids: Tensor) -> Documents:
        """The sentences of the texts at `members`; `ids` are the split's flat ids."""
        counts = self.counts[members]
        numbers = np.arange(counts.sum()) + np.repeat(self.first[members] - _starts(counts), counts)
        octaves = np.ceil(np.log2(np.maximum(self.lengths[numbers], SHORT)))
        order = np.argsort(octaves, kind="stable")
        cuts = np.flatnonzero(np.diff(octaves[order])) + 1
        groups = [self._group(group, ids) for group in np.split(numbers[order], cuts)]
        places = torch.from_numpy(np.argsort(order)).to(ids.device)
        first, count = (torch.from_numpy(values).to(ids.device) for values in (_starts(counts), counts))
        return Documents(groups, padded(places, first, count, int(counts.max())), count)

    def _group(self, numbers: Indices, ids: Tensor) -> Sentences:
        lengths = self.lengths[numbers]
        start, length = (torch.from_numpy(values).to(ids.device) for values in (self.starts[numbers], lengths))
        return Sentences(padded(ids, start, length, int(lengths.max())).long(), length)


class Pairs(NamedTuple):
    """The queries of N texts, one after another in `ids`, each between both marks, and the candidate answers.

    lengths (N,): of the queries in tokens, without marks. candidates: the classes that may answer each text, text after
    text. counts (N,): the number of candidates of each text, 0 where every class may answer it.
    """

    ids: npt.ArrayLike
    lengths: npt.ArrayLike
    candidates: npt.ArrayLike
    counts: npt.ArrayLike


class _Runs:
    """N runs of a flat array on a device, one after another: lengths (N,)."""

    def __init__(self, flat: npt.ArrayLike, lengths: npt.ArrayLike, device: torch.device) -> None:
        self._flat = torch.from_numpy(np.asarray(flat, dtype=np.int32)).to(device)
        self._lengths = torch.from_numpy(np.asarray(lengths, dtype=np.int64)).to(device)
        self._start = self._lengths.cumsum(0) - self._lengths

    def rows(self, members: Tensor, least: int) -> tuple[Tensor, Tensor]:
        """The runs at `members` as rows padded with zeros, at least `least` wide, and their lengths."""
        lengths = self._lengths[members]
        longest = max(least, int(lengths.max()))
        return padded(self._flat, self._start[members], lengths, longest).long(), lengths


class _PairTable:
    """The queries and candidates of a split."""

    def __init__(self, pairs: Pairs, device: torch.device) -> None:
        marked = np.asarray(pairs.lengths, dtype=np.int64) + 2
        self._queries = _Runs(pairs.ids, marked, device)
        self._candidates = _Runs(pairs.candidates, pairs.counts, device) if np.any(pairs.counts) else None

    def queries(self, members: Tensor) -> Marked:
        """(n,) -> n queries, padded as if the longest had at least one token."""
        ids, lengths = self._queries.rows(members, least=3)
        return Marked(ids, lengths - 2)

    def candidates(self, members: Tensor) -> Tensor | None:
        """(n,) -> (n, K), padded with -1; None where every class may answer every text of the split."""
        if self._candidates is None:
            return None
        classes, counts = self._candidates.rows(members, least=1)
        return classes.where(within(counts, classes.shape[1]), -1)


class GivenStates:
    """The states of the tokens of N texts, which a Transformer made, one after another in `flat` (T, H).

    starts (N,): the place of each text's first state. summarised: whether the state behind those of a text is the
    summary of its query. `flat` may be of half precision and lie in a file; batches are float32, on the device.
    """

    def __init__(self, flat: Tensor, starts: npt.ArrayLike, summarised: bool, device: torch.device) -> None:
        self._flat, self._device = flat, device
        self._starts = torch.from_numpy(np.asarray(starts, dtype=np.int64))
        self._summarised = summarised

    def batch(self, members: Indices, lengths: Indices) -> tuple[Tensor, Tensor | None]:
        """States (B, L, H) of the texts at `members`, of `lengths` (B,) tokens, and summaries of queries (B, H)."""
        starts, counts = self._starts[torch.from_numpy(members)], torch.from_numpy(lengths)
        longest = int(counts.max())
        # a text's last state stands behind it too, where states have no meaning
        where = starts[:, None] + torch.minimum(torch.arange(longest), counts[:, None] - 1)
        found = self._flat.index_select(0, where.flatten())
        states = found.to(self._device, torch.float32).view(len(members), longest, -1)
        if not self._summarised:
            return states, None
        return states, self._flat.index_select(0, starts + counts).to(self._device, torch.float32)


class Split:
    """One split of a corpus on the device, as flat arrays, from which batches are taken when they are needed."""

    def __init__(
        self,
        ids: npt.ArrayLike,
        lengths: npt.ArrayLike,
        labels: npt.ArrayLike,
        device: torch.device,
        attention: Sequence[npt.ArrayLike] | None = None,
        probabilities: npt.ArrayLike | None = None,
        boundaries: Boundaries | None = None,
        pairs: Pairs | None = None,
        impermissible: npt.ArrayLike | None = None,
        pieces: PieceTable | None = None,
        given: GivenStates | None = None,
        marks: int = 0,
    ) -> None:
        """N texts, one after another in `ids`, which are rows of the embedding; each text lies between both marks.

        lengths (N,) in tokens, without marks; labels (N,). The items of a text are its tokens or, with `boundaries`,
        its sentences; `attention` has one weight for each item, and `impermissible` a truth value, text after text.
        For a Transformer: the `pieces` of the texts, or its states, where they are `given`. marks: how many items of
        `attention` follow the tokens of a text, which are marks of a tokenizer.
        """
        self._pieces, self._given, self._marks = pieces, given, marks
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self.device = device
        self._sentences = None if boundaries is None else _SentenceTable(boundaries, self.lengths)
        self._pairs = None if pairs is None else _PairTable(pairs, device)
        self._lengths = torch.from_numpy(self.lengths).to(device)
        self._start = self._lengths.cumsum(0) - self._lengths
        self._ids = torch.from_numpy(np.asarray(ids, dtype=np.int32)).to(device)
        self._labels = torch.from_numpy(np.asarray(labels, dtype=np.int64)).to(device)
        self._attention = None
        if attention is not None:
            flat = np.concatenate([np.asarray(weights, dtype=np.float32) for weights in attention])
            self._attention = torch.from_numpy(flat).to(device)
        self._impermissible = None
        if impermissible is not None:
            self._impermissible = torch.from_numpy(np.asarray(impermissible, dtype=np.bool_)).to(device)
        self._item_start, self._weight_start = (
            torch.from_numpy(_starts(counts)).to(device) for counts in (self.items, self.items + marks)
        )
        self._probabilities = None
        if probabilities is not None:
            self._probabilities = torch.from_numpy(np.asarray(probabilities, dtype=np.float32)).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """Gold labels, (N,)."""
        return self._labels.cpu().numpy()

    @property
    def items(self) -> Indices:
        """The number of items of each text, (N,); items are what a model attends to."""
        return self.lengths if self._sentences is None else self._sentences.counts

    @property
    def widths(self) -> Indices:
        """How many tokens of each text are encoded at once, (N,): the whole text's, or its longest sentence's."""
        return self.lengths if self._sentences is None else self._sentences.longest

    @property
    def sizes(self) -> Indices:
        """How long each text is for its encoder, (N,): its pieces where a Transformer reads them, else its tokens."""
        return self.lengths if self._pieces is None else self._pieces.counts

    def room(self, tokens: float, passes: int = 1) -> float:
        """How many padded tokens are computed together where `tokens` are for small encoders.

        passes: how many times more memory a token takes than without gradients.
        """
        return tokens if self._pieces is None else min(tokens, TOKENS / passes)

    def batch(self, members: Indices) -> Batch:
        """The texts at `members`, padded to the longest of them."""
        rows = torch.from_numpy(members).to(self.device)
        longest = int(self.lengths[members].max())
        lengths, start = self._lengths[rows], self._start[rows]
        batch = Batch(
            ids=padded(self._ids, start + 2 * rows, lengths + 2, longest + 2).long(),
            lengths=lengths,
            labels=self._labels[rows],
            probabilities=None if self._probabilities is None else self._probabilities[rows],
            documents=None if self._sentences is None else self._sentences.documents(members, self._ids),
            query=None if self._pairs is None else self._pairs.queries(rows),
            candidates=None if self._pairs is None else self._pairs.candidates(rows),
            pieces=None if self._pieces is None else self._pieces.batch(rows),
        )
        if self._given is not None:
            states, summary = self._given.batch(members, self.lengths[members])
            batch = replace(batch, states=states, summary=summary)
        most = int(self.items[members].max())
        if self._attention is not None:
            counts = batch.items + self._marks
            weights = padded(self._attention, self._weight_start[rows], counts, most + self._marks)
            batch = replace(batch, attention=weights)
        if self._impermissible is not None:
            hidden = padded(self._impermissible, self._item_start[rows], batch.items, most)
            batch = replace(batch, impermissible=hidden)
        return batch

    def in_order_of_length(self, tokens: int = 16384) -> Iterator[tuple[Indices, Batch]]:
        """All texts once, shortest first, in batches of at most `tokens` padded tokens, with their positions."""
        order = np.argsort(self.sizes, kind="stable")
        for run in runs(self.sizes[order] + 2, tokens=self.room(tokens)):
            yield order[run], self.batch(order[run])
