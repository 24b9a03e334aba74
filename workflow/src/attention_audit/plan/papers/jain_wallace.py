"""The models of Jain & Wallace 2019."""

from ..model import DataSet, Models, Schedule
from ..transformers import describe_encoder

OUR_NAMES = {"lstm": "bilstm", "cnn": "conv", "average": "affine", "tanh": "additive"}
"""Of encoders and attentions that the paper names otherwise."""
KERNELS = [1, 3, 5, 7]
PAIRS = {"average": True, "measure": "accuracy", "ties": "loss", "class_weights": False}
"""How models of pairs are trained differently; many epochs may share the highest accuracy, which saturates."""


def list_models(data: DataSet) -> Models:
    """List the models of Jain & Wallace 2019, of single texts and pairs, by the names <encoder>_<attention>."""
    section, recipe = data.config.jain_wallace, data.config.jain_wallace.recipe
    trained = recipe.make_recipe(first_epoch=recipe.first_epoch, **(PAIRS if data.pair else {}))
    for name in section.models:
        encoder, attention = name.split("_")
        width = 2 * recipe.hidden if encoder == "lstm" else recipe.hidden
        parts = {
            "encoder": OUR_NAMES.get(encoder, encoder),
            "attention": OUR_NAMES.get(attention, attention),
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
        yield data.train(name, data.suite.looks[name], section.seeds, parts, Schedule(trained, recipe.epochs))
