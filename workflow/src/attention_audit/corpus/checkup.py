"""What a user's own file holds, and what is wrong or odd in it, found before anything runs.

Rows are read as the run will read them, but split into words only where impermissible words are named: lengths in words
are estimated from characters.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from statistics import median
from typing import NamedTuple

import numpy as np

from attention_audit.arrays import Floats
from attention_audit.errors import AuditError
from attention_audit.given import check_beside
from attention_audit.given.files import read_given_readout
from attention_audit.questions import LEAST_OF_CLASS, LEAST_TEXTS

from .draft import check_entries, find_masked, hash_words, refuse_absent
from .drawing import LEFT_OUT, TEST, UNKNOWN_CODE, assign, check_splits, refuse_emptied
from .languages import SAMPLE_SIZE, find_foreign, find_unspaced, sample_beginnings
from .source import Length, RawFiles
from .sources.table import ReadoutCorpus, TableCorpus
from .tabular import LABEL_NAMES, TEXT_NAMES, UNLABELLED, find_format, read_class_names
from .text import (
    DECIMAL,
    MAX_CLASSES,
    SPLITS,
    VISIBLE,
    find_markup,
    find_misread,
    find_oddities,
    judge_column,
    list_few,
    match_spellings,
    reduce_text,
    strip_html,
    write_aliases,
    write_count,
)
from .tokens import CHARACTERS, SEGMENTED, SPACES, Tokens, describe_splitting, name_lacking, split_words

CHECKED_ROWS = 200_000
"""Rows that are looked at; they take some seconds. Of a longer file, the run finds what lies behind them."""
SAMPLE_TEXTS, SAMPLE_CHARACTERS = 50, 1000
"""Texts, up to twice as many, and their first characters, from which it is estimated how many words a character is."""
NUMERIC = re.compile(r"[-+]?[\d.,]*\d%?")
UNREADABLE = re.compile(r"[\0\ufffd]")
"""NUL, and what stands for a byte that could not be decoded."""
MAX_REPEATED_SHARE = 0.01
"""Share of all texts up to which one text may stand again and again."""
MAX_REPEATS = 5
"""How often a text may always stand."""
LONG_TEXT_RATIO = 10
"""One text is far longer than the others if it is so many times as long as the median."""
MAX_FOREIGN_SHARE = 0.01
"""Share of texts in another language up to which they may be mistaken for such: it is .001 of SST's sentences."""
USUAL_BATCH = 32
"""Texts of a batch, as `training.batch_size` has it where nobody says otherwise; all are padded to the longest."""
LABEL_SEPARATORS = (re.compile(r"\s*[|,;:#/+&]\s*|\s+and\s+"), re.compile(r"\s+"))
"""What may stand between several labels in a cell."""
LABEL_LIST = re.compile(r"\[.*\]|\{.*\}|\(.*\)", re.DOTALL)
"""A list of labels, as Python and JSON write it."""
YAML_WORDS = {"false": ("no", "off"), "true": ("yes", "on")}
"""What YAML reads as false and true."""
FOOTER = re.compile(
    r"\W*((grand |sub)?totals?|sum|summe|gesamt|count|average|mean|end|source|note|generated|exported|copyright"
    r"|\d[\d,.]* (rows?|records?|results?|lines?))\b",
    re.IGNORECASE,
)
"""How the last row of a file begins that holds no text."""
EDGE_ROWS = 2
"""Rows below the header that may belong to it."""
CELL_SEPARATOR = re.compile(r"[,;\t|]")
PART = re.compile(r"-\d+-of-0*(\d+)(?!\d)")
"""The end of the name of one of several parts."""
MIN_ONE_WORD_SHARE = 0.1
"""Share of texts of one word from which on they are worth a warning."""
FINDINGS = {
    "label": "{number} of {usable} texts are the same as their label",
    "outside": "{have} marks outside of them, which are left out; first: {first}",
    "miscounted": "{have} lists of marks with another number of entries than words, which are left out; first: {first}",
    "numeric": "{number} of {usable} texts are a number; first: {first}{question}",
    "unreadable": "{have} NUL or replacement characters; first: {first}; the file is damaged, or was saved in another "
    "encoding",
    "misread": "{have} characters of utf-8 that were read in another encoding, as cp1252, and saved again; first: "
    "{first}, {sign!r:.40}; save the file anew from where it is sound, or mend it with ftfy",
    "rows": "{have} lines that look like rows, which end or begin with a label; first: {first}; take them apart, or "
    "save the file anew from where it is sound",
    "html": "{have} HTML tags or entities; first: {first}, {sign!r:.40}; `tokens: {{strip_html: true}}` reads tags "
    "as spaces, and entities as characters",
}
"""What is said of texts in which something was found, by what."""


class Overview(NamedTuple):
    """What there is in a data set, and what is odd in it, a line each."""

    read: list[str]
    odd: list[str]


class UsableRow(NamedTuple):
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
class TableCounts:
    """What is counted in the rows of a data set.

    read: all rows. unlabelled: places of rows without a label. empty: labelled rows without a text. usable: all others.
    labels: usable texts by label, and splits: by split (None: to be drawn). places: those of texts in which something
    was found, by what: as in `FINDINGS`, of one word ("single") or with words that somebody marked ("annotated").
    signs: the first of what was found, by what. whole: whether all rows were read. unseen: of the impermissible words
    that are named, those that no text has. unmet: labels that `aliases` and `missing` name and no row has. names: those
    that the file has for its labels.
    """

    unseen: set[str]
    unmet: set[str]
    read: int = 0
    unlabelled: list[str] = field(default_factory=list)
    empty: int = 0
    usable: list[UsableRow] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    splits: Counter[str | None] = field(default_factory=Counter)
    places: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    signs: dict[str, str] = field(default_factory=dict)
    whole: bool = True
    names: dict[str, str] = field(default_factory=dict)


def estimate_words(texts: Sequence[UsableRow], tokens: Tokens) -> Floats:
    """Estimate the words of each text, (N,), from its characters, and from how many words the sample has."""
    sample = sample_beginnings([text.begins for text in texts], SAMPLE_TEXTS)
    words = sum(len(split_words(text, tokens).words) for text in sample)
    return words / sum(map(len, sample)) * np.array([text.length for text in texts])


def find_longest(texts: Sequence[UsableRow], tokens: Tokens) -> tuple[UsableRow, float]:
    """Find the first of the longest texts, and estimate its words."""
    longest = max(texts, key=lambda text: text.length)
    return longest, float(estimate_words([longest], tokens)[0])


def has_rows_within(text: str, labels: Collection[str]) -> bool:
    """Tell whether at least half of the lines of a text, and two of them, begin or end with a label as rows do."""
    if "\n" not in text.strip():
        return False
    rows = [[cell.strip(" \"'") for cell in CELL_SEPARATOR.split(line)] for line in text.splitlines()]
    hits = sum(len(cells) > 1 and (cells[0] in labels or cells[-1] in labels) for cells in rows)
    return hits >= max(2, len(rows) / 2)


def count(name: str, source: TableCorpus, raw: RawFiles) -> TableCounts:
    """Count the first CHECKED_ROWS rows. They are split into words where impermissible ones are named, by word or in a
    mask.

    Raises AuditError as the reader does, but not at a missing label; and where a mask does not fit its text.
    """
    as_written = {"drop_unlabelled": True, "aliases": {}, "missing": None}
    rows = source.model_copy(update=as_written).read(name, raw)
    counts = TableCounts({*((source.block and source.block.words) or ())}, {*source.aliases, *(source.missing or ())})
    for text in islice(check_entries(rows), CHECKED_ROWS):
        counts.read += 1
        counts.unmet.discard(text.label or "")
        counts.splits[text.split] += 0
        label = source.name_class(text.label) if source.labelled else ""
        sides = (str(side or "") for side in (text.text, text.query))
        readable = (strip_html(side) if source.tokens.strip_html else side for side in sides)
        content, query = (" ".join(side.split()) if VISIBLE.search(side) else "" for side in readable)
        passage = f"{content} {query}" if source.joined else content
        if text.mask is not None or counts.unseen:
            words = split_words(text.text, source.tokens).words
            find_masked(text, len(words))
            counts.unseen -= {*words, *(split_words(query, source.tokens).words if source.joined else ())}
        if label is None:
            counts.unlabelled.append(text.place)
            continue
        counts.labels[label] += 0  # draws depend on the order of the labels in all rows
        if not content or (text.query is not None and not query):
            counts.empty += 1
            continue
        signs = {"html": find_markup(content), "misread": find_misread(f"{text.text} {text.query} {text.label}")}
        counts.signs |= {kind: sign for kind, sign in signs.items() if sign and kind not in counts.signs}
        marks = text.annotations
        findings = {
            "single": " " not in passage,
            "numeric": NUMERIC.fullmatch(content),
            "unreadable": UNREADABLE.search(content),
            "label": content == label,
            "misread": signs["misread"],
            "rows": has_rows_within(str(text.text), counts.labels),
            "html": signs["html"] and not source.tokens.strip_html,
            "annotated": marks,
            "outside": marks and marks.outside,
            "miscounted": marks and marks.miscounted,
        }
        for kind in filter(findings.get, findings):
            counts.places[kind].append(text.place)
        counts.labels[label] += 1
        counts.splits[text.split] += 1
        digest, exact = hash_words(map(reduce_text, (content, query))), hash((content, query))
        begins, length = passage[:SAMPLE_CHARACTERS], len(passage)
        counts.usable.append(UsableRow(text.place, label, text.split, text.group, digest, exact, begins, length))
    # a label of no usable text is no class, nor is one that nobody knows
    counts.labels = +counts.labels if source.labelled else Counter()
    counts.whole = next(rows, None) is None
    for path in raw.values():
        if source.label is not None and find_format(path.name) == "parquet":
            counts.names |= read_class_names(path, source.label)
    return counts


def draw_splits(name: str, source: TableCorpus, counts: TableCounts) -> list[UsableRow]:
    """Return the usable texts with their splits in the run, before any filter of lengths; None: they are left out.

    Raises AuditError where splits cannot be drawn, or lack texts of a class.
    """
    trained_on, texts = source.trained_on, counts.usable
    codes: dict[str | None, int] = {None: UNKNOWN_CODE} | {split: code for code, split in enumerate(SPLITS)}
    if trained_on:
        # models are trained on another data set, and all texts but those for training are for the test
        codes = {None: TEST, "train": LEFT_OUT, "dev": LEFT_OUT, "test": TEST}
    label_names = trained_on.labels if trained_on else {}
    class_names = {label: label_names.get(label, label) or "" for label in counts.labels} or {"": "unknown"}
    classes = [*dict.fromkeys([*class_names.values(), *(source.classes or ())])]
    numbers = {label: number for number, label in enumerate(classes, start=0 if source.labelled else -1)}
    source_splits = np.array([codes[text.split] if class_names[text.label] else LEFT_OUT for text in texts])
    labels, digests = np.array([(numbers[class_names[text.label]], text.alike) for text in texts]).T
    refuse_emptied(name, np.array([codes[split] for split in counts.splits]), source_splits)
    splits = assign(name, source_splits, labels, digests, source.splits)
    if not trained_on:
        check_splits(name, splits, labels, classes, choice=False, trained=source.trained)
    elif len({*labels[splits == TEST]}) < 2:
        raise AuditError(f"{name}: split test", "no texts of two classes", "add some")
    names = dict(enumerate(SPLITS))
    return [text._replace(split=names.get(code)) for text, code in zip(texts, splits.tolist(), strict=True)]


def list_labels(labels: list[str]) -> str:
    """List a few labels for a message."""
    return list_few([f"{label!r:.40}" for label in labels])


def list_counts(values: Counter[str]) -> str:
    """List how often each value stands, the most frequent first, in one line that a terminal can show."""
    text = list_few([f"{value:.40} {number:,}" for value, number in values.most_common()])
    return "".join(letter if letter.isprintable() else " " for letter in text)


def is_joint(label: str, labels: Set[str]) -> bool:
    """Tell whether a label seems to be several ones or none: a list of them, or labels that stand by themselves too."""
    listed = LABEL_LIST.fullmatch(label)
    inner = label[1:-1].strip() if listed else label
    parts = [{part.strip(" '\"") for part in mark.split(inner)} for mark in LABEL_SEPARATORS]
    if listed:
        return not inner or len(parts[0]) > 1 or (label[0] == "[" and not {*inner} & {*"'\""} and len(parts[1]) > 1)
    return not DECIMAL.fullmatch(label) and any(len(each) > 1 and each <= labels for each in parts)


def warn_of_several(counts: TableCounts) -> Iterator[str]:
    """Warn of texts whose labels seem to be several in one cell."""
    labels = counts.labels.keys()
    joint_labels = sorted(label for label in labels if is_joint(label, labels))
    if joint_labels:
        texts = sum(counts.labels[label] for label in joint_labels)
        yield (
            f"{write_count(texts, 'text seems', 'texts seem')} to have several labels ({list_labels(joint_labels)}), "
            f"which count as {write_count(len(joint_labels), 'class', 'classes')} more; give each text one label, or "
            "leave such texts out"
        )


def refuse_unquoted(name: str, source: TableCorpus, counts: TableCounts) -> None:
    """Raise AuditError where a key names true or false, and the labels are words that YAML reads so."""
    keys = {"classes": source.classes or [], "aliases": [*source.aliases, *source.aliases.values()]}
    keys["missing"] = source.missing or []
    keys["trained_on.labels"] = [*source.trained_on.labels] if source.trained_on else []
    for key, names in keys.items():
        for truth, words in YAML_WORDS.items():
            label = next((label for label in counts.labels if label.lower() in words and label not in names), None)
            if truth in names and label:
                fault = f"YAML reads {label} without quotes as {truth}; labels are {list_labels([*counts.labels])}"
                raise AuditError(f"{name}: {key}", fault, f"quote it: {label!r}")


def refuse_strays(counts: TableCounts) -> None:
    """Raise AuditError at rows that seem to be another header, and at the last one if it seems a footer.

    Of rows below the header and of the last one, no other row has the label, and nearly all labels come again; others
    have usual names of columns for text and label.
    """
    for text in counts.usable:
        if text.label.lower() in LABEL_NAMES and TEXT_NAMES.fullmatch(text.begins.strip()):
            fault = f"looks like another header: {text.begins!r:.40} with label {text.label!r:.40}"
            raise AuditError(text.place, fault, "take it out")
    lone_labels = [label for label, number in counts.labels.items() if number == 1]
    if not 0 < len(lone_labels) <= EDGE_ROWS or judge_column("", counts.labels):
        return
    single = [text for text in counts.usable[:EDGE_ROWS] if counts.labels[text.label] == 1]
    what, last = "another header", counts.usable[-1]
    numeric = [bool(NUMERIC.fullmatch(label)) for label in counts.labels if label != last.label]
    is_odd = FOOTER.match(last.begins) or (NUMERIC.fullmatch(last.label) and not any(numeric))
    if not single and counts.whole and counts.labels[last.label] == 1 and is_odd:
        what, single = "a footer", [last]
    if single:
        also = ", and so does the next row" if len(single) > 1 else ""
        raise AuditError(
            single[0].place,
            f"looks like {what}{also}: no other row has label {single[0].label!r:.40}",
            "take it out, or name this label in `classes` if it is one",
        )


def refuse(name: str, source: TableCorpus, counts: TableCounts) -> None:
    """Raise AuditError where the run could not go on, with counts and the key to set; else draw the splits, where all
    rows were read.
    """
    refuse_unquoted(name, source, counts)
    if source.classes is None:
        refuse_strays(counts)
    if counts.unlabelled and not (source.drop_unlabelled or source.missing):
        location, *more = counts.unlabelled
        remainder = f", nor have {len(more)} more of {counts.read} rows" if more else ""
        raise AuditError(
            location,
            f"no label in column {source.label!r}{remainder}",
            "give them labels, or leave such rows out with `drop_unlabelled: true`",
        )
    declared = source.classes or [*counts.labels]
    if unknown := [label for label in counts.labels if label not in declared]:
        texts = sum(counts.labels[label] for label in unknown)
        spelt = match_spellings(unknown, declared)
        mend = f"{write_aliases(spelt)} reads them as classes" if spelt else "name them there, or leave `classes` out"
        location = next(text.place for text in counts.usable if text.label == unknown[0])
        raise AuditError(
            location,
            f"label {unknown[0]!r:.40} is not among `classes` ({list_labels(declared)}), and "
            f"{write_count(texts, 'text has such a label', 'texts have such labels')}: {list_labels(unknown)}",
            mend,
        )
    doubt = judge_column(source.label or "", counts.labels)
    if doubt and len(counts.labels) > MAX_CLASSES and source.trained and not (source.trained_on or source.classes):
        raise AuditError(name, doubt)
    if not counts.whole:
        return
    refuse_absent(counts.unseen, name)
    if not counts.usable:
        fault = f"no row has a text in column {source.text!r}" + " and a label" * source.labelled
        raise AuditError(name, fault, "name other columns")
    try:
        counts.usable = draw_splits(name, source, counts)
    except AuditError as error:
        remedies = filter(None, [error.remedy, doubt, *warn_of_rare(counts), *warn_of_several(counts)])
        raise AuditError(error.place, error.fault, "; ".join(remedies)) from error


def warn_of_rare(counts: TableCounts) -> Iterator[str]:
    """Warn of classes that have fewer texts than there are splits, where all rows were read."""
    few = [label for label, number in counts.labels.items() if number < len(SPLITS)]
    if few and counts.whole:
        yield (
            f"{len(few)} of {len(counts.labels)} classes have fewer texts than there are splits: {list_labels(few)}; "
            "merge such classes with `aliases`, or leave them out with `missing`"
        )


def warn_of_few(texts: int, share: float | None = None) -> Iterator[str]:
    """Warn that the test texts are too few for a verdict, with how many there are and how many are needed.

    share: that of the rows of a file which the test texts are, if more rows give more of them.
    """
    if texts < LEAST_TEXTS:
        enough = f", as about {math.ceil(LEAST_TEXTS / share):,} rows give" if share else ""
        yield (
            f"{write_count(texts, 'test text is', 'test texts are')} too few for a verdict on any claim: "
            f"{LEAST_TEXTS} are needed{enough}"
        )


def warn_of_classes(source: TableCorpus, counts: TableCounts) -> Iterator[str]:
    """Warn of classes that have no test text, or too few for a verdict on the texts that are predicted as one."""
    tests = Counter(text.label for text in counts.usable if text.split == "test")
    if source.labelled and (none := [label for label in source.classes or counts.labels if not tests[label]]):
        yield f"split test: no text has label {list_labels(none)}: nothing is asked about it"
    few = [f"{texts:,} of {label!r:.40}" for label, texts in tests.items() if texts < LEAST_OF_CLASS]
    if few and tests.total() >= LEAST_TEXTS:
        yield (
            f"{list_few(few)} among {tests.total():,} test texts: too few for a verdict on one class, which needs "
            f"{LEAST_OF_CLASS}; what is said of all texts is mostly about the others"
        )


def round_number(number: float) -> str:
    """Round an estimate to two digits."""
    return f"{float(f'{max(number, 1):.2g}'):,.0f}"


def describe_table(source: TableCorpus, counts: TableCounts) -> Iterator[str]:
    """Describe what was read: texts, classes and splits, and how long the texts are in words."""
    usable, what = len(counts.usable), ("pair of texts", "pairs of texts") if source.pairs else ("text",)
    group_names = [text.group for text in counts.usable if text.group is not None]
    groups = f" in {write_count(len({*group_names}), 'group')}" if group_names else ""
    groups += f" and {usable - len(group_names):,} in none" if 0 < len(group_names) < usable else ""
    among = "" if counts.whole else f" in the first {counts.read:,} rows"
    classes = f"{write_count(len(counts.labels), 'class', 'classes')} ({list_counts(counts.labels)})"
    if not source.labelled:
        classes = "without labels" if source.labels is None else "each with any number of labels"
    summary = f"{write_count(usable, *what)}{groups}{among}, {classes}"
    if counts.whole:
        sizes = Counter(text.split for text in counts.usable)
        summary += f"; {', '.join(f'{sizes[split]:,} {split}' for split in SPLITS if sizes[split])}"
        drawn_splits = [split for split in ("test", "dev") if sizes["train"] and not counts.splits[split]]
        summary += f" ({' and '.join(drawn_splits)} drawn)" if drawn_splits else ""
        summary += "" if source.length == Length() else ", before texts are left out by their `length`"
    yield summary
    tokens = source.tokens
    if usable and not name_lacking(tokens):
        how = "words are set apart by white space" if tokens.tokenizer == SPACES else describe_splitting(tokens)
        items = "words" if tokens.segmenter != "characters" else f"single {CHARACTERS[tokens.tokenizer][1]}"
        middle = float(np.median(estimate_words(counts.usable, tokens)))
        _, longest = find_longest(counts.usable, tokens)
        summary = f"about {round_number(middle)} {items} a text (median), {round_number(longest)} in the longest; "
        yield summary + (how or f"words by spaCy's rules for {tokens.tokenizer!r}")


def warn_of_long(source: TableCorpus, counts: TableCounts, max_words: int | None) -> Iterator[str]:
    """Warn of one text that is so much longer than the others that it slows the run, and of a few that take twice what
    all others take of leave-one-out, which reads a text of L words L times; with the key that leaves them out.

    max_words: so many words of a text are read; None: all.
    """
    if source.length.below is not None or name_lacking(source.tokens) or not counts.usable:
        return
    lengths = estimate_words(counts.usable, source.tokens)
    longest, words = find_longest(counts.usable, source.tokens)
    middle = float(np.median(lengths))
    if lengths.max() > max(LONG_TEXT_RATIO * middle, lengths.sum() / min(USUAL_BATCH, len(lengths))):
        below = LONG_TEXT_RATIO * max(round(middle), 1)
        other_texts = (lengths >= below).sum() - 1
        yield (
            f"{longest.place}: a text of about {round_number(words)} words, where half of the texts have at most "
            f"{round_number(middle)}; a batch is as long as its longest text, so that the run may take several times "
            f"as long; `length: {{below: {below}}}`, in the entry of the data set, leaves it out"
            + (f", and {write_count(other_texts, 'other text')}" if other_texts > 0 else "")
        )
    read_lengths = np.minimum(lengths, max_words or np.inf)
    below = LONG_TEXT_RATIO * max(round(float(np.median(read_lengths))), 1)
    far = read_lengths >= below
    times = (read_lengths[far] ** 2).sum() / max(float((read_lengths[~far] ** 2).sum()), 1.0)
    if times >= 2:
        yield (
            f"{far.sum():,} of {len(read_lengths):,} texts have {below:,} words or more; for all of these, if they are "
            f"tested on, leave-one-out runs about {round_number(read_lengths[far].sum())} forward passes, and reads "
            f"{round_number(times)} times as many words as for all others; `length: {{below: {below}}}` leaves them "
            "out, and `max_length` of classifiers in `hf` cuts them, unless `long` is `window`"
        )


def warn_of_foreign(code: str, texts: Sequence[UsableRow]) -> Iterator[str]:
    """Warn of texts, among some, that are in another language than the one by whose rules they are split."""
    sample = texts[:: max(len(texts) // SAMPLE_SIZE, 1)]
    foreign = [(text.place, language) for text in sample if (language := find_foreign(text.begins, code))]
    if len(foreign) > MAX_FOREIGN_SHARE * len(sample):
        languages = list_counts(Counter(language for _, language in foreign))
        yield (
            f"{len(foreign):,} of {len(sample):,} texts that were looked at seem to be in another language than "
            f"{code!r} ({languages}); first: {foreign[0][0]}; all are split by the rules of {code!r}, which "
            "`tokens: {tokenizer: ...}` names"
        )


def warn_of_texts(source: TableCorpus, counts: TableCounts) -> Iterator[str]:
    """Warn of marks that do not fit their texts, texts that are hardly texts, and labels that are several."""
    findings, usable = counts.places, len(counts.usable)
    if source.evidence is not None and not findings["annotated"]:
        yield f"no text has marks in column {source.evidence.names[0]!r}"
    question = f"; is column {source.text!r} that of the texts?" if 2 * len(findings["numeric"]) > usable else ""
    for kind, line in FINDINGS.items():
        if locations := findings[kind]:
            have, number = write_count(len(locations), "text has", "texts have"), len(locations)
            yield line.format(
                have=have,
                number=number,
                usable=usable,
                first=locations[0],
                question=question,
                sign=counts.signs.get(kind),
            )
    spaced = source.tokens.tokenizer not in {*SEGMENTED, *CHARACTERS}
    sample = sample_beginnings([text.begins for text in counts.usable], SAMPLE_TEXTS)
    if spaced and (code := find_unspaced(sample)):
        yield (
            f"the texts have hardly any spaces, so that `tokenizer: {source.tokens.tokenizer}` takes clauses for "
            f"words; set `tokens: {{tokenizer: {code}}}` ({describe_splitting(Tokens(tokenizer=code))})"
        )
    yield from warn_of_foreign(source.tokens.tokenizer, counts.usable)
    yield from warn_of_several(counts)
    if spaced and len(findings["single"]) > MIN_ONE_WORD_SHARE * usable:
        yield (
            f"{len(findings['single']):,} of {usable:,} texts have one word, which has all attention: no question "
            "on maps is asked of them"
        )


def warn_of_repetitions(counts: TableCounts) -> Iterator[str]:
    """Say how many texts are alike but for marks, and how many of the training split are tested on too."""
    texts = counts.usable
    first_texts = {text.alike: text for text in reversed(texts)}
    if repeated := len(texts) - len(first_texts):
        relabelled = sum(text.label != first_texts[text.alike].label for text in texts)
        contrary = f", {relabelled} of them with another label" if relabelled else ""
        respelt = sum(text.exact != first_texts[text.alike].exact for text in texts)
        but = f", {respelt} of them but for case, punctuation or invisible characters" if respelt else ""
        yield f"{repeated} of {len(texts)} texts repeat an earlier one{but}{contrary}"
    for digest, often in Counter(text.alike for text in texts).most_common(1):
        if often > max(MAX_REPEATS, MAX_REPEATED_SHARE * len(texts)):
            yield f"one text stands {often} times; it begins with {first_texts[digest].begins[:30]!r}"
    trained, tested = ({text.alike for text in texts if text.split == split} for split in ("train", "test"))
    if across := len(trained & tested):
        yield (
            f"{write_count(across, 'text stands', 'texts stand')} in train and in test, so that the model is tested on "
            "what it was trained on; `splits: {alike_together: true}` keeps each in one split"
        )


def warn_of_groups(counts: TableCounts) -> Iterator[str]:
    """Say how many groups are tested on of which other texts are trained on."""
    groups = {split: {text.group for text in counts.usable if text.split == split} - {None} for split in SPLITS}
    if across := (groups["train"] | groups["dev"]) & groups["test"]:
        first = next(text.group for text in counts.usable if text.group in across)
        yield (
            f"{write_count(len(across), 'group has', 'groups have')} texts in test and in another split, so that the "
            f"model may know them from training; first: {first!r:.40}; a column that `split` names can keep each in one"
        )


def warn_of_parts(source: TableCorpus) -> Iterator[str]:
    """Warn of a file that is one of several parts, as its name says."""
    for path in (*source.local_files().values(), *(remote.file for remote in source.remote_files().values())):
        match = PART.search(path)
        if match and int(match[1]) > 1:
            yield f"{path} is one of {int(match[1])} parts, as its name says; join them to one file to read all texts"


def list_oddities(source: TableCorpus, counts: TableCounts, max_words: int | None = None) -> Iterator[str]:
    """List what a user may not have meant, each in a line with its counts. max_words: see `warn_of_long`."""
    if source.tokens.segmenter == "characters":
        yield describe_splitting(source.tokens)
    if counts.unlabelled:
        first = counts.unlabelled[0]
        yield f"{len(counts.unlabelled)} of {counts.read} rows have no label and are left out; first: {first}"
    if counts.empty:
        yield f"{counts.empty} of {counts.read} rows have {'a label and ' * source.labelled}no text, and are left out"
    if doubt := judge_column(source.label or "", counts.labels):
        yield doubt
    yield from find_oddities(counts.labels, source.missing)
    if counts.whole and counts.unmet:
        yield f"no row has label {list_labels(sorted(counts.unmet))}, which `aliases` or `missing` names"
    yield from warn_of_rare(counts)
    if unnamed := {label: counts.names[label] for label in counts.labels if label in counts.names}:
        none = f", and `missing: ['{UNLABELLED}']` leaves out texts without a label" * (UNLABELLED in counts.labels)
        yield f"the file has names for these labels; {write_aliases(unnamed)} uses them{none}"
    yield from warn_of_parts(source)
    yield from warn_of_repetitions(counts)
    yield from warn_of_groups(counts)
    yield from warn_of_texts(source, counts)
    yield from warn_of_long(source, counts, max_words)
    if not counts.whole:
        yield f"only the first {counts.read:,} rows were looked at before the run"
        return
    fixed = counts.splits["test"] or (source.splits.most and source.splits.most.test)
    share = None if fixed else 1 if source.trained_on else source.splits.test
    yield from warn_of_few(sum(text.split == "test" for text in counts.usable), share)
    yield from warn_of_classes(source, counts)


def check_dataset(
    name: str, source: TableCorpus | ReadoutCorpus, raw: RawFiles, max_words: int | None = None
) -> Overview:
    """Say what a data set holds, and what is odd in it. raw: the path of each of its files, by field; of readouts, of
    every one of them, by how the configuration names it. max_words: see `warn_of_long`.

    Raises AuditError where a file cannot be read as the configuration says, or the run could not go on.
    """
    if isinstance(source, ReadoutCorpus):
        readout = read_given_readout(raw[source.path], source.path)
        source.name_classes(name, readout)
        for entry, path in raw.items():
            companion = readout if entry == source.path else read_given_readout(path, entry)
            check_beside(companion, readout)
        lengths = [*map(len, readout.words)]
        summary = [
            f"{write_count(len(readout), 'text')}, all of them for the test, {readout.classes} classes; "
            f"{median(lengths):.0f} words a text (median), {max(lengths):,} in the longest"
        ]
        odd = warn_of_few(len(readout))
    else:
        counts = count(name, source, raw)
        refuse(name, source, counts)
        summary, odd = [*describe_table(source, counts)], list_oddities(source, counts, max_words)
    return Overview([f"{name}: {line}" for line in summary], [f"{name}: {line}" for line in odd])
