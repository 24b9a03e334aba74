"""What is wrong or odd in a user's own file, found before anything runs.

Rows are read as the run will read them, but split into words only where impermissible words are named. What was found
is kept beside the path, the size and the time of each file, so that a file is read once however often a run is planned.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from itertools import chain, islice
from pathlib import Path

from attention_audit.answer.sizes import TEXTS
from attention_audit.artefacts.record import read_record, write_record
from attention_audit.code_hash import code_hash
from attention_audit.corpus.blocking import absent, masked
from attention_audit.corpus.draft import Ledger
from attention_audit.corpus.sources.table import ReadoutCorpus, TableCorpus
from attention_audit.corpus.splits import Splits
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.corpus.tokens import words_of
from attention_audit.errors import AuditError
from attention_audit.given.files import read_given
from attention_audit.given.readouts import check_beside

ROWS = 200_000
"""Rows that are looked at; they take some seconds. Of a longer file, the run finds what lies behind them."""
FEWEST = 4
"""A class has at least so many texts on average, or its labels are hardly classes."""
SAME = 0.01
"""Share of all texts up to which one text may stand again and again."""
OFTEN = 5
"""How often a text may always stand."""
SHOWN = 5
"""Labels that a message names."""


@dataclass
class Counts:
    """What is counted in the rows of a data set.

    read: all rows. unlabelled, empty: rows without a label, and labelled ones without a text; `first_unlabelled` is the
    place of the first. labels: usable texts by label, and `places` of the first ones. splits: usable texts by split
    (None: to be drawn) and label. contrary: texts that repeat an earlier one of another label. own_label: texts that
    are the same as their label. Of each text, by its digest: how `often` it stands, its `first` label and beginning,
    and the splits that it `stood` in. annotated: texts in which somebody marked words; outside and miscounted: places
    of those with marks outside of them, or with lists that have not an entry a word. whole: whether all rows were read.
    unseen: of the impermissible words that are named, those that no text has.
    """

    read: int = 0
    unlabelled: int = 0
    empty: int = 0
    first_unlabelled: str = ""
    labels: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)
    splits: dict[str | None, Counter[str]] = field(default_factory=dict)
    contrary: int = 0
    own_label: int = 0
    often: Counter[bytes] = field(default_factory=Counter)
    first: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    stood: set[tuple[bytes, str | None]] = field(default_factory=set)
    annotated: int = 0
    outside: list[str] = field(default_factory=list)
    miscounted: list[str] = field(default_factory=list)
    whole: bool = True
    unseen: set[str] = field(default_factory=set)

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
            self.labels[text.label] += 1
            self.places.setdefault(text.label, text.place)
            self.splits.setdefault(text.split, Counter())[text.label] += 1
            self.own_label += said == text.label
            whole = f"{said}\0{query}".lower().encode("utf-8", "surrogatepass")
            digest = blake2b(whole, digest_size=8).digest()
            self.often[digest] += 1
            self.contrary += self.first.setdefault(digest, (text.label, said[:30]))[0] != text.label
            self.stood.add((digest, text.split))
            if text.annotations is not None:
                self.annotated += 1
                self.outside += [text.place] * (text.annotations.outside > 0)
                self.miscounted += [text.place] * (text.annotations.miscounted > 0)

    def look(self, text: Text, source: TableCorpus) -> None:
        """Split a text into words where impermissible ones are named. Raises AuditError where its mask does not fit."""
        if text.mask is None and not self.unseen:
            return
        words = [*chain(*words_of(text.text, source.tokens))]
        masked(text, len(words))
        self.unseen -= {*words}


def count(name: str, source: TableCorpus, raw: Mapping[str, Path]) -> Counts:
    """The counts over the first ROWS rows. Raises AuditError as the reader does, but not at a missing label."""
    rows: Iterator[Text] = source.model_copy(update={"drop_unlabelled": True}).read(name, raw)
    counts = Counts(unseen={*((source.block and source.block.words) or ())})
    for text in islice(Ledger().entered(rows), ROWS):
        counts.add(text)
        counts.look(text, source)
    counts.whole = next(rows, None) is None
    return counts


def some(labels: list[str]) -> str:
    """A few labels for a message."""
    more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
    return ", ".join(f"{label!r:.40}" for label in labels[:SHOWN]) + more


def question(source: TableCorpus, counts: Counts) -> str:
    """Whether there are so many classes that the column may hold no labels, as a question with counts; else ""."""
    if len(counts.labels) * FEWEST <= counts.usable:
        return ""
    return f"{len(counts.labels)} classes in {counts.usable} texts: is column {source.label!r} a label? "


def refuse(name: str, source: TableCorpus, counts: Counts) -> None:
    """Raise AuditError where the run could not go on, with counts and the key to set."""
    if counts.unlabelled and not source.drop_unlabelled:
        others = f", nor have {counts.unlabelled - 1} more of {counts.read} rows" if counts.unlabelled > 1 else ""
        raise AuditError(
            f"{counts.first_unlabelled}: no label in column {source.label!r}{others}; give them labels, or leave such "
            "rows out with `drop_unlabelled: true`"
        )
    declared = source.classes
    if declared is not None and (unknown := [label for label in counts.labels if label not in declared]):
        texts = sum(counts.labels[label] for label in unknown)
        raise AuditError(
            f"{counts.places[unknown[0]]}: label {unknown[0]!r:.40} is not among `classes` ({some(declared)}), and "
            f"{texts} texts have such labels: {some(unknown)}; name them there, or leave `classes` out"
        )
    if not counts.whole:
        return
    absent(sorted(counts.unseen), name)
    if not counts.usable:
        raise AuditError(f"{name}: no row has a text in column {source.text!r} and a label; name other columns")
    if source.trained_on is not None:
        return  # nothing is trained on these texts, and which classes there are is not known yet
    for split in SPLITS:
        if (own := counts.splits.get(split)) and len(own) == 1:
            raise AuditError(
                f"{name}: split {split}: every text has label {next(iter(own))!r:.40}; add texts of another one"
            )
    if len(counts.labels) == 1:
        raise AuditError(f"{name}: every text has label {next(iter(counts.labels))!r:.40}; add texts of another one")
    trained = counts.splits.get("train", Counter()) + counts.splits.get(None, Counter())
    if untrained := [label for label in declared or counts.labels if not trained[label]]:
        raise AuditError(
            f"{name}: split train: no text has label {some(untrained)}; add some, or leave these labels out"
        )
    if fault := undrawable(trained, counts, source.splits):
        raise AuditError(f"{name}: {question(source, counts)}{fault}")


def undrawable(trained: Counter[str], counts: Counts, splits: Splits) -> str:
    """Why the splits that the file lacks cannot be drawn from the training texts; "" where they can."""
    if not splits.stratified:
        return ""
    texts, fewest = trained.total(), min(trained.values())
    for split, share in (("test", splits.test), ("dev", splits.dev)):
        if counts.splits.get(split):
            continue
        drawn = math.ceil(share * texts)
        texts -= drawn
        if fewest < 2:
            few = [label for label, number in trained.items() if number < 2]
            return (
                f"{len(few)} of {len(trained)} classes have one text ({some(few)}), which cannot be in several splits; "
                "merge such classes or leave them out, or set `splits.stratified: false`"
            )
        if min(drawn, texts) < len(trained):
            return (
                f"split {split} would have {drawn} texts, and {texts} would be left, for {len(trained)} classes; give "
                "more texts, merge classes, or give the splits yourself in a column `split`"
            )
    return ""


def small(source: TableCorpus, counts: Counts) -> Iterator[str]:
    """That the test texts are too few for words, with the number that is there and the number needed."""
    drawn = math.ceil(source.splits.test * counts.usable)
    most = source.splits.most.test if source.splits.most else None
    texts = min(counts.splits["test"].total() if "test" in counts.splits else drawn, most or counts.usable)
    for least, what in ((TEXTS[0], "a word for any question"), (2 * TEXTS[0], "a word on what to show instead")):
        if texts < least:
            enough = (
                ""
                if "test" in counts.splits or most
                else f", as about {math.ceil(least / source.splits.test):,} rows give"
            )
            yield f"{texts} test texts are too few for {what}: {least} are needed{enough}"
            return


def misfits(source: TableCorpus, counts: Counts) -> Iterator[str]:
    """Marks that do not fit their texts, each kind in a line with its count."""
    if source.evidence is not None and not counts.annotated:
        yield f"no text has marks in column {source.evidence.names[0]!r}"
    if counts.outside:
        yield f"{len(counts.outside)} texts have marks outside of them, which are left out; first: {counts.outside[0]}"
    if counts.miscounted:
        yield (
            f"{len(counts.miscounted)} texts have lists of marks with another number of entries than words, which are "
            f"left out; first: {counts.miscounted[0]}"
        )


def oddities(source: TableCorpus, counts: Counts) -> Iterator[str]:
    """What a user may not have meant, each in a line with its counts."""
    usable = counts.usable
    if counts.unlabelled:
        yield f"{counts.unlabelled} of {counts.read} rows have no label and are left out"
    if counts.empty:
        yield f"{counts.empty} of {counts.read} rows have a label and no text, and are left out"
    if asked := question(source, counts):
        yield asked.strip()
    few = [label for label, number in counts.labels.items() if number < len(SPLITS)]
    if few and counts.whole:
        yield f"{len(few)} of {len(counts.labels)} classes have fewer texts than there are splits: {some(few)}"
    if counts.own_label:
        yield f"{counts.own_label} of {usable} texts are the same as their label"
    if counts.repeated:
        contrary = f", {counts.contrary} of them with another label" if counts.contrary else ""
        yield f"{counts.repeated} of {usable} texts repeat an earlier one{contrary}"
    if across := counts.across:
        yield f"{across} texts stand in several splits, so that the model is tested on what it was trained on"
    elif counts.repeated and None in counts.splits:
        yield "splits are drawn text by text, so that such texts may fall into several of them"
    yield from misfits(source, counts)
    if counts.whole:
        yield from small(source, counts)
    for digest, often in counts.often.most_common(1):
        if often > max(OFTEN, SAME * usable):
            yield f"one text stands {often} times; it begins with {counts.first[digest][1]!r}"
    if not counts.whole:
        yield f"only the first {ROWS:,} rows were looked at before the run"


def check_readouts(name: str, source: ReadoutCorpus, files: Mapping[str, Path]) -> None:
    """Raise AuditError where one of the readouts of a data set is wrong, or is of other texts than the first.

    files: the path of each, by how the configuration names it; the first is that of `source`.
    """
    first = read_given(files[source.path], source.path)
    source.named(name, first)
    for place, path in files.items():
        if place != source.path:
            check_beside(read_given(path, place), first)


def checkup(name: str, source: TableCorpus | ReadoutCorpus, raw: Mapping[str, Path]) -> list[str]:
    """The oddities of a data set. raw: the path of each of its files, by field; of readouts, of every one of them.

    Raises AuditError where a file cannot be read as the configuration says, or the run could not go on.
    """
    if isinstance(source, ReadoutCorpus):
        check_readouts(name, source, raw)
        return []
    counts = count(name, source, raw)
    refuse(name, source, counts)
    return [f"{name}: {line}" for line in oddities(source, counts)]


def stamp(name: str, source: TableCorpus | ReadoutCorpus, raw: Mapping[str, Path]) -> str:
    """What decides the outcome of a checkup: the code, the settings, and path, size and time of each file."""
    files = [(str(path.absolute()), path.stat().st_size, path.stat().st_mtime_ns) for path in raw.values()]
    told = json.dumps([name, source.model_dump(mode="json"), files, code_hash("corpus.checkup")])
    return sha256(told.encode()).hexdigest()


def checked_once(name: str, source: TableCorpus | ReadoutCorpus, raw: Mapping[str, Path], memory: Path) -> list[str]:
    """`checkup`, or what it found before where nothing has changed since. memory: the folder that keeps it.

    Raises AuditError as `checkup` does. A folder that cannot be written costs time and nothing else.
    """
    path, mark = memory / f"{name}.json", stamp(name, source, raw)
    with suppress(AuditError):
        kept = read_record(path)
        if kept["stamp"] == mark:
            return [str(line) for line in kept["lines"]]
    lines = checkup(name, source, raw)
    with suppress(AuditError):
        write_record(path, {"stamp": mark, "lines": lines})
    return lines
