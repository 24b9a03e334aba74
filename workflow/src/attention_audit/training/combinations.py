"""The section of the configuration for Jain & Wallace's models, each an encoder with an attention."""

from itertools import product
from typing import Annotated, Self

from pydantic import Field, model_validator

from attention_audit.model.architecture import ATTENTION, ENCODERS
from attention_audit.section import Count, Name, OneOf, Seed
from attention_audit.training.paper import DEFAULT, PaperSection
from attention_audit.training.settings import Optimisation

OF_ENCODERS = ("lstm", "cnn", "average", "transformer")


def combinations() -> dict[str, tuple[str, str]]:
    """The encoder and the attention of every model by its name: the paper's, a control, and those with an encoder or a
    scoring function that a plugin adds.
    """
    pairs = [(encoder, attention) for attention in ("tanh", "dot") for encoder in OF_ENCODERS]
    encoders = [entry.name for entry in ENCODERS if entry.source]
    attentions = [entry.name for entry in ATTENTION if entry.source and entry.learns]
    pairs += [
        ("average", "drawn"),
        *product(encoders, ["tanh", "dot"]),
        *product([*OF_ENCODERS, *encoders], attentions),
    ]
    return {f"{encoder}_{attention}": (encoder, attention) for encoder, attention in pairs}


Combination = Annotated[str, OneOf(combinations)]


def of_single_texts() -> set[str]:
    """Those that read no pairs: their encoder sums up no query, or their weights follow from none."""
    mute = {entry.name for entry in ENCODERS if not entry.summarising}
    mute |= {entry.name for entry in ATTENTION if not entry.queried}
    return {name for name, parts in combinations().items() if mute.intersection(parts)}


class CombinationRecipe(Optimisation):
    """Sizes and training of the models on one data set."""

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


class Combinations(PaperSection):
    """Correlation and permutation (Jain & Wallace 2019): which data sets, which models, how they are trained."""

    datasets: list[Name] = Field(
        default_factory=list, description="Data sets, single texts or pairs, by their names in `corpora`."
    )
    models: list[Combination] = Field(
        default_factory=lambda: list(combinations())[:3],
        min_length=1,
        description="Encoder and attention. lstm: bidirectional; cnn: kernels of 1, 3, 5, 7 words; average: each word "
        "by itself; transformer: the one of the section `transformer`. tanh: additive; dot: scaled dot product; drawn: "
        "weights that are never learnt, a control.",
    )
    seeds: list[Seed] = Field(default_factory=lambda: [10], min_length=1, description="Seeds of every model.")
    recipes: dict[Name, CombinationRecipe] = Field(
        default_factory=dict, description="Sizes and training, by data set, or `default` for all others."
    )

    def recipe(self, dataset: str) -> CombinationRecipe:
        """The recipe of a data set: its own, else the one named `default`, else the defaults."""
        return self.recipes.get(dataset) or self.recipes.get(DEFAULT) or CombinationRecipe()
