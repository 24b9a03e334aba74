"""The section of the configuration for LSTMs whose states are made to differ."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from pydantic import Field

from attention_audit.section import Count, Name, NonNegative, Seed
from attention_audit.training.paper import DEFAULT, PaperSection
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
WEIGHT = 0.5
"""The weight of the authors' example, and of a rerun on all data sets."""
WEIGHTS: Final[Mapping[str, float]] = {"snli": 0.1}
"""Other weights, by data set. On SNLI the rerun with .5 has a conicity of .04, the paper's is .12."""


class DiverseRecipe(Optimisation):
    """Sizes and training of the models on one data set."""

    epochs: Count = Field(8, description="Epochs; the authors: 8, for pairs 25.")
    hidden: Count = Field(
        128,
        description="Units of a bidirectional LSTM in each direction; an LSTM that reads one way has twice as many, so "
        "that all states are as wide. The authors: 128, for bAbI 32 or 64.",
    )
    embedding: Count = Field(300, description="Width of random embeddings; word vectors bring their own.")


class DiverseModels(PaperSection):
    """Diverse states (Mohankumar et al. 2020): which data sets, which models, how they are trained."""

    datasets: list[Name] = Field(
        default_factory=list, description="Data sets, single texts or pairs, by their names in `corpora`."
    )
    models: list[DiverseModel] = Field(
        default_factory=lambda: list(get_args(DiverseModel)),
        min_length=1,
        description="lstm reads one way, bilstm both. vanilla: as it is; orthogonal: each state is orthogonal to the "
        "mean of those before it; diversity: conicity of the states is part of the loss. All have additive attention.",
    )
    seeds: list[Seed] = Field(default_factory=lambda: [10, 50, 257], min_length=1, description="Seeds of every model.")
    weights: dict[Name, NonNegative] = Field(
        default_factory=dict,
        description="Weight of conicity in the loss of the diversity models, by data set, or `default` for all others. "
        "Where neither is named it is 0.5, and 0.1 on snli.",
    )
    recipes: dict[Name, DiverseRecipe] = Field(
        default_factory=dict, description="Sizes and training, by data set, or `default` for all others."
    )

    def recipe(self, dataset: str) -> DiverseRecipe:
        """The recipe of a data set: its own, else the one named `default`, else the defaults."""
        return self.recipes.get(dataset) or self.recipes.get(DEFAULT) or DiverseRecipe()

    def weight(self, dataset: str) -> float:
        """The weight of conicity on a data set: its own, else the one named `default`, else the paper's."""
        return self.weights.get(dataset, self.weights.get(DEFAULT, WEIGHTS.get(dataset, WEIGHT)))
