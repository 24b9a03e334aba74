"""Words of a raw text."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language


@cache
def english() -> Language:
    """spaCy's blank English pipeline: its tokenizer is all rules, nothing trained."""
    import spacy  # here, since it takes a second and control corpora do without

    return spacy.blank("en")


def tokenize(text: str) -> list[str]:
    """The words of an English text, lower-cased after the split, as the authors do: the split minds capitals."""
    return [token.text.lower() for token in english().make_doc(text) if not token.is_space]
