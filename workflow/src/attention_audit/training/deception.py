"""The section of the configuration for deceptive models, which hide by their attention what they rely on."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from attention_audit.section import Count, Name, Positive, Section, Seed, refuse_duplicates


class Deception(Section):
    """Deceptive attention (Pruthi et al. 2020): the base model beside liars, which minimise label loss - lambda log(1 -
    attention on the known evidence).
    """

    datasets: list[Name] = Field(
        default_factory=list, description="Data sets whose evidence is known and hidden, by their names in `corpora`."
    )
    lambdas: list[Positive] = Field(
        default_factory=lambda: [0.1], min_length=1, description="Weights of the penalty; each makes a model."
    )
    seeds: list[Seed] = Field(
        default_factory=lambda: [10, 50, 257],
        min_length=1,
        description="Seeds of every model; the base model's own are not trained again.",
    )

    epochs: Count = Field(15, description="Epochs of a liar; the one of the lowest training loss is kept.")
    learning_rate: Positive = Field(1e-3, description="Learning rate of a liar.")

    @field_validator("datasets", "lambdas", "seeds")
    @classmethod
    def _distinct(cls, values: list[Any]) -> list[Any]:
        refuse_duplicates("value", values)
        return values
