"""The section of the configuration for Serrano & Smith's models; presets/serrano-smith.yaml has the paper's values."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from attention_audit.section import Count, Distinct, Name, OneOrMore, Positive, Section, Seed

DocumentModel = Literal["han_rnn", "han_conv", "han_none", "flan_rnn", "flan_conv", "flan_none", "flan_transformer"]
OWN = 6
"""How many of the models are the paper's, the first ones."""
Family = Literal["han", "flan"]
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


class DocumentModels(Section):
    """Erasure (Serrano & Smith 2019): which data sets, which models, how they are trained."""

    datasets: Distinct[Name] = Field(
        default_factory=list, description="Data sets whose attention is erased, by their names in `corpora`."
    )
    models: OneOrMore[DocumentModel] = Field(
        default_factory=lambda: list(get_args(DocumentModel))[:OWN],
        description="HAN reads sentences, FLAN one flat text; rnn: bidirectional GRU, conv: two convolutions, "
        "none: no encoder; transformer: the one of the section `transformer`.",
    )
    seeds: OneOrMore[Seed] = Field(default_factory=lambda: [122], description="Seeds of every model.")
    hidden: Count = Field(50, description="GRU units in each direction, and filters of each convolution.")
    attention: Count = Field(
        100, description="Width of the attention's hidden layer; without encoder, that of the embeddings."
    )
    embedding: Count = Field(200, description="Width of random embeddings; word vectors bring their own.")
    recipes: dict[DocumentModel | Family, DocumentRecipe] = Field(
        default_factory=dict, description="How models are trained, by model, or `han` and `flan` for all others."
    )
