"""The units of a text that maps are of: its words, the pieces of a tokenizer, or its sentences.

A unit has the sum of its pieces' weights or scores, and is deleted as a whole.
"""

from itertools import pairwise
from typing import Any

from attention_audit.transformer.settings import Granularity

from .rationales import Span
from .tokens import SplitText, Tokens, split_words


def find_pieces(text: str, tokenizer: Any) -> list[Span]:
    """Find where the pieces of a text stand in it; those of one character are one."""
    ends = dict[int, int]()
    for start, stop in tokenizer(text, add_special_tokens=False).encodings[0].offsets:
        written = text[start:stop].strip()
        if written:
            begin = text.index(written, start)
            ends.setdefault(begin, begin + len(written))
    return sorted(ends.items())


def find_sentences(text: str, tokens: Tokens) -> list[Span]:
    """Find where the sentences of a text stand in it."""
    split = split_words(text, tokens.model_copy(update={"sentences": True}))
    edges = pairwise([*(split.places[at][0] for at in split.begins), len(text)])
    return [(start, start + len(text[start:stop].rstrip())) for start, stop in edges]


def split_units(text: str | list[str], tokens: Tokens, granularity: Granularity, tokenizer: Any) -> SplitText:
    """Split a text into units; those that are no words are of one sentence. tokenizer: whose pieces they may be.

    Raises ValueError where a text is split into words already, and its units are others.
    """
    if granularity == "word":
        return split_words(text, tokens)
    if isinstance(text, list):
        raise ValueError("is split into words already")
    places = find_pieces(text, tokenizer) if granularity == "token" else find_sentences(text, tokens)
    return SplitText([text[start:stop] for start, stop in places], places, [0])
