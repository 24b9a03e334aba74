"""Pruthi et al. 2020: honest models beside liars, whose attention hides the words that they rely on."""

from itertools import cycle
from typing import Literal

from attention_audit.names import Style
from attention_audit.section import Count, OneOrMore, Positive, Seed, SuiteSection
from attention_audit.training.settings import DeceptionObjective, Recipe

from ..model import COMMON_AUDITS, DataSet, Models, Schedule, Suite
from .wiegreffe_pinter import build_base, schedule_base

Deceiver = Literal["base", "embedding", "bilstm"]
"""What honest models and liars are built of: as the base model, or as one of the paper's two."""


class Deception(SuiteSection):
    """Deceptive attention (Pruthi et al. 2020): honest models beside liars, which minimise label loss - lambda log(1 -
    attention on the impermissible words). `block` in the entry of a data set names these words.
    """

    SHARED = ("models", "lambdas", "seeds", "anonymised")

    models: OneOrMore[Deceiver] = ["embedding", "bilstm"]
    """What the models are built of. embedding, bilstm: the paper's, attention with one linear unit over word vectors,
    or over the states of a bidirectional LSTM; base: as Wiegreffe & Pinter's base model.
    """
    lambdas: OneOrMore[Positive] = [0.1, 1.0]
    """Weights of the penalty; each makes a liar of each of `models`, beside an honest one."""
    seeds: OneOrMore[Seed] = [10, 50, 257, 500231, 100078]
    """Seeds of every model; the base model's own are not trained again."""
    anonymised: bool = True
    """Whether an honest model of each kind is trained without the impermissible words too."""

    epochs: Count = 15
    """Epochs of the paper's models, of which the first with the highest accuracy on dev is kept; and of a liar like the
    base model, of which that of the lowest training loss is kept.
    """
    patience: Count | None = None
    """The paper's models stop after so many epochs without a better one; null: they do not."""
    learning_rate: Positive = 1e-3
    """Learning rate of the paper's models, and of a liar."""
    batch_size: Count = 32
    """Texts in a batch of the paper's models; the authors': 1."""
    embedding: Count = 128
    """Width of random embeddings of the paper's models; word vectors bring their own."""
    hidden: Count = 64
    """Units of the paper's BiLSTM in each direction."""


DECEIVER_NAMES: dict[Deceiver, tuple[str, str, str]] = {
    "base": ("", "", "o"),
    "embedding": ("embedding_", "embedding, ", "s"),
    "bilstm": ("bilstm_", "BiLSTM, ", "D"),
}
"""How names and labels of models begin, by what they are built of, and their marker."""
LIAR_COLOURS = ("vermillion", "blue", "purple", "orange", "sky", "black", "grey")
"""Of liars, by the place of their lambda; then from the first again."""
DECEIVER_TRAINING = Recipe(
    average=True, amsgrad=False, weight_decay=0.0, measure="accuracy", class_weights=False, scored=True
)
"""How the authors' code trains; every epoch is selected on dev, of liars too."""


def list_models(data: DataSet) -> Models:
    """List the models of Pruthi et al. 2020: honest, liar_lambda<lambda>, which hides by its attention what it relies
    on, and, where it is asked for, anonymised, which reads no impermissible word. Those that are built as Wiegreffe &
    Pinter's base model have these names; before those of the paper's models stands embedding_ or bilstm_.
    """
    section = data.config.get_section(Deception)
    for kind in section.models:
        prefix, label, marker = DECEIVER_NAMES[kind]
        if kind == "base":
            # a liar has epochs and a rate of its own, since it has two things to learn
            parts, honest = build_base(data), schedule_base(data)
            rate = {"learning_rate": section.learning_rate}
            lying = Schedule(honest.recipe.model_copy(update=rate), section.epochs)
        else:
            parts = {
                "encoder": "bilstm" if kind == "bilstm" else "none",
                "attention": "linear",
                **data.embed(section.embedding),
                "hidden": section.hidden,
                "attention_hidden": section.hidden,
            }
            sizes = {"learning_rate": section.learning_rate, "batch_size": section.batch_size}
            honest = lying = Schedule(DECEIVER_TRAINING.model_copy(update=sizes), section.epochs, section.patience)
        look = Style(f"{label}honest", "green", "^" if kind == "base" else marker)
        yield data.train(f"{prefix}honest", look, section.seeds, parts, honest)
        for value, colour in zip(section.lambdas, cycle(LIAR_COLOURS), strict=False):
            look, name = Style(f"{label}liar (lambda {value:g})", colour, marker), f"{prefix}liar_lambda{value!r}"
            yield data.train(name, look, section.seeds, parts, lying, DeceptionObjective(lambda_=value))
        # the pieces and states of a Transformer are those of whole texts
        if section.anonymised and parts["encoder"] != "transformer":
            look = Style(f"{label}trained without the impermissible words", "grey", "x")
            yield data.train(
                f"{prefix}anonymised",
                look,
                section.seeds,
                parts,
                honest,
                told={"anonymised": True},
                judged=False,
                attends=False,
            )


SUITE = Suite(
    "pd",
    paper="PD2020",
    title="Pruthi et al. 2020",
    about="Who notices a model whose attention was trained to hide the words that it relies on?",
    citation=(
        "Learning to Deceive with Attention-Based Explanations",
        "https://doi.org/10.18653/v1/2020.acl-main.432",
    ),
    section="deception",
    settings=Deception,
    contents="Models that hide what they rely on.",
    prefix="",
    models=list_models,
    audits=(
        *COMMON_AUDITS,
        "located",
        "plausible_words",
        "word_attributions",
        "evidence",
        "impermissible",
        "replaced",
    ),
)
