"""The base class of every typed group of settings, and the types of common settings."""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from attention_audit.targets import find_fault

NAME = r"^[a-z0-9][a-z0-9-]*$"
"""What a name may be: it stands in paths."""
Name = Annotated[str, StringConstraints(pattern=NAME)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Seed = Annotated[int, Field(ge=0, lt=2**31)]
Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Section(BaseModel):
    """Unknown keys are errors, and nothing is coerced: "8" is not a number of epochs.

    What stands below a key describes it, in the schema and on the pages of the configuration.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


WHOLE = "whole"
"""The mark of a group of settings that a rule is told as one, since the files that it reads change with them."""
SectionT = TypeVar("SectionT", bound=Section)
Whole = Annotated[SectionT, WHOLE]


def shorten_path(path: str) -> str:
    """Return a path with the home folder for ~, and as seen from the working directory where it is below it."""
    path = os.path.expanduser(path)
    return os.path.relpath(path) if os.path.isabs(path) and Path(path).is_relative_to(Path.cwd()) else path


OwnPath = Annotated[str, AfterValidator(shorten_path)]
"""The path of a file or folder of the user's, so that it has one name."""


def check_target(target: str) -> str:
    """Return "module:name". Raises ValueError where there is no such name."""
    if fault := find_fault(target):
        raise ValueError(str(fault))
    return target


Target = Annotated[str, AfterValidator(check_target)]
"""A function of the user's own, as "module:name"."""


class RegisteredName:
    """The annotation of a text that is one of certain names, which `names` lists; or of a class of the user's own, as
    "module:Class".

    An unknown name is refused as that of a `Literal` is.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.names = names

    def check(self, name: str) -> str:
        """Return the name. Raises PydanticKnownError or ValueError where there is none such."""
        if ":" in name:
            return check_target(name)
        *names, last = map(repr, self.names())
        if repr(name) not in (*names, last):
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(names)} or {last}"})
        return name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"anyOf": [{"enum": [*self.names()], "type": "string"}, {"type": "string"}]}


Value = TypeVar("Value")


def refuse_duplicates(what: str, values: list[Value]) -> list[Value]:
    """Return the values. Raises ValueError for the first that occurs twice; `what` says what a value is."""
    for index, value in enumerate(values):
        if value in values[:index]:
            raise ValueError(f"duplicate {what} {value!r}")
    return values


_DISTINCT = AfterValidator(partial(refuse_duplicates, "value"))
Distinct = Annotated[list[Value], _DISTINCT]
"""A list in which no value stands twice."""
OneOrMore = Annotated[list[Value], Field(min_length=1), _DISTINCT]
"""The same, which is not empty."""


def merge_settings(below: Any, above: Any) -> Any:
    """Groups of settings merged, as Snakemake merges configuration files; all else is replaced."""
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    return {**below, **{key: merge_settings(below.get(key), value) for key, value in above.items()}}


class SuiteSection(Section):
    """What the section of a suite says: of which data sets it is, and with which seeds its models are trained."""

    SHARED: ClassVar[tuple[str, ...]] = ()
    """Its keys, beside `datasets`, that are the same for all data sets."""

    datasets: Distinct[Name] = []
    """Data sets, by their names in `corpora`."""
    seeds: OneOrMore[Seed] = [10]
    """Seeds of every model."""

    def list_unpaired(self) -> list[str]:
        """List those of its `models` that read no pairs of texts, in a suite that reads pairs."""
        return []
