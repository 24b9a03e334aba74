"""The section of the configuration for LSTMs whose states are made to differ."""

from typing import Literal, get_args

from pydantic import Field

from attention_audit.section import Count, Distinct, Name, NonNegative, OneOrMore, Section, Seed
from attention_audit.training.settings import Optimisation

DiverseModel = Literal[
    "vanilla_lstm",
    "orthogonal_lstm",
    "diversity_lstm",
    "vanilla_bilstm",
    "orthogonal_bilstm",
    "diversity_bilstm",
]
"""The first three are the paper's; the others read both ways, as in one of its reruns."""


class DiverseRecipe(Optimisation):
    """Sizes and training of the models."""

    epochs: Count = Field(8, description="Epochs; the authors: 8, for pairs 25.")
    hidden: Count = Field(
        128,
        description="Units of a bidirectional LSTM in each direction; an LSTM that reads one way has twice as many, so "
        "that all states are as wide. The authors: 128, for bAbI 32 or 64.",
    )
    embedding: Count = Field(300, description="Width of random embeddings; word vectors bring their own.")


class DiverseModels(Section):
    """Diverse states (Mohankumar et al. 2020): which data sets, which models, how they are trained."""

    datasets: Distinct[Name] = Field(
        default_factory=list, description="Data sets, single texts or pairs, by their names in `corpora`."
    )
    models: OneOrMore[DiverseModel] = Field(
        default_factory=lambda: list(get_args(DiverseModel)),
        description="lstm reads one way, bilstm both. vanilla: as it is; orthogonal: each state is orthogonal to the "
        "mean of those before it; diversity: conicity of the states is part of the loss. All have additive attention.",
    )
    seeds: OneOrMore[Seed] = Field(default_factory=lambda: [10, 50, 257], description="Seeds of every model.")
    weight: NonNegative = Field(
        0.5,
        description="Weight of conicity in the loss of the diversity models. 0.5 is the authors' example, and that of "
        "a rerun on all data sets; the catalogue has another one for snli.",
    )
    recipe: DiverseRecipe = Field(default_factory=DiverseRecipe, description="Sizes and training.")
