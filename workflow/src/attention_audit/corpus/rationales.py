"""Which words people (or a generator) marked as reasons for the label: as a source says it, and on the words of a text.

A source marks stretches of its own text, and a tokenizer makes words of that text. A word is marked where it shares a
character with a marked stretch.

The cells of a user's table have lists of word positions, of stretches of characters, or of a number a word. A cell is a
list where the format has lists, or a text that says one: as JSON, or as numbers with white space, commas, semicolons or
colons between them.
"""

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any, Literal

from pydantic import Field, field_validator

from attention_audit.errors import AuditError
from attention_audit.section import Section, refuse_duplicates

Span = tuple[int, int]
"""Where a stretch begins, and where it ends (the first place behind it)."""
Scored = tuple[int, int, float]
"""The same, with a number."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a source says of one text. Places are characters of a running text, and words of a text that the source has
    split.

    marks: the stretches that each annotator marked, by name; an empty list says that nothing was marked. scores: the
    stretches that have a number, with it; None where the source has no numbers. outside: how many marks lay outside of
    the text, and miscounted: how many lists had another number of entries than the text has words; neither is in
    `marks`. labels: the class that each annotator of `marks` gave the text, "" for none; None where nobody was asked.
    """

    marks: Mapping[str, Sequence[Span]]
    scores: Sequence[Scored] | None = None
    labels: Sequence[str] | None = None
    outside: int = 0
    miscounted: int = 0


@dataclass(frozen=True, slots=True)
class Rationale:
    """What is marked in one text, on its words.

    marks: the positions (from 0, ascending) of the words that each annotator marked, by name; an empty list says that
    nothing was marked. scores: a number for each word, None where the source has none. lost: how many marks share no
    character with any word.
    """

    marks: Mapping[str, Sequence[int]]
    scores: Sequence[float] | None = None
    lost: int = 0

    @property
    def majority(self) -> list[int]:
        """Return the words that more than half of the annotators marked, ascending; of two annotators, both."""
        counts = Counter(chain.from_iterable(map(set, self.marks.values())))
        return sorted(at for at, count in counts.items() if 2 * count > len(self.marks))


def mark_words(annotator: str, positions: Iterable[int]) -> Annotations:
    """Annotate a text that its source has split, by positions of words."""
    return Annotations({annotator: [(at, at + 1) for at in positions]})


def mark_scores(annotator: str, scores: Sequence[Scored], threshold: float) -> Annotations:
    """Annotate a text by stretches with a number, of which those from a threshold on are marked."""
    return Annotations({annotator: [(start, end) for start, end, score in scores if score >= threshold]}, scores)


def find_word_spans(text: str) -> list[Span]:
    """Find where the words of a text stand that white space sets apart."""
    return [word.span() for word in re.finditer(r"\S+", text)]


def align(annotations: Annotations, word_spans: Sequence[Span]) -> Rationale:
    """Lay annotations on the words that stand at `word_spans` of the source's text, which ascend and do not overlap.

    A word's number is the mean of those of the stretches that it shares a place with, 0 where there is none.
    """
    starts, ends = [start for start, _ in word_spans], [end for _, end in word_spans]

    def find_hits(start: int, end: int) -> range:
        """Find the words that share a place with a stretch."""
        return range(bisect_right(ends, start), bisect_left(starts, end)) if start < end else range(0)

    hits = {name: [find_hits(*span) for span in spans] for name, spans in annotations.marks.items()}
    marks = {name: sorted({*chain(*words)}) for name, words in hits.items()}
    lost = sum(not words for words in chain(*hits.values()))
    if annotations.scores is None:
        return Rationale(marks, lost=lost)
    scores: list[list[float]] = [[] for _ in word_spans]
    for start, end, score in annotations.scores:
        for word in find_hits(start, end):
            scores[word].append(score)
    return Rationale(marks, [sum(each) / len(each) if each else 0.0 for each in scores], lost)


EvidenceFormat = Literal["words", "characters", "flags", "scores"]
CELL_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
CELL_NUMBERS = rf"\s*(?:{CELL_NUMBER}(?:[\s,;:]+{CELL_NUMBER})*)?\s*"
PLAIN = re.compile(rf"{CELL_NUMBERS}|\s*\[{CELL_NUMBERS}\]\s*|\s*\({CELL_NUMBERS}\)\s*")
"""Numbers that are no JSON, such as those of an array that was printed."""
FORMS: Mapping[EvidenceFormat, str] = {
    "words": "a list of word positions, such as [0, 3]",
    "characters": "a list of stretches, first character and the one behind the last, such as [[0, 4], [9, 12]]",
    "flags": "a 0 or 1 for each word, such as [0, 1, 1]",
    "scores": "a number for each word, such as [0, 0.5, 1]",
}
STRETCH_FIELDS = ("start", "end")
"""The fields of a stretch that is an object."""


class Evidence(Section):
    """Which columns of a table say what people marked, and how it is written."""

    columns: str | list[str]
    """Column of marks, or several, one an annotator, who is called as the column. A cell may also be an object that has
    each annotator's marks by name. An empty cell: this annotator did not see the text.
    """
    written: EvidenceFormat = "words"
    """words: positions, from 0, of the words that white space sets apart. characters: stretches, the first character
    from 0 and the one behind the last. flags: 0 or 1 for each such word. scores: a number for each such word, whose
    mean over the columns is kept.
    """
    marked_from: float = Field(0.5, allow_inf_nan=False)
    """With scores: words with this number or more count as marked."""

    @field_validator("columns")
    @classmethod
    def _check_names(cls, columns: str | list[str]) -> str | list[str]:
        names = [columns] if isinstance(columns, str) else columns
        if not names:
            raise ValueError("names no column; name one, or leave `evidence` out")
        refuse_duplicates("column", names)
        return columns

    @property
    def names(self) -> list[str]:
        """Return the columns."""
        return [self.columns] if isinstance(self.columns, str) else self.columns


def parse_cell(cell: Any) -> Any:
    """Parse what a cell says where it is a text: a list or an object, None where it is empty.

    Raises ValueError where it is neither.
    """
    if not isinstance(cell, str):
        return None if isinstance(cell, float) and math.isnan(cell) else cell
    if not cell.strip():
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        if not PLAIN.fullmatch(cell):
            raise ValueError("not a list") from None
        return [float(number) if {*number} & {*".eE"} else int(number) for number in re.findall(CELL_NUMBER, cell)]


def _read_number(value: Any) -> float:
    if not isinstance(value, bool | int | float) or not math.isfinite(value):
        raise ValueError("not a number")
    return float(value)


def _read_whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError("not a whole number")
    return int(value)


def _read_stretches(values: Sequence[Any]) -> list[Span]:
    """Read pairs, objects with start and end, or bounds one after another, as stretches."""
    if not any(isinstance(value, Mapping | list | tuple) for value in values):
        values = [*zip(values[::2], values[1::2], strict=True)]
    pairs = ((value[name] for name in STRETCH_FIELDS) if isinstance(value, Mapping) else value for value in values)
    return [(_read_whole(start), _read_whole(end)) for start, end in pairs]


def _read_marks(name: str, text: str, content: Any, evidence: Evidence) -> Annotations:
    """Read what one annotator says of a text. Raises ValueError, TypeError or KeyError where it is not so written."""
    values = [content] if isinstance(content, int | float) and not isinstance(content, bool) else content
    if not isinstance(values, list | tuple):
        raise TypeError("not a list")
    words = find_word_spans(text)
    if evidence.written in ("words", "characters"):
        word_spans = dict(enumerate(words))
        is_words = evidence.written == "words"
        spans = [word_spans.get(_read_whole(at), (0, 0)) for at in values] if is_words else _read_stretches(values)
        inside = [(start, end) for start, end in spans if 0 <= start < end <= len(text)]
        return Annotations({name: inside}, outside=len(spans) - len(inside))
    numbers = [*map(_read_number, values)]
    is_flags = evidence.written == "flags"
    if is_flags and not {*numbers} <= {0.0, 1.0}:
        raise ValueError("neither 0 nor 1")
    if len(numbers) != len(words):
        return Annotations({}, miscounted=1)
    if is_flags:
        return Annotations({name: [*compress(words, numbers)]})
    scores = [(*word, number) for word, number in zip(words, numbers, strict=True)]
    return mark_scores(name, scores, evidence.marked_from)


def read_annotations(location: str, text: str, row: Mapping[str, Any], evidence: Evidence) -> Annotations | None:
    """Read what the cells of a row say of its text; None where all are empty.

    Raises AuditError, naming file, row and column, at a cell that is not written as the configuration says.
    """
    by_annotator: dict[str, Annotations] = {}
    for column in evidence.names:
        cell = row[column]
        try:
            content = parse_cell(cell)
            by_name = content if isinstance(content, Mapping) else {column: content}
            answers = {str(name): marks for name, marks in by_name.items() if marks is not None}
            by_annotator |= {name: _read_marks(name, text, marks, evidence) for name, marks in answers.items()}
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            fault = f"column {column!r} holds {cell!r:.50}, which is not {FORMS[evidence.written]}"
            raise AuditError(location, fault, "mend it, or set `evidence.written`") from error
    annotations = by_annotator.values()
    marks = {name: spans for annotation in annotations for name, spans in annotation.marks.items()}
    scores = [score for annotation in annotations for score in annotation.scores or ()]
    outside = sum(annotation.outside for annotation in annotations)
    miscounted = sum(annotation.miscounted for annotation in annotations)
    return Annotations(marks, scores or None, outside=outside, miscounted=miscounted) if by_annotator else None
