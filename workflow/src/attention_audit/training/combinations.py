"""The section of the configuration for Jain & Wallace's models, each an encoder with an attention."""

from typing import Final, Literal, Self, get_args

from pydantic import Field, model_validator

from attention_audit.section import Count, Distinct, Name, OneOrMore, Section, Seed
from attention_audit.training.settings import Optimisation

Combination = Literal[
    "lstm_tanh",
    "cnn_tanh",
    "average_tanh",
    "transformer_tanh",
    "lstm_dot",
    "cnn_dot",
    "average_dot",
    "transformer_dot",
    "average_drawn",
]

OF_SINGLE_TEXTS: Final = frozenset[Combination]({"average_drawn"})
"""Those that read no pairs: their weights follow from no query."""


class CombinationRecipe(Optimisation):
    """Sizes and training of the models."""

    epochs: Count = Field(8, description="Epochs; the authors: 8, for pairs 25, for bAbI 100.")
    hidden: Count = Field(
        128,
        multiple_of=4,
        description="LSTM units in each direction; width of the other encoders. The authors: 128, for bAbI 32.",
    )
    embedding: Count = Field(300, description="Width of random embeddings; word vectors bring their own.")
    first_epoch: bool = Field(
        True, description="Whether the first epoch may be selected; false, as in the authors' later run, leaves it out."
    )

    @model_validator(mode="after")
    def _selectable(self) -> Self:
        if self.epochs == 1 and not self.first_epoch:
            raise ValueError("epochs: 1, and the first is not to be selected; train for 2 or more")
        return self


class Combinations(Section):
    """Correlation and permutation (Jain & Wallace 2019): which data sets, which models, how they are trained."""

    datasets: Distinct[Name] = Field(
        default_factory=list, description="Data sets, single texts or pairs, by their names in `corpora`."
    )
    models: OneOrMore[Combination] = Field(
        default_factory=lambda: list(get_args(Combination))[:3],
        description="Encoder and attention. lstm: bidirectional; cnn: kernels of 1, 3, 5, 7 words; average: each word "
        "by itself; transformer: the one of the section `transformer`. tanh: additive; dot: scaled dot product; drawn: "
        "weights that are never learnt, a control.",
    )
    seeds: OneOrMore[Seed] = Field(default_factory=lambda: [10], description="Seeds of every model.")
    recipe: CombinationRecipe = Field(default_factory=CombinationRecipe, description="Sizes and training.")
