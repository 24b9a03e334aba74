"""What an unknown table is: its encoding, its separator, which column is what, and the language of its texts."""

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from attention_audit.corpus.counts import NUMERIC
from attention_audit.corpus.labels import FEWEST
from attention_audit.corpus.rationales import FORMS, Evidence, Written, annotations_of
from attention_audit.corpus.raw import count_utf8, csv_rows, lines, opened
from attention_audit.corpus.sources.table import ALIASES
from attention_audit.corpus.tabular import (
    DELIMITERS,
    LOOKED_AT,
    MOST_WORDS,
    OTHERS,
    Layout,
    beginning,
    format_of,
    is_no_header,
    mend_encoding,
)
from attention_audit.corpus.text import SPLITS, label_text
from attention_audit.errors import AuditError

ENCODINGS: Mapping[str, tuple[str, float]] = {
    "shift_jis": ("HIRAGANA", 0.2),
    "euc-kr": ("HANGUL", 0.8),
    "cp1251": ("CYRILLIC SMALL", 0.7),
    "gb18030": ("CJK UNIFIED", 0.7),
}
"""Encodings that are tried; with how the Unicode names of most characters beyond ASCII then begin, and their share."""
TEXTS = re.compile(r"(text|review|sentence|document|comment|tweet|message)s?|body|content|abstract", re.IGNORECASE)
LABELS = ("label", "labels", "class", "category", "sentiment", "target", "stars", "rating", "score", "polarity")
IDS = re.compile(r"(.*[^a-z])?(id|idx|uid|guid)", re.IGNORECASE)
GROUPS = re.compile(
    r"(group|source|document|doc|article|premise|story|film|movie|user|author|patient|speaker)([ _-]?(id|name))?",
    re.IGNORECASE,
)
MARKED = re.compile(r"rationale|evidence|highlight|marks|annot", re.IGNORECASE)
"""Names that columns often have; the earlier of LABELS go before the later ones."""
FAVOUR = 3
"""A column with the name of a text counts as so many times as long."""
MARKS = 500
"""Rows in which the marks of a column are tried."""


@dataclass(frozen=True)
class Column:
    """A column, with its cells that are not empty, and how many are."""

    name: str
    cells: list[Any]
    empty: int

    @cached_property
    def values(self) -> Counter[Any]:
        """How often each value occurs, as labels are read; nothing where a cell is a list or an object."""
        plain = all(isinstance(cell, str | int | float) for cell in self.cells)
        return Counter(map(label_text, map(stripped, self.cells))) if plain else Counter()

    @cached_property
    def length(self) -> float:
        """Characters of a cell on average; 0 where cells are no texts."""
        texts = all(isinstance(cell, str) for cell in self.cells)
        return sum(map(len, self.cells)) / len(self.cells) if texts and self.cells else 0.0

    @property
    def repeated(self) -> bool:
        """Whether there are so few values that they may be labels."""
        return len(self.values) <= len(self.cells) / FEWEST

    @property
    def is_split(self) -> bool:
        """Whether its cells name splits."""
        values = {str(value).lower() for value in self.values}
        return "train" in values and len(values) > 1 and values <= {*SPLITS, *ALIASES}

    @property
    def is_id(self) -> bool:
        """Whether it has the name of ids."""
        return bool(IDS.fullmatch(self.name))

    @property
    def is_group(self) -> bool:
        """Whether it has the name of what texts share, and some of them do."""
        return bool(GROUPS.fullmatch(self.name)) and 1 < len(self.values) < len(self.cells)

    @property
    def is_marked(self) -> bool:
        """Whether it has a name of marked words."""
        return bool(MARKED.search(self.name))


def stripped(cell: Any) -> Any:
    """A cell, without white space around it if it is a text."""
    return cell.strip() if isinstance(cell, str) else cell


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """The columns that all rows have."""
    names = [name for name in rows[0] if all(name in row for row in rows)] if rows else []
    cells = {name: [row[name] for row in rows if row[name] is not None and stripped(row[name]) != ""] for name in names}
    return [Column(name, there, len(rows) - len(there)) for name, there in cells.items()]


def encoding_of(path: Path) -> str:
    """Guess the encoding of a file by all of its lines.

    Raises AuditError where it is one that cannot be read, or is not known, and at a line that alone is not in utf-8.
    """
    with opened(path) as stream:
        beginning(stream, path)
        fitting, wrong = count_utf8(stream)
    if not wrong:
        return "utf-8"
    if fitting > len(wrong):
        with opened(path) as stream:
            deque(lines(stream, str(path)), maxlen=0)
    begins = b"".join(wrong)
    if "cp1252" in mend_encoding(begins, "utf-8"):
        return "cp1252"
    for encoding, (script, least) in ENCODINGS.items():
        with suppress(UnicodeDecodeError):
            beyond = [unicodedata.name(each, "") for each in begins.decode(encoding) if not each.isascii()]
            if sum(name.startswith(script) for name in beyond) >= least * len(beyond):
                return encoding
    raise AuditError(f"{path}: is neither in utf-8 nor in another encoding that is known here; save it as utf-8")


def layout_of(path: Path) -> Layout:
    """How a file is laid out; what has its default is None. Raises AuditError as `encoding_of` does."""
    kind = format_of(path.name)
    if kind in ("parquet", "xlsx"):
        return Layout()
    encoding = encoding_of(path)
    if kind not in DELIMITERS:
        return Layout(encoding)
    own = DELIMITERS[str(kind)]
    found: dict[str, list[list[str]]] = {}
    for delimiter in dict.fromkeys([own, *OTHERS]):
        with opened(path) as stream, suppress(AuditError):
            found[delimiter] = []
            rows = csv_rows(lines(stream, str(path), encoding), str(path), delimiter)
            found[delimiter] += (row for _, row in islice(rows, LOOKED_AT))
    widths = {delimiter: {*map(len, rows)} for delimiter, rows in found.items()}
    even = [delimiter for delimiter, there in widths.items() if len(there) == 1 and there != {1}]
    wide = [delimiter for delimiter, rows in found.items() if rows and len(rows[0]) > 1]
    delimiter = next(iter([*even, *wide, own]))
    first, *others = found[delimiter] or [[]]
    names = [f"column{number}" for number in range(1, len(first) + 1)] if is_no_header(first, others) else None
    return Layout(encoding, None if delimiter == own else delimiter, names)


def texts_in(columns: Sequence[Column]) -> list[Column]:
    """Columns that may hold the texts, the likeliest first: the longest, or those with a name of texts."""

    def length(column: Column) -> float:
        return column.length * (FAVOUR if TEXTS.fullmatch(column.name) else 1)

    def likely(column: Column) -> bool:
        """Whether its cells are texts, and neither labels nor addresses nor numbers, though a name tells more."""
        if not column.length or column.is_id or column.is_split or column.is_marked:
            return False
        other = all(cell.startswith("http") or NUMERIC.fullmatch(cell.strip()) for cell in column.cells)
        return bool(TEXTS.fullmatch(column.name)) or not (other or column.repeated)

    return sorted(filter(likely, columns), key=length, reverse=True)


def labels_in(columns: Sequence[Column]) -> list[Column]:
    """Columns that may hold the labels, the likeliest first: by their names, then those of the fewest classes."""

    def rank(column: Column) -> tuple[int, int]:
        name = column.name.lower()
        named = LABELS.index(name) if name in LABELS else len(LABELS)
        return named + (not any(label in name for label in LABELS)), len(column.values)

    def likely(column: Column) -> bool:
        """Whether its cells are short, and each of them comes again and again, though a name tells more."""
        if column.is_id or column.is_split or column.is_marked or not column.values:
            return False
        short = all(len(str(value).split()) <= MOST_WORDS for value in column.values)
        return short and (column.name.lower() in LABELS or (column.repeated and len(column.values) > 1))

    return sorted(filter(likely, columns), key=rank)


def evidence_in(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column], text: str) -> Evidence | None:
    """The column of marked words and how it is written, so that the marks of all rows fit; None where none do."""
    forms: list[Written] = sorted(FORMS, key=["flags", "scores", "words", "characters"].index)
    for column in columns:
        for form in forms if column.is_marked else ():
            evidence = Evidence(columns=column.name, written=form)
            with suppress(AuditError):
                said = [annotations_of("", str(row[text] or ""), row, evidence) for row in rows[:MARKS]]
                if any(said) and not any(one and (one.outside or one.miscounted) for one in said):
                    return evidence
    return None
