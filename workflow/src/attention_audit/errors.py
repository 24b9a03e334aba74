"""The one exception a user is meant to see."""


class AuditError(Exception):
    """A fault the user can mend. Its text is one line: what is wrong, where, and what to do. Several faults that were
    found together have a line each.

    Line ends and control characters are escaped; names in archives and values in configurations may contain them.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(map(_printable, lines)))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
