"""A text as people write it, beside the words that models are given."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple


class RawText(NamedTuple):
    """A text as people write it. places: of each of its words, the place of its first character; or, while it is not
    split yet, of each character of what its source has made of it. second: where the second text of a pair begins,
    behind a character that parts it from the first; None where this is no pair. outside: from where to where characters
    are of no word.
    """

    text: str
    places: Sequence[int]
    second: int | None = None
    outside: Sequence[tuple[int, int]] = ()

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the text, or both texts of a pair, as a tokenizer is called with them."""
        return (self.text,) if self.second is None else (self.text[: self.second - 1], self.text[self.second :])

    @property
    def first(self) -> int:
        """Return how many of its words are of the first text of a pair; all, where this is no pair."""
        return len(self.places) if self.second is None else bisect_left(self.places, self.second)

    def cut(self, count: int | None) -> "RawText":
        """Keep the first words of a text, so many of them; None: all."""
        if count is None or count >= len(self.places):
            return self
        return RawText(self.text[: self.places[count]].rstrip(), self.places[:count])

    def join_pair(self, second_text: "RawText") -> "RawText":
        """Join both texts of a pair."""
        second = len(self.text) + 1
        return RawText(
            f"{self.text}\n{second_text.text}", [*self.places, *(second + at for at in second_text.places)], second
        )


def join_words(words: Sequence[str], first_count: int | None = None) -> RawText:
    """Join words by spaces. first_count: how many of them are of the first text of a pair, if it is one."""
    if first_count is not None and first_count < len(words):
        return join_words(words[:first_count]).join_pair(join_words(words[first_count:]))
    return RawText(" ".join(words), [*accumulate((1 + len(word) for word in words[:-1]), initial=0)])
