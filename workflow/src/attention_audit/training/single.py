"""What is other on a single data set, for each paper's models: the key `models` of the configuration."""

from typing import Any, Literal

from pydantic import Field, field_validator

from attention_audit.model.architecture import Encoder, Scoring
from attention_audit.section import Count, Section, Seed, refuse_duplicates
from attention_audit.training.combinations import Combination, CombinationRecipe
from attention_audit.training.documents import DocumentModel, DocumentRecipe, Recipient


class OwnRuns(Section):
    """Which models there are, and with which seeds."""

    seeds: list[Seed] | None = Field(None, min_length=1, description="Seeds of every model.")

    @field_validator("seeds", "models", check_fields=False)
    @classmethod
    def _distinct(cls, values: list[Any] | None) -> list[Any] | None:
        refuse_duplicates("value", values or [])
        return values


class OwnDocuments(OwnRuns):
    """What is other on one data set than in `serrano_smith`; a key that is null is as there."""

    models: list[DocumentModel] | None = Field(None, min_length=1, description="Its models.")
    recipes: dict[Recipient, DocumentRecipe] = Field(
        default_factory=dict, description="How models are trained, by model, or `han` and `flan` for all others."
    )


class OwnCombinations(OwnRuns):
    """What is other on one data set than in `jain_wallace`; a key that is null is as there."""

    models: list[Combination] | None = Field(None, min_length=1, description="Its models.")
    recipe: CombinationRecipe | None = Field(None, description="Sizes and training.")


class OwnBase(Section):
    """What is other on one data set: in the base model than in `model` and `training`, and in the models of other
    papers than in their sections. A key that is null is as there.
    """

    encoder: Encoder | None = Field(None, description="The encoder of the base model.")
    attention: Scoring | None = Field(None, description="The attention's scoring function.")
    embedding: Count | None = Field(None, description="Width of random embeddings.")
    hidden: Count | None = Field(None, description="Units of the encoder.")
    attention_hidden: Count | None = Field(None, description="Width of the additive attention's hidden layer.")
    epochs: Count | None = Field(None, description="Epochs of base, uniform and guided models.")
    ties: Literal["first", "loss"] | None = Field(None, description="Which of the epochs with the same score.")
    serrano_smith: OwnDocuments | None = Field(None, description="What is other in Serrano & Smith's models.")
    jain_wallace: OwnCombinations | None = Field(None, description="What is other in Jain & Wallace's models.")
