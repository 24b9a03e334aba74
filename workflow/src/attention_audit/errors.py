"""The one exception a user is meant to see."""


class AuditError(Exception):
    """A fault the user can mend. Its text is one line: what is wrong, where, and what to do."""
