"""The one exception a user is meant to see."""


class AuditError(Exception):
    """A fault the user can mend. Its text is one line: what is wrong, where, and what to do.

    Line ends and control characters are escaped; names in archives and values in configurations may contain them.
    """

    def __init__(self, text: str) -> None:
        super().__init__("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text))
