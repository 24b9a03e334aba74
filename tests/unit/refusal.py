"""What a reader says of a file that it refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from attention_audit.errors import AuditError


def refusal(read: Callable[[Path], object], path: Path) -> str:
    """The one line that reading a file ends in, which begins with its path."""
    with pytest.raises(AuditError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message
