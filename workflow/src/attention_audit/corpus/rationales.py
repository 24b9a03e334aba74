"""Which words people (or a generator) marked as reasons for the label: as a source says it, and on the words of a text.

A source marks stretches of its own text, and a tokenizer makes words of that text. A word is marked where it shares a
character with a marked stretch.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]
"""Where a stretch begins, and where it ends (the first place behind it)."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a source says of one text. Places are characters of a running text, and words of a text that the source has
    split.

    marks: the stretches that each annotator marked, by name; an empty list says that nothing was marked. scores: the
    stretches that have a number, with it; None where the source has no numbers. outside: how many marks lay outside of
    the text, and miscounted: how many lists had another number of entries than the text has words; neither is in
    `marks`. labels: the class that each annotator gave the text, "" for none; None where nobody was asked.
    """

    marks: Mapping[str, Sequence[Span]]
    scores: Sequence[tuple[int, int, float]] | None = None
    labels: Mapping[str, str] | None = None
    outside: int = 0
    miscounted: int = 0


@dataclass(frozen=True, slots=True)
class Rationale:
    """What is marked in one text, on its words.

    marks: the positions (from 0, ascending) of the words that each annotator marked, by name; an empty list says that
    nothing was marked. scores: a number for each word, None where the source has none.
    """

    marks: Mapping[str, Sequence[int]]
    scores: Sequence[float] | None = None

    @property
    def majority(self) -> list[int]:
        """The words that more than half of the annotators marked."""
        return majority(self.marks.values())

    def read(self, words: int) -> "Rationale":
        """The same of the first `words` words, which are all that a Transformer may have read."""
        marks = {name: [at for at in positions if at < words] for name, positions in self.marks.items()}
        return Rationale(marks, None if self.scores is None else self.scores[:words])


class Aligned(NamedTuple):
    """Annotations on words. lost: how many of their marks share no character with any word."""

    rationale: Rationale
    lost: int


def of_words(marks: Mapping[str, Iterable[int]], scores: Sequence[float] | None = None) -> Annotations:
    """The annotations of a text that its source has split, from positions of words and a number for each word."""
    numbers = None if scores is None else [(at, at + 1, score) for at, score in enumerate(scores)]
    return Annotations({name: [(at, at + 1) for at in positions] for name, positions in marks.items()}, numbers)


def word_spans(text: str) -> list[Span]:
    """Where the words of a text stand that white space sets apart."""
    return [word.span() for word in re.finditer(r"\S+", text)]


def majority(marks: Iterable[Iterable[int]]) -> list[int]:
    """The positions that are in more than half of the lists, in ascending order; of two lists, those in both."""
    lists = [set(positions) for positions in marks]
    return sorted(at for at in set().union(*lists) if 2 * sum(at in positions for positions in lists) > len(lists))


def aligned(annotations: Annotations, places: Sequence[Span]) -> Aligned:
    """Annotations on the words that stand at `places` of the source's text, which ascend and do not overlap.

    A word's number is the mean of those of the stretches that it shares a place with, 0 where there is none.
    """
    starts, ends = [start for start, _ in places], [end for _, end in places]

    def under(start: int, end: int) -> range:
        """The words that share a place with a stretch."""
        return range(bisect_right(ends, start), bisect_left(starts, end)) if start < end else range(0)

    lost = 0
    marks: dict[str, list[int]] = {}
    for name, spans in annotations.marks.items():
        marked: set[int] = set()
        for start, end in spans:
            hit = under(start, end)
            marked.update(hit)
            lost += not hit
        marks[name] = sorted(marked)
    if annotations.scores is None:
        return Aligned(Rationale(marks), lost)
    totals, counts = [0.0] * len(places), [0] * len(places)
    for start, end, score in annotations.scores:
        for word in under(start, end):
            totals[word] += score
            counts[word] += 1
    scores = [total / count if count else 0.0 for total, count in zip(totals, counts, strict=True)]
    return Aligned(Rationale(marks, scores), lost)
