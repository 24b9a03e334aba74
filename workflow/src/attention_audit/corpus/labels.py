"""Labels as a file or a configuration has them, as text."""

import math
import re
from typing import Annotated, Any

from pydantic import BeforeValidator

WHOLE = re.compile(r"(-?[0-9]+)\.0+")
"""A whole number as a column of numbers is often written where one of its cells is empty."""


def label_text(label: Any) -> Any:
    """A label as text: 1, 1.0, "1" and "1.0" are the same, and so are True and "true". Anything else is as it was."""
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, int | float) and math.isfinite(label):
        return str(int(label) if label == label // 1 else label)
    whole = WHOLE.fullmatch(label) if isinstance(label, str) else None
    return str(int(whole[1])) if whole else label


Label = Annotated[str, BeforeValidator(label_text, json_schema_input_type=str | int | float | bool)]
