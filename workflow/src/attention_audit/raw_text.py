"""A text as people write it, beside the words that models are given."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple


class RawText(NamedTuple):
    """A text as people write it. places: of each of its words, the place of its first character; or, while it is not
    split yet, of each character of what its source has made of it.
    """

    text: str
    places: Sequence[int]


def spaced(words: Sequence[str]) -> RawText:
    """Words with a space between any two."""
    return RawText(" ".join(words), [*accumulate((1 + len(word) for word in words[:-1]), initial=0)])
