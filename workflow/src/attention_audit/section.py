"""The base class of every typed group of settings, and the types of common settings."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NAME = r"^[a-z0-9][a-z0-9-]*$"
"""What a name may be: it stands in paths."""
Name = Annotated[str, StringConstraints(pattern=NAME)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Seed = Annotated[int, Field(ge=0, lt=2**31)]
Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Section(BaseModel):
    """Unknown keys are errors, and nothing is coerced: "8" is not a number of epochs."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def refuse_duplicates(what: str, values: Iterable[Any]) -> None:
    """Raise ValueError for the first of `values` that occurs twice; `what` says what a value is."""
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"duplicate {what} {value!r}")
        seen.add(value)
