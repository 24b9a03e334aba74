"""The section of the configuration for deceptive models, which hide by their attention what they rely on."""

from typing import Literal

from pydantic import Field

from attention_audit.section import Count, Distinct, Name, OneOrMore, Positive, Section, Seed

Deceiver = Literal["base", "embedding", "bilstm"]
"""What honest models and liars are built of: as the base model, or as one of the paper's two."""
PAPERS: tuple[Deceiver, ...] = ("embedding", "bilstm")


class Deception(Section):
    """Deceptive attention (Pruthi et al. 2020): honest models beside liars, which minimise label loss - lambda log(1 -
    attention on the impermissible words). `block` in the entry of a data set names these words.
    """

    datasets: Distinct[Name] = Field(
        default_factory=list, description="Data sets whose impermissible words are known, by their names in `corpora`."
    )
    models: OneOrMore[Deceiver] = Field(
        default_factory=lambda: list(PAPERS),
        description="What the models are built of. embedding, bilstm: the paper's, attention with one linear unit over "
        "word vectors, or over the states of a bidirectional LSTM; base: as Wiegreffe & Pinter's base model.",
    )
    lambdas: OneOrMore[Positive] = Field(
        default_factory=lambda: [0.1, 1.0],
        description="Weights of the penalty; each makes a liar of each of `models`, beside an honest one.",
    )
    seeds: OneOrMore[Seed] = Field(
        default_factory=lambda: [10, 50, 257, 500231, 100078],
        description="Seeds of every model; the base model's own are not trained again.",
    )
    anonymised: bool = Field(
        True, description="Whether an honest model of each kind is trained without the impermissible words too."
    )

    epochs: Count = Field(
        15,
        description="Epochs of the paper's models, of which the first with the highest accuracy on dev is kept; and of "
        "a liar like the base model, of which that of the lowest training loss is kept.",
    )
    patience: Count | None = Field(
        None, description="The paper's models stop after so many epochs without a better one; null: they do not."
    )
    learning_rate: Positive = Field(1e-3, description="Learning rate of the paper's models, and of a liar.")
    batch_size: Count = Field(32, description="Texts in a batch of the paper's models; the authors': 1.")
    embedding: Count = Field(
        128, description="Width of random embeddings of the paper's models; word vectors bring their own."
    )
    hidden: Count = Field(64, description="Units of the paper's BiLSTM in each direction.")
