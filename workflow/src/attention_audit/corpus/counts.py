"""What is counted in the rows of a user's own file, before anything runs."""

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from attention_audit.corpus.blocking import masked
from attention_audit.corpus.cleaning import find_markup
from attention_audit.corpus.draft import Ledger
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.splits import Splits
from attention_audit.corpus.text import SPLITS, Text, reduce_text
from attention_audit.corpus.tokens import Tokens, words_of

ROWS = 200_000
"""Rows that are looked at; they take some seconds. Of a longer file, the run finds what lies behind them."""
SAMPLE, ENOUGH = 50, 2000
"""Texts, up to twice as many, and their first characters, from which it is estimated how many words a character is."""
NUMERIC = re.compile(r"[-+]?[\d.,]*\d%?")
UNREADABLE = re.compile(r"[\0\ufffd]")
"""NUL, and what stands for a byte that could not be decoded."""


class Longest(NamedTuple):
    """The longest text: its length in characters, its place, and how it begins."""

    length: int
    place: str
    begins: str

    def words(self, tokens: Tokens) -> float:
        """About how many words it has."""
        return self.length * words_a_character((self.begins,), tokens)


@dataclass
class Counts:
    """What is counted in the rows of a data set.

    read: all rows. unlabelled, empty: rows without a label, and labelled ones without a text; `first_unlabelled` is the
    place of the first. labels: usable texts by label, and `places` of the first ones. splits: usable texts by split
    (None: to be drawn) and label. contrary: texts that repeat an earlier one of another label. own_label: texts that
    are the same as their label. Of each text, by the digest that texts share which are alike but for case, punctuation,
    spaces and invisible characters: how `often` it stands, its `first` label, beginning and hash, and the splits that
    it `stood` in. respelt: texts that repeat an earlier one but for such marks. annotated: texts in which somebody
    marked words; outside and miscounted: places of those with marks outside of them, or with lists that have not an
    entry a word; numeric and unreadable: of those that are a number, or have NUL characters or the like; html: of those
    with HTML, and the first of it. lengths: characters of each usable text. longest: the first of the longest. sample:
    some of them, every `step`th. whole: whether all rows were read. unseen: of the impermissible words that are named,
    those that no text has. unmet: labels that `aliases` and `missing` name and no row has. groups: the names of those
    that usable texts are in; alone: usable texts that are in none.
    """

    read: int = 0
    unlabelled: int = 0
    empty: int = 0
    first_unlabelled: str = ""
    labels: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)
    splits: dict[str | None, Counter[str]] = field(default_factory=dict)
    contrary: int = 0
    respelt: int = 0
    own_label: int = 0
    often: Counter[bytes] = field(default_factory=Counter)
    first: dict[bytes, tuple[str, str, int]] = field(default_factory=dict)
    stood: set[tuple[bytes, str | None]] = field(default_factory=set)
    annotated: int = 0
    outside: list[str] = field(default_factory=list)
    miscounted: list[str] = field(default_factory=list)
    numeric: list[str] = field(default_factory=list)
    html: dict[str, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    lengths: "array[int]" = field(default_factory=lambda: array("L"))
    longest: Longest = field(default_factory=lambda: Longest(0, "", ""))
    sample: list[str] = field(default_factory=list)
    step: int = 1
    whole: bool = True
    unseen: set[str] = field(default_factory=set)
    unmet: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    alone: int = 0

    @property
    def usable(self) -> int:
        """Rows with a text and a label."""
        return self.labels.total()

    @property
    def repeated(self) -> int:
        """Texts that repeat an earlier one."""
        return self.usable - len(self.often)

    @property
    def across(self) -> int:
        """Different texts that stand in several of the file's own splits."""
        return sum(splits > 1 for splits in Counter(digest for digest, _ in self.stood).values())

    def rate(self, tokens: Tokens) -> float:
        """Estimate how many words a character of the usable texts is."""
        return words_a_character((*self.sample,), tokens)

    def add(self, text: Text) -> None:
        """Count a row."""
        self.read += 1
        said, query = (" ".join(str(part or "").split()) for part in (text.text, text.query))
        if text.label is None:
            self.unlabelled += 1
            self.first_unlabelled = self.first_unlabelled or text.place
        elif not said or (text.query is not None and not query):
            self.empty += 1
        else:
            self._measure(said, text.place)
            self.labels[text.label] += 1
            self.places.setdefault(text.label, text.place)
            self.splits.setdefault(text.split, Counter())[text.label] += 1
            self.own_label += said == text.label
            whole = f"{reduce_text(said)}\0{reduce_text(query)}".encode("utf-8", "surrogatepass")
            digest = blake2b(whole, digest_size=8).digest()
            self.often[digest] += 1
            label, _, exact = self.first.setdefault(digest, (text.label, said[:30], hash((said, query))))
            self.contrary += label != text.label
            self.respelt += exact != hash((said, query))
            self.stood.add((digest, text.split))
            if text.group is None:
                self.alone += 1
            else:
                self.groups.add(text.group)
            if text.annotations is not None:
                self.annotated += 1
                self.outside += [text.place] * (text.annotations.outside > 0)
                self.miscounted += [text.place] * (text.annotations.miscounted > 0)

    def _measure(self, said: str, place: str) -> None:
        """Count what characters a usable text has."""
        if len(said) > self.longest.length:
            self.longest = Longest(len(said), place, said[:ENOUGH])
        if len(self.lengths) % self.step == 0:
            self.sample.append(said)
            if len(self.sample) == 2 * SAMPLE:
                self.sample, self.step = self.sample[::2], 2 * self.step
        self.lengths.append(len(said))
        self.numeric += [place] * (NUMERIC.fullmatch(said) is not None)
        if markup := find_markup(said):
            self.html[place] = markup
        self.unreadable += [place] * (UNREADABLE.search(said) is not None)

    def look(self, text: Text, source: TableCorpus) -> None:
        """Split a text into words where impermissible ones are named. Raises AuditError where its mask does not fit."""
        if text.mask is None and not self.unseen:
            return
        words = [*chain(*words_of(text.text, source.tokens))]
        masked(text, len(words))
        self.unseen -= {*words}


def count(name: str, source: TableCorpus, raw: Mapping[str, Path]) -> Counts:
    """The counts over the first ROWS rows. Raises AuditError as the reader does, but not at a missing label."""
    as_written = {"drop_unlabelled": True, "aliases": {}, "missing": None}
    rows: Iterator[Text] = source.model_copy(update=as_written).read(name, raw)
    renamed = {*source.aliases, *(source.missing or ())}
    counts = Counts(unseen={*((source.block and source.block.words) or ())}, unmet=set(renamed))
    for text in islice(Ledger().entered(rows), ROWS):
        counts.unmet.discard(text.label or "")
        counts.add(replace(text, label=source.name_class(text.label)) if text.label in renamed else text)
        counts.look(text, source)
    counts.whole = next(rows, None) is None
    return counts


def draws(counts: Counts, splits: Splits) -> Iterator[tuple[str, int, int]]:
    """Each split that the file lacks: how many texts are drawn for it, and how many are then left to be trained on."""
    left = (counts.splits.get("train", Counter()) + counts.splits.get(None, Counter())).total()
    for split, share in (("test", splits.test), ("dev", splits.dev)):
        if not counts.splits.get(split):
            drawn = math.ceil(share * left)
            left -= drawn
            yield split, drawn, left


def sizes(source: TableCorpus, counts: Counts) -> dict[str, int]:
    """The texts that each split will have, before any filter of their length."""
    there = {split: counts.splits.get(split, Counter()).total() for split in SPLITS}
    loose, splits = counts.splits.get(None, Counter()).total(), source.splits
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
def words_a_character(sample: tuple[str, ...], tokens: Tokens) -> float:
    """Estimate how many words a character of some texts is."""
    begins = [text[:ENOUGH] for text in sample]
    return sum(len(words) for text in begins for words in words_of(text, tokens)) / sum(map(len, begins))
