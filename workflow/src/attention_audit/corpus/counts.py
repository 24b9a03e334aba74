"""What is counted in the rows of a user's own file, before anything runs."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_audit.corpus.blocking import masked
from attention_audit.corpus.draft import Ledger, digest
from attention_audit.corpus.source import Files
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.splits import Splits
from attention_audit.corpus.text import SPLITS, find_markup, reduce_text
from attention_audit.corpus.tokens import Tokens, words_of

ROWS = 200_000
"""Rows that are looked at; they take some seconds. Of a longer file, the run finds what lies behind them."""
SAMPLE, ENOUGH = 50, 1000
"""Texts, up to twice as many, and their first characters, from which it is estimated how many words a character is."""
NUMERIC = re.compile(r"[-+]?[\d.,]*\d%?")
UNREADABLE = re.compile(r"[\0\ufffd]")
"""NUL, and what stands for a byte that could not be decoded."""


class Usable(NamedTuple):
    """What is kept of a row with a text and a label.

    alike: a digest that texts share which are alike but for case, punctuation, spaces and invisible characters; exact:
    a hash of the text. begins: its first characters. length: in characters.
    """

    place: str
    label: str
    split: str | None
    group: str | None
    alike: int
    exact: int
    begins: str
    length: int


@dataclass
class Counts:
    """What is counted in the rows of a data set.

    read: all rows. unlabelled: places of rows without a label. empty: labelled rows without a text. usable: all others.
    labels: usable texts by label, and splits: by split (None: to be drawn) and label. places: those of texts in which
    something was found, by what: a text of one word ("single"), a number ("numeric"), NUL characters or the like
    ("unreadable"), its own label ("label"), HTML ("html"), words that somebody marked ("annotated"), marks outside of
    it ("outside"), lists of marks that have not an entry a word ("miscounted"). markup: the first HTML. whole: whether
    all rows were read. unseen: of the impermissible words that are named, those that no text has. unmet: labels that
    `aliases` and `missing` name and no row has.
    """

    unseen: set[str]
    unmet: set[str]
    read: int = 0
    unlabelled: list[str] = field(default_factory=list)
    empty: int = 0
    usable: list[Usable] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    splits: defaultdict[str | None, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    places: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    markup: str = ""
    whole: bool = True

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Characters of each usable text, (N,)."""
        return np.array([text.length for text in self.usable])

    @property
    def longest(self) -> Usable:
        """The first of the longest texts."""
        return max(self.usable, key=lambda text: text.length)

    @property
    def sample(self) -> list[str]:
        """How some of the texts begin."""
        return [text.begins for text in self.usable[:: max(len(self.usable) // SAMPLE, 1)]]

    def rate(self, tokens: Tokens) -> float:
        """Estimate how many words a character of the usable texts is."""
        return words_a_character((*self.sample,), tokens)


def count(name: str, source: TableCorpus, raw: Files) -> Counts:
    """Count the first ROWS rows. They are split into words where impermissible ones are named, by word or in a mask.

    Raises AuditError as the reader does, but not at a missing label; and where a mask does not fit its text.
    """
    as_written = {"drop_unlabelled": True, "aliases": {}, "missing": None}
    rows = source.model_copy(update=as_written).read(name, raw)
    renamed = {*source.aliases, *(source.missing or ())}
    counts = Counts({*((source.block and source.block.words) or ())}, {*renamed})
    for text in islice(Ledger().entered(rows), ROWS):
        counts.read += 1
        counts.unmet.discard(text.label or "")
        label = source.name_class(text.label) if text.label in renamed else text.label
        said, query = (" ".join(str(part or "").split()) for part in (text.text, text.query))
        if text.mask is not None or counts.unseen:
            words = [*chain(*words_of(text.text, source.tokens))]
            masked(text, len(words))
            counts.unseen -= {*words}
        if label is None:
            counts.unlabelled.append(text.place)
            continue
        if not said or (text.query is not None and not query):
            counts.empty += 1
            continue
        markup, marks = find_markup(said), text.annotations
        counts.markup = counts.markup or markup
        found = {
            "single": " " not in said,
            "numeric": NUMERIC.fullmatch(said),
            "unreadable": UNREADABLE.search(said),
            "label": said == label,
            "html": markup,
            "annotated": marks,
            "outside": marks and marks.outside,
            "miscounted": marks and marks.miscounted,
        }
        for kind in filter(found.get, found):
            counts.places[kind].append(text.place)
        counts.labels[label] += 1
        counts.splits[text.split][label] += 1
        alike, exact = digest(map(reduce_text, (said, query)), None), hash((said, query))
        kept = Usable(text.place, label, text.split, text.group, alike, exact, said[:ENOUGH], len(said))
        counts.usable.append(kept)
    counts.whole = next(rows, None) is None
    return counts


def draws(counts: Counts, splits: Splits) -> Iterator[tuple[str, int, int]]:
    """Each split that the file lacks: how many texts are drawn for it, and how many are then left to be trained on."""
    left = (counts.splits["train"] + counts.splits[None]).total()
    for split, share in (("test", splits.test), ("dev", splits.dev)):
        if not counts.splits[split]:
            drawn = math.ceil(share * left)
            left -= drawn
            yield split, drawn, left


def sizes(source: TableCorpus, counts: Counts) -> dict[str, int]:
    """The texts that each split will have, before any filter of their length."""
    there = {split: counts.splits[split].total() for split in SPLITS}
    loose, splits = counts.splits[None].total(), source.splits
    if source.trained_on is not None:
        return {"test": there["test"] + loose}
    there["train"] += loose
    if splits.test_sample is not None:
        there["test"] -= math.ceil((1 - splits.test_sample) * there["test"])
    for split, drawn, left in draws(counts, splits):
        there |= {"train": left, split: drawn}
    most = splits.most.model_dump() if splits.most else {}
    return {split: min(texts, most.get(split) or texts) for split, texts in there.items()}


@lru_cache(maxsize=8)
def words_a_character(begins: tuple[str, ...], tokens: Tokens) -> float:
    """Estimate how many words a character of some texts is, from how they begin."""
    return sum(len(words) for text in begins for words in words_of(text, tokens)) / sum(map(len, begins))
