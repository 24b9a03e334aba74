"""What is counted in the rows of a user's own file, before anything runs."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import chain, islice
from typing import NamedTuple

from attention_audit.corpus.blocking import masked
from attention_audit.corpus.cleaning import find_markup
from attention_audit.corpus.draft import Ledger
from attention_audit.corpus.source import Files
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.splits import Splits
from attention_audit.corpus.text import SPLITS, Text, reduce_text
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
    alike: bytes
    exact: int
    begins: str
    length: int


@dataclass
class Counts:
    """What is counted in the rows of a data set.

    read: all rows. unlabelled: places of rows without a label. empty: labelled rows without a text. texts: all others,
    which are usable. places: those of texts in which something was found, by what: a text of one word ("single"), a
    number ("numeric"), NUL characters or the like ("unreadable"), its own label ("label"), HTML ("html"), words that
    somebody marked ("annotated"), marks outside of it ("outside"), lists of marks that have not an entry a word
    ("miscounted"). markup: the first HTML. whole: whether all rows were read. unseen: of the impermissible words that
    are named, those that no text has. unmet: labels that `aliases` and `missing` name and no row has.
    """

    read: int = 0
    unlabelled: list[str] = field(default_factory=list)
    empty: int = 0
    texts: list[Usable] = field(default_factory=list)
    places: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    markup: str = ""
    whole: bool = True
    unseen: set[str] = field(default_factory=set)
    unmet: set[str] = field(default_factory=set)

    @property
    def usable(self) -> int:
        """Rows with a text and a label."""
        return len(self.texts)

    @cached_property
    def labels(self) -> Counter[str]:
        """Usable texts by label."""
        return Counter(text.label for text in self.texts)

    @cached_property
    def splits(self) -> dict[str | None, Counter[str]]:
        """Usable texts by split (None: to be drawn) and label."""
        return {
            split: Counter(text.label for text in self.texts if text.split == split)
            for split in {text.split for text in self.texts}
        }

    @property
    def lengths(self) -> list[int]:
        """Characters of each usable text."""
        return [text.length for text in self.texts]

    @cached_property
    def longest(self) -> Usable:
        """The first of the longest texts."""
        return max(self.texts, key=lambda text: text.length)

    @property
    def sample(self) -> list[str]:
        """How some of the texts begin."""
        return [text.begins for text in self.texts[:: max(self.usable // SAMPLE, 1)]]

    def rate(self, tokens: Tokens) -> float:
        """Estimate how many words a character of the usable texts is."""
        return words_a_character((*self.sample,), tokens)

    def add(self, text: Text) -> None:
        """Count a row."""
        self.read += 1
        said, query = (" ".join(str(part or "").split()) for part in (text.text, text.query))
        if text.label is None:
            self.unlabelled.append(text.place)
        elif not said or (text.query is not None and not query):
            self.empty += 1
        else:
            markup, marks = find_markup(said), text.annotations
            self.markup = self.markup or markup
            found = {
                "single": " " not in said,
                "numeric": NUMERIC.fullmatch(said),
                "unreadable": UNREADABLE.search(said),
                "label": said == text.label,
                "html": markup,
                "annotated": marks,
                "outside": marks and marks.outside,
                "miscounted": marks and marks.miscounted,
            }
            for kind, is_there in found.items():
                if is_there:
                    self.places[kind].append(text.place)
            whole = f"{reduce_text(said)}\0{reduce_text(query)}".encode("utf-8", "surrogatepass")
            alike, exact = blake2b(whole, digest_size=8).digest(), hash((said, query))
            kept = Usable(text.place, text.label, text.split, text.group, alike, exact, said[:ENOUGH], len(said))
            self.texts.append(kept)

    def look(self, text: Text, source: TableCorpus) -> None:
        """Split a text into words where impermissible ones are named. Raises AuditError where its mask does not fit."""
        if text.mask is None and not self.unseen:
            return
        words = [*chain(*words_of(text.text, source.tokens))]
        masked(text, len(words))
        self.unseen -= {*words}


def count(name: str, source: TableCorpus, raw: Files) -> Counts:
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
def words_a_character(begins: tuple[str, ...], tokens: Tokens) -> float:
    """Estimate how many words a character of some texts is, from how they begin."""
    return sum(len(words) for text in begins for words in words_of(text, tokens)) / sum(map(len, begins))
