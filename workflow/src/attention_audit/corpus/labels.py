"""One look at the labels of a data set: their order, and what in them their writer may not have meant."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from .text import INVISIBLE

FEWEST = 4
"""A class has at least so many texts on average, or its labels are hardly classes."""
MANY = 20
"""Up to so many classes are named in a configuration; of more, a reader can compare none."""
SHOWN = 5
"""Labels that a message names."""
NUMBER = re.compile(r"((?:(?<!\S)[-\u2212])?\d+(?:\.\d+)?)")
ZEROS = re.compile(r"(?<![\d.])0+(?=\d)|(?<=\d)\.0+(?![\d.])")
"""What a number can do without: zeros before it, and a fraction of zeros."""
DECIMAL = re.compile(r"[-+\u2212]?\d*[.,]\d+(?:e[-+]?\d+)?%?", re.IGNORECASE)
MISSING = re.compile(
    r"-?nan|nat|\(?null\)?|nil|none|n\.?/?a\.?|<na>|undefined|\\n|missing|not available|no label|unlabell?ed|\(blank\)|"
    r"--?|[?.]|#(n/a|value!|ref!|name\?|div/0!|null!|num!)"
)
"""What programs and people write where there is no label, in lower case."""


def sort_labels(labels: Iterable[str]) -> list[str]:
    """Sort labels by the numbers in them, and then by their letters: -5, 2, 10; `1 star`, `10 stars`; bad, good."""

    def key(label: str) -> tuple[list[str | float], str]:
        # letters and numbers stand by turns, so that like is compared with like
        parts = enumerate(NUMBER.split(label))
        return [float(part.replace("\u2212", "-")) if place % 2 else part for place, part in parts], label

    return sorted(labels, key=key)


def fold_label(label: str) -> str:
    """Reduce a label to what its spellings share: no case, further spaces, invisible characters or idle zeros."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFKC", label)).casefold()
    return ZEROS.sub("", " ".join(text.split()))


def quote_label(label: str) -> str:
    """Quote a label as YAML reads it, so that what is invisible in it is seen."""
    plain = label.isprintable() and not INVISIBLE.search(label) and unicodedata.is_normalized("NFC", label)
    return json.dumps(label, ensure_ascii=not plain)


def list_few(parts: list[str], most: int = SHOWN) -> str:
    """List the first parts of a message, and say how many more there are."""
    return ", ".join(parts[:most]) + (f" and {len(parts) - most} more" if len(parts) > most else "")


def write_aliases(aliases: Mapping[str, str]) -> str:
    """Write the key that reads labels as others."""
    return f"`aliases: {{{list_few([f'{quote_label(a)}: {quote_label(b)}' for a, b in aliases.items()])}}}`"


def match_classes(labels: Iterable[str], classes: Iterable[str]) -> dict[str, str]:
    """The class of which each label is another spelling, for those that are one."""
    folded = {fold_label(name): name for name in classes}
    return {label: folded[fold] for label in labels if (fold := fold_label(label)) in folded}


def doubt_column(column: str, labels: Counter[str]) -> str:
    """Say why a column may hold no labels: they are scores, or hardly one comes again. "" where nothing tells so."""
    found, texts = len(labels), labels.total()
    decimals = [label for label in labels if DECIMAL.fullmatch(label)]
    if 2 * len(decimals) > found:
        return (
            f"column {column!r} holds numbers with decimals, {found:,} different ones in {texts:,} texts "
            f"({list_few(decimals)}): make classes of them, in a column of their own"
        )
    if found * FEWEST > texts:
        counted = "1 text" if texts == 1 else f"{texts:,} texts"
        return f"{found} classes in {counted}: is column {column!r} a label? If not, name another column as `label`"
    return ""


def find_oddities(labels: Counter[str], missing: list[str] | None) -> Iterator[str]:
    """Say which labels look like missing ones, and which like spellings of one label, with counts and the key to set.

    missing: the labels that are said to be missing; None where nobody said whether there are any.
    """
    absent = [label for label in labels if MISSING.fullmatch(fold_label(label))] if missing is None else []
    if absent == ["-"] and "+" in labels:
        absent = []
    if absent:
        texts = sum(labels[label] for label in absent)
        counts = list_few([f"{quote_label(label)} {labels[label]:,}" for label in absent])
        yield (
            f"the labels of {texts:,} of {labels.total():,} texts look like missing ones ({counts}), and are classes; "
            f"`missing: [{', '.join(map(quote_label, absent))}]` leaves these texts out, and `missing: []` says that "
            "they are labels"
        )
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for label, _ in labels.most_common():
        spellings[fold_label(label)].append(label)
    several = [names for names in spellings.values() if len(names) > 1 and names[0] not in absent]
    if several:
        counts = list_few([f"{quote_label(name)} {labels[name]:,}" for names in several for name in names])
        aliases = {other: first for first, *others in several for other in others}
        yield (
            "labels that differ by case, spaces, invisible characters or zeros alone are classes of their own "
            f"({counts}); {write_aliases(aliases)} makes them one"
        )
