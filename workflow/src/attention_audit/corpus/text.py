"""One labelled text, or pair of texts, as its source gives it; how a text is cleaned, with the place of each character:
NFC, characters that nobody sees, and HTML; and labels: their order, and what in them their writer may not have meant.
"""

import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Annotated, Any

from pydantic import BeforeValidator

from attention_audit.raw_text import RawText

from .rationales import Annotations

UNKNOWN_LABEL = -1
"""In the place of a label's number: nobody knows it."""
_MARKS = {code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M"}
# as ranges, of which a pattern is compiled sooner
_FIRST, _LAST = (sorted(code for code in _MARKS if code + step not in _MARKS) for step in (-1, 1))
COMBINING_MARKS = "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(_FIRST, _LAST, strict=True))
COMBINING_MARKS += "\U000e0100-\U000e01ef"
"""Vowel signs, diacritics, points and variation selectors (Unicode M), each a part of the character before it."""
EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
"""Blocks of the symbols that joiners make one emoji of."""
JOINED = "\u0600-\u109f\u1780-\u18af"
"""Scripts in which joiners and non-joiners change how a word is written: Arabic, those of India, and others."""
SPACED = "\u0e00-\u109f\u1780-\u17ff"
"""Scripts in which spaces of no width may stand between words: Thai, Lao, Tibetan, Burmese and Khmer."""
ZERO_WIDTH_SPACE = re.compile(f"(?<=[{SPACED}])\u200b(?=[{SPACED}])")
HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff"
    "\uffa0\ufff9-\ufffb"
)
JOINERS = "\u200c\u200d"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
INVISIBLE = re.compile(f"[{HIDDEN}{JOINERS}{SELECTORS}]")
"""Characters that nobody sees by themselves: soft hyphens, direction marks, fillers, joiners, variation selectors."""
VISIBLE = re.compile(f"[^\\s{HIDDEN}{JOINERS}{SELECTORS}]")
NEEDLESS = re.compile(
    f"[{HIDDEN}]"
    f"|[{JOINERS}](?!(?<=[{JOINED}].)[{JOINED}]|(?<=[{EMOJI}\ufe0f]\u200d)[{EMOJI}])"
    f"|(?<![^\\w\\s{COMBINING_MARKS}])[{SELECTORS}](?!\u20e3)"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001\U000e0020-\U000e007f]+"
)
"""The same, except joiners that a script needs, and parts of an emoji; and tags that belong to no flag."""
COMPOSED = re.compile(f"\\s|.[{COMBINING_MARKS}\u1160-\u11ff]*")
"""A character and all that NFC may make one with it: marks, and the parts of a Korean syllable."""
FILLER = "\u2060"
"""An invisible character, which fills up what is shorter than the source's text."""
TAGS = (
    "a abbr article b big blockquote body br center code dd div dl dt em figure font footer form h[1-6] head header "
    "hr html i iframe img li meta nav ol option p pre section select small span strike strong sub sup table tbody td "
    "tfoot th thead title tr tt u ul wbr"
).replace(" ", "|")
MARKUP = re.compile(
    r"(?:<|&lt;)(?:(script|style)\b.*?/\1\s*|!--.*?--"
    rf"|/?(?:{TAGS})(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>&]+))*\s*/?)(?:>|&gt;)"
    r"|(?P<entity>&(?:amp;)*(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]*);)",
    re.IGNORECASE | re.DOTALL,
)
"""Tags that HTML knows, scripts, comments and what may be entities, all of which may be escaped themselves."""
SPLITS = ("train", "dev", "test")
WHOLE_NUMBER = re.compile(r"(0|-?[1-9][0-9]*)\.0+")
"""A whole number as a column of numbers is often written where one of its cells is empty."""


def label_text(label: Any) -> Any:
    """Write a label as text: 1, 1.0, "1" and "1.0" are the same, as are True and "true". Anything else stays."""
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, int | float) and math.isfinite(label):
        return str(int(label) if label == label // 1 else label)
    integer = WHOLE_NUMBER.fullmatch(label) if isinstance(label, str) else None
    return integer[1] if integer else label


def is_missing(cell: Any) -> bool:
    """Return whether a cell is empty."""
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


@cache
def _list_punctuation() -> dict[int, str]:
    return {code: " " for code in range(0x10000) if unicodedata.category(chr(code))[0] == "P"}


def reduce_text(text: str) -> str:
    """Reduce a text to what texts share that are alike but for case, punctuation, spaces and invisible characters."""
    visible = INVISIBLE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(visible.translate(_list_punctuation()).split()) or "".join(visible.split())


Label = Annotated[str, BeforeValidator(label_text, json_schema_input_type=str | int | float | bool)]


@dataclass(frozen=True, slots=True)
class Text:
    """A text before it is split into words, or a list of words where the source has split it.

    split: None where the source has no splits. label: None where there is none, so that the text is left out. place:
    file and row, for messages. query: the second text of a pair (question, hypothesis). candidates: the labels that may
    be the answer, None for all. annotations: the words that are known or said to decide the label, None where nobody
    said which. sentences: in a text that is split into words, the position of each sentence's first word. mask: of each
    word, once the text is split, whether it is impermissible; None where no mask comes with the text. written: where
    `text` is not what people write, that. group: what it shares with texts that are not independent of it: a
    premise, a story, a film; None where it stands for itself. labels: all that it has, where it may have any number
    of them and these are known.
    """

    id: str
    split: str | None
    label: str | None
    text: str | list[str]
    place: str
    query: str | list[str] | None = None
    candidates: list[str] | None = None
    annotations: Annotations | None = None
    sentences: list[int] | None = None
    mask: list[bool] | None = None
    written: RawText | None = None
    group: str | None = None
    labels: list[str] | None = None


Texts = Iterator[Text]


def clean_characters(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in NFC without invisible characters, and the place of each character and of the end, (L + 1,).

    An invisible character has the place of the one before it; behind white space, of the one after it.
    """
    offsets: Sequence[int] = range(len(text) + 1)
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and not NEEDLESS.search(text)):
        return text, offsets
    visible = ZERO_WIDTH_SPACE.sub(" ", text)
    while gone := {at for match in NEEDLESS.finditer(visible) for at in range(*match.span())}:
        remaining = [at for at in range(len(visible)) if at not in gone]
        visible, offsets = "".join(visible[at] for at in remaining), [offsets[at] for at in remaining]
    composed = ""
    starts: list[int] = []
    for match in COMPOSED.finditer(visible):
        part, part_offsets = unicodedata.normalize("NFC", match[0]), [*offsets[match.start() : match.end()]]
        starts += part_offsets if len(part) == len(part_offsets) else part_offsets[:1] * len(part)
        composed += part
    ends = [*starts, len(text)]
    begins = [end if at and not composed[at - 1].isspace() else at and ends[at - 1] + 1 for at, end in enumerate(ends)]
    return composed, begins


def read_markup(markup: re.Match[str]) -> str:
    """Return spaces for a tag, the character of an entity, and of anything else itself, as long as what was found."""
    source = decoded = markup[0]
    if markup["entity"] is None:
        return " " * len(source)
    while (again := unescape(decoded)) != decoded:
        decoded = again
    return decoded + FILLER * (len(source) - len(decoded)) if len(decoded) <= 2 else source


def find_markup(text: str) -> str:
    """Return the first HTML tag or entity of a text, "" where there is none."""
    return next((match[0] for match in MARKUP.finditer(text) if read_markup(match) != match[0]), "")


def find_misread(text: str) -> str:
    """Return the first sign of utf-8 that was read in another encoding and saved again; "" where there is none."""
    match = None if text.isascii() else MISREAD.search(text)
    return match[0] if match else ""


def strip_html(text: str) -> str:
    """Replace tags by spaces and entities by their characters; each other character keeps its place."""
    return MARKUP.sub(read_markup, text)


FURTHER = f"[\x80-\xbf{bytes(range(0x80, 0xA0)).decode('cp1252', 'ignore')}]"
"""What a byte of utf-8 behind the first one of a character is in cp1252."""
FURTHER_MAC = re.escape(bytes(range(0x80, 0xC0)).decode("mac_roman"))
MISREAD = re.compile(
    f"(?<![A-Z\xc0-\xde])(?:\xc2[\xa0-\xbf]|\xc3{FURTHER})|\xe2[\x80\u20ac]{FURTHER}|\xf0[\x9f\u0178]{FURTHER}{{2}}"
    f"|(?:[\xc4-\xdf]{FURTHER}){{2}}|(?:[\xe0-\xef]{FURTHER}{{2}}){{2}}|(?:\u221a|\u201a\xc4)[{FURTHER_MAC}]"
)
"""Latin letters, quotation marks and emoji of utf-8 that was read as cp1252, or as an old Mac's; of other scripts two
letters, since one may be a letter with a mark behind it.
"""
MIN_TEXTS_A_CLASS = 4
"""A class has at least so many texts on average, or its labels are hardly classes."""
MAX_CLASSES = 20
"""Up to so many classes are named in a configuration; of more, a reader can compare none."""
MAX_LABELS_SHOWN = 5
"""Labels that a message names."""
LABEL_NUMBER = re.compile(r"((?:(?<!\S)[-\u2212])?\d+(?:\.\d+)?)")
IDLE_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)|(?<=\d)\.0+(?![\d.])")
"""What a number can do without: zeros before it, and a fraction of zeros."""
LAST_ZEROS = re.compile(r"(?<![\d.])(\d+\.\d*[1-9])0+(?![\d.])")
"""A number whose fraction ends in zeros, which it can do without."""
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
        parts = enumerate(LABEL_NUMBER.split(label))
        return [float(part.replace("\u2212", "-")) if index % 2 else part for index, part in parts], label

    return sorted(labels, key=key)


def fold_label(label: str) -> str:
    """Reduce a label to what its spellings share: no case, further spaces, invisible characters or idle zeros."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFKC", label)).casefold()
    return LAST_ZEROS.sub(r"\1", IDLE_ZEROS.sub("", " ".join(text.split())))


def quote_label(label: str) -> str:
    """Quote a label as YAML reads it, so that what is invisible in it is seen."""
    plain = label.isprintable() and not INVISIBLE.search(label) and unicodedata.is_normalized("NFC", label)
    return json.dumps(label, ensure_ascii=not plain)


def list_few(parts: list[str], limit: int = MAX_LABELS_SHOWN) -> str:
    """List the first parts of a message, and say how many more there are."""
    return ", ".join(parts[:limit]) + (f" and {len(parts) - limit} more" if len(parts) > limit else "")


def write_count(number: int, singular: str, plural: str = "") -> str:
    """Write a number of things with what is said of them, of one or of many."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def write_aliases(aliases: Mapping[str, str]) -> str:
    """Write the key that reads labels as others."""
    return f"`aliases: {{{list_few([f'{quote_label(a)}: {quote_label(b)}' for a, b in aliases.items()])}}}`"


def match_spellings(labels: Iterable[str], classes: Iterable[str]) -> dict[str, str]:
    """Find the class of which each label is another spelling, for those that are one."""
    folded = {fold_label(name): name for name in classes}
    return {label: folded[fold] for label in labels if (fold := fold_label(label)) in folded}


def is_whole(decimal: str) -> bool:
    """Tell whether a number with decimals is a whole one, such as 1.0 or 2.00e+01, as numpy writes classes."""
    return float(decimal.rstrip("%").translate({ord(","): ".", ord("\u2212"): "-"})).is_integer()


def judge_column(column: str, labels: Counter[str]) -> str:
    """Say why a column may hold no labels: they are scores, or hardly one comes again. "" where nothing tells so."""
    count, texts = len(labels), labels.total()
    decimals = [label for label in labels if DECIMAL.fullmatch(label)]
    if 2 * len(decimals) > count and not all(map(is_whole, decimals)):
        return (
            f"column {column!r} holds numbers with decimals, {count:,} different ones in {texts:,} texts "
            f"({list_few(decimals)}): make classes of them, in a column of their own"
        )
    if count * MIN_TEXTS_A_CLASS > texts:
        doubt = f"{count} classes in {write_count(texts, 'text')}: is column {column!r} a label?"
        return f"{doubt} If not, name another column as `label`"
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
    groups = [names for names in spellings.values() if len(names) > 1 and names[0] not in absent]
    if groups:
        counts = list_few([f"{quote_label(name)} {labels[name]:,}" for names in groups for name in names])
        aliases = {variant: spelling for spelling, *variants in groups for variant in variants}
        yield (
            "labels that differ by case, spaces, invisible characters or zeros alone are classes of their own "
            f"({counts}); {write_aliases(aliases)} makes them one"
        )
