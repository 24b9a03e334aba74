"""The models of Pruthi et al. 2020."""

from itertools import cycle

from attention_audit.names import Style
from attention_audit.training.papers import Deceiver
from attention_audit.training.settings import DeceptionObjective, Recipe

from ..model import DataSet, Models, Schedule
from .wiegreffe_pinter import build_base, schedule_base

KINDS: dict[Deceiver, tuple[str, str, str]] = {
    "base": ("", "", "o"),
    "embedding": ("embedding_", "embedding, ", "s"),
    "bilstm": ("bilstm_", "BiLSTM, ", "D"),
}
"""How names and labels of models begin, by what they are built of, and their marker."""
COLOURS = ("vermillion", "blue", "purple", "orange", "sky", "black", "grey")
"""Of liars, by the place of their lambda; then from the first again."""
PUBLISHED = Recipe(average=True, amsgrad=False, weight_decay=0.0, measure="accuracy", class_weights=False, scored=True)
"""How the authors' code trains; every epoch is selected on dev, of liars too."""


def list_models(data: DataSet) -> Models:
    """List the models of Pruthi et al. 2020: honest, liar_lambda<lambda>, which hides by its attention what it relies
    on, and, where it is asked for, anonymised, which reads no impermissible word. Those that are built as Wiegreffe &
    Pinter's base model have these names; before those of the paper's models stands embedding_ or bilstm_.
    """
    section = data.config.deception
    for kind in section.models:
        before, called, marker = KINDS[kind]
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
            honest = lying = Schedule(PUBLISHED.model_copy(update=sizes), section.epochs, section.patience)
        look = Style(f"{called}honest", "green", "^" if kind == "base" else marker)
        yield data.train(f"{before}honest", look, section.seeds, parts, honest)
        for value, colour in zip(section.lambdas, cycle(COLOURS), strict=False):
            look, name = Style(f"{called}liar (lambda {value:g})", colour, marker), f"{before}liar_lambda{value!r}"
            yield data.train(name, look, section.seeds, parts, lying, DeceptionObjective(lambda_=value))
        # the pieces and states of a Transformer are those of whole texts
        if section.anonymised and parts["encoder"] != "transformer":
            look = Style(f"{called}trained without the impermissible words", "grey", "x")
            yield data.train(
                f"{before}anonymised",
                look,
                section.seeds,
                parts,
                honest,
                told={"anonymised": True},
                judged=False,
                attends=False,
            )
