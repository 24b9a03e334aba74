"""The one exception a user is meant to see, and what a wrong name may have meant."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path


def escape_line(text: str) -> str:
    """Escape line ends and control characters, which names in archives and values in configurations may contain."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class AuditError(Exception):
    """A fault the user can mend. Its text is one line, `place: fault; remedy`.

    place: where it is, such as a file with a line, a key of the configuration or an argument of a call; who calls may
    put their own place before it (`add_place`). fault: what is wrong there. remedy: what to do.

    further: other faults that were found together (`join_faults`); each has a line of its own.
    """

    def __init__(
        self, place: str | Path, fault: str = "", remedy: str = "", further: Sequence["AuditError"] = ()
    ) -> None:
        self.place, self.fault, self.remedy, self.further = str(place), fault, remedy, further
        super().__init__(self.place, fault, remedy)

    @property
    def faults(self) -> list["AuditError"]:
        """Return this fault and all that were found with it."""
        return [self, *self.further]

    def __str__(self) -> str:
        lines = ("; ".join(filter(None, (": ".join(filter(None, (f.place, f.fault))), f.remedy))) for f in self.faults)
        return "\n".join(map(escape_line, lines))


def join_faults(faults: Iterable[AuditError]) -> AuditError:
    """Join faults that were found together, of which there is at least one."""
    head, *rest = (fault for each in faults for fault in each.faults)
    return AuditError(head.place, head.fault, head.remedy, rest)


@contextmanager
def add_place(place: str) -> Iterator[None]:
    """Put a place before that of each fault that the block raises."""
    try:
        yield
    except AuditError as error:
        locations = [": ".join(filter(None, (place, fault.place))) for fault in error.faults]
        faults = (AuditError(at, fault.fault, fault.remedy) for at, fault in zip(locations, error.faults, strict=True))
        raise join_faults(faults) from error


def find_nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the known name that is most like a word, whatever its case; None where none is like it."""
    by_case = {name.strip().lower(): name for name in names}
    near = get_close_matches(word.strip().lower(), by_case, n=1)
    return by_case[near[0]] if near else None


def suggest(word: str, names: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)`, to stand behind a word in a message; "" where no known name is like the word."""
    near = find_nearest(word, names)
    return "" if near is None else f" (did you mean {near!r}?)"
