"""The section of the configuration for Serrano & Smith's models; presets/serrano-smith.yaml has the paper's values."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from attention_audit.model.architecture import ENCODERS
from attention_audit.section import Count, Name, OneOf, Positive, Section, Seed
from attention_audit.training.paper import DEFAULT, PaperSection

OF_PAPER = ("han_rnn", "han_conv", "han_none", "flan_rnn", "flan_conv", "flan_none")
Family = Literal["han", "flan"]


def document_models() -> list[str]:
    """The paper's models, a FLAN with a Transformer, and both kinds with each encoder of vectors that a plugin adds."""
    added = [entry.name for entry in ENCODERS if entry.source and not entry.marked]
    return [*OF_PAPER, "flan_transformer", *(f"{family}_{name}" for name in added for family in get_args(Family))]


DocumentModel = Annotated[str, OneOf(document_models)]
Recipient = Annotated[str, OneOf(lambda: [*document_models(), *get_args(Family)])]
"""Whose a recipe may be: a model's, or a family's."""
Dropout = Annotated[float, Field(ge=0, lt=1)]


class DocumentRecipe(Section):
    """How one model is trained: Adam on mean cross-entropy, learning rate halved when dev accuracy does not rise."""

    learning_rate: Positive = Field(1e-3, description="First learning rate.")
    epochs: Count = Field(15, description="Most epochs.")
    patience: Count = Field(5, description="Stop after so many epochs without a better dev accuracy.")
    batch_size: Count = Field(64, description="Texts in a batch, at most.")
    batch_tokens: Count | None = Field(
        None, description="Most texts x tokens of the longest text of a batch (HAN: longest sentence); null: any."
    )
    clip_norm: Positive | None = Field(10.0, description="Largest norm of a step's gradient; null: no limit.")
    clip_value: Positive | None = Field(None, description="Largest component of a step's gradient; null: no limit.")
    word_dropout: Dropout = Field(0.0, description="Dropout before the word encoder.")
    sentence_dropout: Dropout = Field(0.0, description="Dropout before the sentence encoder; FLANs have none.")
    logit_dropout: Dropout = Field(0.0, description="Dropout of the logits, where the authors' code has it.")
    conv_dropout: Dropout = Field(
        0.0, description="Dropout within convolutional encoders: 0.3 in the authors' code, not in their paper."
    )


class DocumentModels(PaperSection):
    """Erasure (Serrano & Smith 2019): which data sets, which models, how they are trained."""

    datasets: list[Name] = Field(
        default_factory=list, description="Data sets whose attention is erased, by their names in `corpora`."
    )
    models: list[DocumentModel] = Field(
        default_factory=lambda: list(OF_PAPER),
        min_length=1,
        description="HAN reads sentences, FLAN one flat text; rnn: bidirectional GRU, conv: two convolutions, "
        "none: no encoder; transformer: the one of the section `transformer`.",
    )
    seeds: list[Seed] = Field(default_factory=lambda: [122], min_length=1, description="Seeds of every model.")
    hidden: Count = Field(50, description="GRU units in each direction, and filters of each convolution.")
    attention: Count = Field(
        100, description="Width of the attention's hidden layer; without encoder, that of the embeddings."
    )
    embedding: Count = Field(200, description="Width of random embeddings; word vectors bring their own.")
    recipes: dict[Name, dict[Recipient, DocumentRecipe]] = Field(
        default_factory=dict,
        description="How models are trained, by data set (or `default`), then by model (or `han`, `flan`).",
    )

    def recipe(self, dataset: str, model: str) -> DocumentRecipe:
        """The recipe for a model on a data set, from the first entry there is of these: the data set's for the model,
        the data set's for its family, the default for the model, the default for its family, the defaults.
        """
        for name in (dataset, DEFAULT):
            recipes = {str(kind): recipe for kind, recipe in self.recipes.get(name, {}).items()}
            for kind in (model, model.partition("_")[0]):
                if kind in recipes:
                    return recipes[kind]
        return DocumentRecipe()
