"""The one exception a user is meant to see, and what a wrong name may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


class AuditError(Exception):
    """A fault the user can mend. Its text is one line: what is wrong, where, and what to do. Several faults that were
    found together have a line each.

    Line ends and control characters are escaped; names in archives and values in configurations may contain them.
    """

    def __init__(self, *lines: str) -> None:
        shown = ((c if c.isprintable() else c.encode("unicode_escape").decode() for c in line) for line in lines)
        super().__init__("\n".join(map("".join, shown)))


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a word, whatever its case; None where none is like it."""
    by_case = {name.strip().lower(): name for name in known}
    near = get_close_matches(word.strip().lower(), by_case, n=1)
    return by_case[near[0]] if near else None


def suggest(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)`, to stand behind a word in a message; "" where no known name is like the word."""
    near = find_nearest(word, known)
    return "" if near is None else f" (did you mean {near!r}?)"
