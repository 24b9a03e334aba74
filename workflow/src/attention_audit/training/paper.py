"""What the sections of the configuration for a paper's own models have in common."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field, field_validator

from attention_audit.section import Name, Section, Seed, refuse_duplicates

DEFAULT = "default"
"""The name of the recipe for all data sets that have no recipe of their own."""


class PaperSection(Section):
    """Which data sets, which models, with which seeds."""

    datasets: list[Name] = Field(default_factory=list, description="Data sets to test, by their names in `corpora`.")
    models: Sequence[str]
    seeds: list[Seed]

    @field_validator("datasets", "models", "seeds")
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        refuse_duplicates("value", values)
        return values
