"""From a source's texts to a corpus, in two passes, so that memory does not grow with the data.

The first pass writes all texts to a draft and keeps a few numbers of each. From these numbers, splits and classes are
assigned and texts are filtered by length. The second pass copies the texts that are kept.

Texts that are only read take their training and development texts from the corpus of another data set: IMDb's for
Yelp's, say.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from attention_audit.artefacts.files import scratch
from attention_audit.artefacts.parquet import write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.corpus import CENSUS, CORPUS
from attention_audit.corpus.blocking import Block, Blocked, absent, blocked
from attention_audit.corpus.borrowed import classes_of, texts_in
from attention_audit.corpus.draft import Ledger, digest, numbers_of, write_draft
from attention_audit.corpus.labels import sort_labels
from attention_audit.corpus.rationales import majority
from attention_audit.corpus.source import OTHER_CORPUS, Length, RawSource, Source, TrainedOn
from attention_audit.corpus.splits import DEV, TEST, TRAIN, UNKNOWN, Codes, assign
from attention_audit.corpus.text import SPLITS, Text, reduce_text
from attention_audit.corpus.tokens import splitting
from attention_audit.errors import AuditError

Flags = npt.NDArray[np.bool_]
FAULTS = {
    "outside": "marks outside of the text",
    "lost": "marks under which no word is",
    "miscounted": "lists of marks that have not an entry a word",
}
"""What may be wrong with annotations, by the number that a draft has of it; the census has a column of each."""
NAMED = 20
"""Texts that a message names."""
COPIED = (
    *("id", "group", "tokens", "raw", "starts", "second", "sentences", "query"),
    *("annotators", "marks", "scores", "annotator_labels"),
)
"""Columns that the corpus has of the draft as they are."""
FATES = ("unlabelled", "empty", "left_out", "short", "long", "kept")
"""What can happen to a text, in the order in which it is decided; these are columns of the census."""
UNLABELLED, EMPTY, OUT, SHORT, LONG, KEPT = range(len(FATES))


def bounds(lengths: Codes, length: Length) -> tuple[float, float]:
    """The strict bounds on the lengths of one split.

    `shortest` and `longest` stand for the least and the greatest length in the split, so its shortest or longest texts
    are dropped. Jain & Wallace's loader does so, and only with it do the sizes of Wiegreffe & Pinter 2019, table 1,
    come out.
    """
    above = lengths.min() if length.above == "shortest" else length.above
    below = lengths.max() if length.below == "longest" else length.below
    return -1 if above is None else above, np.inf if below is None else below


def too_short_or_long(
    splits: Codes, tokens: Codes, sentences: Codes, longest: Codes, length: Length
) -> tuple[Flags, Flags]:
    """Which texts the length filter drops as too short, and which as too long; (N,) each."""
    short, long = np.zeros(len(splits), bool), np.zeros(len(splits), bool)
    for split in (TRAIN, DEV, TEST):
        members = splits == split
        if members.any():
            above, below = bounds(tokens[members], length)
            short |= members & (tokens <= above)
            long |= members & (tokens >= below)
    fitted = (splits == TRAIN) | (splits == DEV)
    if length.most_sentences is not None:
        long |= fitted & (sentences > length.most_sentences)
    if length.longest_sentence is not None:
        long |= fitted & (longest > length.longest_sentence)
    return short, long & ~short


def in_several_splits(digests: Codes, splits: Codes) -> Flags:
    """Which texts have the words of a text of another split, (N,), from their digests and splits, (N,) each."""
    pairs = np.unique(np.stack([digests, splits]), axis=1)
    found, times = np.unique(pairs[0], return_counts=True)
    return np.isin(digests, found[times > 1])


def stood_before(digests: Codes, splits: Codes) -> Flags:
    """Which texts have the words of an earlier text of their split, (N,), from digests and splits, (N,) each."""
    _, first = np.unique(np.stack([digests, splits], axis=1), axis=0, return_index=True)
    repeated = np.ones(len(digests), bool)
    repeated[first] = False
    return repeated


def check(dataset: str, splits: Codes, labels: Codes, classes: list[str], choice: bool, trained: bool = True) -> None:
    """Raise AuditError for a corpus that cannot be audited.

    Every split must have texts of at least two classes, and the training split must have texts of every class; the
    latter is not required where texts bring their own `choice` of candidates. Where no model is `trained`, there is a
    test split alone, and classes may have no texts.
    """
    for split, name in enumerate(SPLITS):
        if not trained and split != TEST:
            continue
        present = np.unique(labels[splits == split])
        if not len(present):
            raise AuditError(f"{dataset}: split {name}: no texts; widen the length filter or check the source")
        if len(present) == 1 and (trained or len(classes) == 1):
            further = "" if trained else ", or name all classes in `classes`"
            raise AuditError(
                f"{dataset}: split {name}: every text has label {classes[present[0]]!r}; add texts of another one"
                f"{further}"
            )
    missing = np.setdiff1d(np.arange(len(classes)), labels[splits == TRAIN])
    if len(missing) and trained and not choice:
        raise AuditError(
            f"{dataset}: split train: no text has label {classes[missing[0]]!r}; add some, or leave it out"
        )


def class_names(ledger: Ledger, declared: list[str] | None) -> list[str]:
    """The classes in the order of their numbers: as declared, or else the labels that occur, sorted by value.

    Where texts bring candidates, the classes are the candidates of the training texts. Raises AuditError at a label
    that is not among the declared ones.
    """
    if declared is None:
        return sorted(ledger.candidates) or sort_labels(ledger.labels)
    for name, place in ledger.labels.items():
        if name not in declared:
            raise AuditError(f"{place}: unknown label {name!r}; known: {', '.join(map(repr, declared))}")
    return declared


@dataclass(frozen=True)
class Settled:
    """What was decided for each text of a draft, (N,) each.

    numbers: those that the draft has. splits: codes of the module `splits`. labels: positions in `classes`. fates:
    positions in FATES. duplicates: whether it is kept, and so is a text with the same words in another split. repeated:
    whether it is kept, and so is an earlier one of its own split with the same words.
    """

    numbers: Mapping[str, Codes]
    splits: Codes
    labels: Codes
    fates: Codes
    classes: list[str]
    duplicates: Flags
    repeated: Flags

    def census(self) -> pa.Table:
        """The census: one row for each split and class, with texts by fate, and sums of lengths over the kept texts."""
        own = {name: values * (self.fates == KEPT) for name, values in self.numbers.items()}
        counted = {
            **{name: self.fates == fate for fate, name in enumerate(FATES)},
            **{"read": np.ones_like(self.fates), "duplicates": self.duplicates, "repeated": self.repeated},
            **{"tokens": own["words"], "tokens_squared": own["words"] ** 2},
            **{"sentences": own["sentence_count"], "sentences_squared": own["sentence_count"] ** 2},
            **{"annotated": own["annotator_count"] > 0, "annotations": own["annotator_count"]},
            **{f"marks_{fault}": own[fault] for fault in FAULTS},
        }
        # where nothing is trained, a class may be none of any text's
        every = np.arange(0 if TRAIN in self.splits else len(self.classes))
        without = np.setdiff1d(every, self.labels)
        blank = {"split": np.full(len(without), TEST), "label": without}
        rows = {"split": self.splits, "label": self.labels, **counted}
        texts = pa.table(
            {name: np.append(values, blank.get(name, [0] * len(without))) for name, values in rows.items()}
        )
        sums = texts.group_by(["split", "label"], use_threads=False).aggregate([(name, "sum") for name in counted])
        sums = sums.sort_by([("split", "ascending"), ("label", "ascending")])
        columns = {name: sums[f"{name}_sum"] for name in counted} | {
            "split": [(*SPLITS, "")[split] for split in sums["split"].to_pylist()],
            "label": sums["label"],
            "label_name": [self.classes[label] if label >= 0 else "" for label in sums["label"].to_pylist()],
        }
        return pa.table({name: columns[name] for name in CENSUS.schema.names}, schema=CENSUS.schema)

    def rows(self, draft: Path, block: Block | None) -> Iterator[pa.Table]:
        """The kept texts in order, with the columns of columns.corpus.CORPUS. block: which words are impermissible."""
        number = {name: label for label, name in enumerate(self.classes)}
        start = 0
        with pq.ParquetFile(draft) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                here = slice(start, start + len(table))
                start += len(table)
                labels = self.labels[here]
                candidates = [
                    None if names is None else [number[name] for name in names if name in number]
                    for names in table["candidates"].to_pylist()
                ]
                marked = [lists and (majority(lists) or None) for lists in table["marks"].to_pylist()]
                columns = {
                    **{name: table[name] for name in COPIED},
                    "evidence": marked,
                    "blocked": blocked(block, table, marked),
                    "split": [SPLITS[code] for code in self.splits[here]],
                    "label": labels,
                    "label_name": [self.classes[label] for label in labels],
                    "candidates": candidates,
                }
                made = pa.table({name: columns[name] for name in CORPUS.schema.names}, schema=CORPUS.schema)
                yield made.filter(pa.array(self.fates[here] == KEPT))


def refuse_absent(dataset: str, block: Blocked | None, draft: Path) -> None:
    """Raise AuditError for impermissible words that occur in no text of a draft."""
    if block is None or block.words is None:
        return
    left = {*block.words}
    with pq.ParquetFile(draft) as file:
        for batch in file.iter_batches(columns=["tokens"]):
            left -= {*batch["tokens"].flatten().unique().to_pylist()}
    absent([word for word in block.words if word in left], dataset)


def settle(
    dataset: str, source: Source, ledger: Ledger, numbers: Mapping[str, Codes], named: list[str] | None
) -> Settled:
    """Decide split, class and fate of every text. named: the classes in order, None where labels tell them.

    Raises AuditError where the corpus cannot be audited.
    """
    preparation = source.preparation
    own_splits, own_labels, tokens, digests = (numbers[name] for name in ("split", "label", "words", "digest"))
    fates = np.where(own_labels == UNKNOWN, UNLABELLED, np.where(tokens == 0, EMPTY, KEPT))
    used = np.flatnonzero(fates == KEPT)
    if len(emptied := np.setdiff1d(own_splits[own_splits != UNKNOWN], own_splits[used])):
        raise AuditError(
            f"{dataset}: split {SPLITS[emptied[0]]}: every text is empty, or has no label; check the source"
        )
    splits = own_splits.copy()
    alike = numbers["alike"][used] if preparation.splits.alike_together else None
    splits[used] = assign(dataset, own_splits[used], own_labels[used], preparation.splits, alike)
    classes = class_names(ledger, named)
    number = {name: label for label, name in enumerate(classes)}
    # the last entry is that of texts without a label, whose position is -1
    labels = np.array([*(number.get(name, UNKNOWN) for name in ledger.labels), UNKNOWN], np.int64)[own_labels]
    fates[(fates == KEPT) & ((splits < 0) | (labels < 0))] = OUT
    used_splits = np.where(fates == KEPT, splits, UNKNOWN)
    short, long = too_short_or_long(
        used_splits, tokens, numbers["sentence_count"], numbers["longest"], preparation.length
    )
    fates[short], fates[long] = SHORT, LONG
    kept = fates == KEPT
    check(dataset, splits[kept], labels[kept], classes, bool(ledger.candidates), source.trained)
    duplicates, repeated = np.zeros((2, len(kept)), bool)
    duplicates[kept] = in_several_splits(digests[kept], splits[kept])
    repeated[kept] = stood_before(digests[kept], splits[kept])
    made = np.where(splits < 0, own_splits, splits)
    return Settled(numbers, made, labels, fates, classes, duplicates, repeated)


def report_left_out(settled: Settled, draft: Path, report: Callable[[str], None]) -> None:
    """Report, for each reason for which texts were dropped, how many there were and where the first one is; and which
    marks of the kept texts could not be laid on words, with the texts' names.
    """
    table = pq.read_table(draft, columns=["id", "place"])
    for fate in (UNLABELLED, EMPTY, OUT, SHORT, LONG):
        members = np.flatnonzero(settled.fates == fate)
        if len(members):
            first = table["place"][members[0]]
            report(f"{len(members)} texts dropped as {FATES[fate].replace('_', ' ')}; first: {first}")
    for name, fault in FAULTS.items():
        counts = settled.numbers[name]
        members = np.flatnonzero((settled.fates == KEPT) & (counts > 0))
        if len(members):
            named = ", ".join(str(table["id"][at]) for at in members[:NAMED])
            more = f" and {len(members) - NAMED} more" if len(members) > NAMED else ""
            report(f"{counts[members].sum()} {fault}, left out, in {len(members)} texts: {named}{more}")


def labelled_as_trained(texts: Iterator[Text], trained_on: TrainedOn, classes: list[str]) -> Iterator[Text]:
    """Texts as a test split, with the labels of the training data, None where a text is to be left out.

    Texts that are for training or development where they come from are not among them. Raises AuditError, naming the
    text, at a label that the training data do not have.
    """
    for text in texts:
        if text.split not in (None, SPLITS[TEST]):
            continue
        label = text.label if text.label is None else trained_on.labels.get(text.label, text.label)
        if label is not None and label not in classes:
            known = ", ".join(map(repr, classes))
            raise AuditError(
                f"{text.place}: label {label!r:.50} is no class of {trained_on.dataset}, whose classes are {known}; "
                "say in `trained_on.labels` which of them it is, or null to leave such texts out"
            )
        yield replace(text, split=SPLITS[TEST], label=label)


def note_alike(texts: Iterator[Text], digests: list[int]) -> Iterator[Text]:
    """Yield texts, and note of each the digest of what those share that are alike but for marks (`reduce_text`)."""
    for text in texts:
        parts = (part if isinstance(part, str) else " ".join(part or ()) for part in (text.text, text.query))
        digests.append(digest(map(reduce_text, parts), None))
        yield text


def texts_of(name: str, source: Source, raw: Mapping[str, Path]) -> tuple[Iterator[Text], list[str] | None]:
    """The texts of a data set, and its classes in order, None where the texts tell them.

    Where it takes texts from another one, that one's corpus stands in `raw` under OTHER_CORPUS, and has its classes.
    Raises AuditError as the source does, and as the functions above do.
    """
    if source.other is None:
        return source.read(name, raw), source.preparation.classes
    corpus = raw[OTHER_CORPUS]
    classes = classes_of(corpus)
    if not isinstance(source, RawSource) or source.trained_on is None:
        return source.read(name, raw), classes
    trained_on = source.trained_on

    def texts() -> Iterator[Text]:
        yield from (text for text in texts_in(corpus) if text.split != SPLITS[TEST])
        yield from labelled_as_trained(source.read(name, raw), trained_on, classes)

    return texts(), classes


def prepare(
    dataset: str,
    source: Source,
    raw: Mapping[str, Path],
    path: Path,
    provenance: Provenance,
    workers: int,
    report: Callable[[str], None],
) -> pa.Table:
    """Write the corpus of a source to `path` and return its census.

    Raises AuditError where a raw file is damaged or the corpus cannot be audited.
    """
    if said := splitting(source.preparation.tokens):
        report(said)
    with scratch(path.with_suffix(".draft")) as draft:
        texts, classes = texts_of(dataset, source, raw)
        if source.preparation.joined:
            texts = (replace(text, joined=True) for text in texts)
        alike: list[int] = []
        together = source.preparation.splits.alike_together
        texts = note_alike(texts, alike) if together else texts
        ledger = write_draft(texts, source.preparation.tokens, draft, workers, report)
        numbers = numbers_of(draft, ledger) | ({"alike": np.array(alike)} if together else {})
        settled = settle(dataset, source, ledger, numbers, classes)
        report_left_out(settled, draft, report)
        refuse_absent(dataset, source.block, draft)
        write_batches(path, CORPUS, settled.rows(draft, source.block), provenance)
    return settled.census()
