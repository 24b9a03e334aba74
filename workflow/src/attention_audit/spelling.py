"""What somebody may have meant who wrote a name that there is not."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a word, whatever its case; None where none is like it."""
    by_case = {name.strip().lower(): name for name in known}
    near = get_close_matches(word.strip().lower(), by_case, n=1)
    return by_case[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, to stand behind a word in a message; "" where no known name is like the word."""
    near = nearest(word, known)
    return "" if near is None else f" (did you mean {near!r}?)"
