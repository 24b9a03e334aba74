"""What a reader says of a file that it refuses."""

from pathlib import Path

import pytest

from attention_audit.errors import AuditError


def refusal(read, *arguments, **settings):
    """The one line that reading a file ends in, which begins with its path where this is one of the arguments."""
    with pytest.raises(AuditError) as caught:
        read(*arguments, **settings)
    message = str(caught.value)
    assert message.startswith(str(next((path for path in arguments if isinstance(path, Path)), "")))
    assert message.isprintable()
    return message
