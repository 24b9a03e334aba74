"""One labelled text, or pair of texts, as its source gives it; and labels as a file or a configuration has them."""

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from attention_audit.corpus.cleaning import INVISIBLE
from attention_audit.corpus.rationales import Annotations
from attention_audit.raw_text import RawText

SPLITS = ("train", "dev", "test")
WHOLE = re.compile(r"(0|-?[1-9][0-9]*)\.0+")
"""A whole number as a column of numbers is often written where one of its cells is empty."""
_MARKS = {code: " " for code in range(0x10000) if unicodedata.category(chr(code))[0] == "P"}


def label_text(label: Any) -> Any:
    """A label as text: 1, 1.0, "1" and "1.0" are the same, and so are True and "true". Anything else is as it was."""
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, int | float) and math.isfinite(label):
        return str(int(label) if label == label // 1 else label)
    whole = WHOLE.fullmatch(label) if isinstance(label, str) else None
    return whole[1] if whole else label


def is_missing(cell: Any) -> bool:
    """Return whether a cell is empty."""
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def reduce_text(text: str) -> str:
    """Reduce a text to what texts share that are alike but for case, punctuation, spaces and invisible characters."""
    reduced = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(INVISIBLE.sub("", reduced).translate(_MARKS).split()) or reduced


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
    premise, a story, a film; None where it stands for itself.
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


Texts = Iterator[Text]
