"""The models of Jain & Wallace 2019, of single texts and pairs, by the names <encoder>_<attention>."""

from typing import get_args

from attention_audit.names import Style
from attention_audit.training.papers import Combination

from ..model import DataSet, Models, Schedule
from ..transformers import describe_encoder

ENCODERS = {
    "lstm": ("bilstm", "BiLSTM"),
    "cnn": ("conv", "CNN"),
    "average": ("affine", "average"),
    "transformer": ("transformer", "Transformer"),
}
"""The paper's encoders by their names: ours, and how they are called."""
ATTENTIONS = {"tanh": ("additive", "additive"), "dot": ("dot", "dot product"), "drawn": ("drawn", "drawn by lot")}
STYLES = {
    name: Style(f"{ENCODERS[encoder][1]} ({ATTENTIONS[attention][1]})")
    for name in get_args(Combination)
    for encoder, attention in [name.split("_")]
}
KERNELS = [1, 3, 5, 7]
PAIRS = {"average": True, "measure": "accuracy", "ties": "loss", "class_weights": False}
"""How models of pairs are trained differently; many epochs may share the highest accuracy, which saturates."""


def list_models(data: DataSet) -> Models:
    """List the models that the configuration names."""
    section, recipe = data.config.jain_wallace, data.config.jain_wallace.recipe
    trained = recipe.make_recipe(first_epoch=recipe.first_epoch, **(PAIRS if data.pair else {}))
    for name in section.models:
        encoder, attention = name.split("_")
        width = 2 * recipe.hidden if encoder == "lstm" else recipe.hidden
        parts = {
            "encoder": ENCODERS[encoder][0],
            "attention": ATTENTIONS[attention][0],
            **data.embed(recipe.embedding),
            "hidden": recipe.hidden // len(KERNELS) if encoder == "cnn" else recipe.hidden,
            "attention_hidden": width // 2,
            "pair": data.pair,
        }
        if encoder == "transformer":
            states = describe_encoder(data.config)
            parts |= states | {"attention_hidden": max(1, states["hidden"] // 2)}
        if encoder == "cnn":
            parts["kernels"] = KERNELS
        yield data.train(name, STYLES[name], section.seeds, parts, Schedule(trained, recipe.epochs))
