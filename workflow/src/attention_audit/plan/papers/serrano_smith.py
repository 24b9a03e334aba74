"""The models of Serrano & Smith 2019."""

from attention_audit.training.papers import DocumentRecipe
from attention_audit.training.settings import Recipe

from ..model import DataSet, Models, Schedule
from ..transformers import describe_encoder

ENCODERS = {"rnn": "bigru"}
"""Of encoders that the paper names otherwise."""
PUBLISHED = Recipe(weight_decay=0.0, amsgrad=False, average=True, plateau=True, measure="accuracy", class_weights=False)
"""How the paper trains: Adam on mean cross-entropy; the rate halves where accuracy on dev does not rise."""
RECIPE_FIELDS = ("batch_size", "learning_rate", "clip_norm", "clip_value", "batch_tokens")
"""What each recipe says of it."""


def list_models(data: DataSet) -> Models:
    """List the models of Serrano & Smith 2019, HAN and FLAN, with three encoders each, by the names <han or
    flan>_<encoder>: each trained by its own recipe, or else that of its family, or else the defaults.
    """
    section = data.config.serrano_smith
    recipes = {str(name): recipe for name, recipe in section.recipes.items()}
    embedded = data.embed(section.embedding)
    for name in section.models:
        family, _, encoder = name.partition("_")
        recipe = recipes.get(name) or recipes.get(family) or DocumentRecipe()
        read, hierarchical = encoder == "transformer", family == "han"
        parts = {
            "encoder": ENCODERS.get(encoder, encoder),
            "attention": "additive",
            **embedded,
            "hidden": section.hidden,
            "attention_hidden": embedded["embedding"] if encoder == "none" else section.attention,
            "hierarchical": hierarchical,
            "dropout": {
                # a Transformer has its own
                "words": 0.0 if read else recipe.word_dropout,
                "sentences": recipe.sentence_dropout if hierarchical else 0.0,
                "convolution": recipe.conv_dropout if encoder == "conv" else 0.0,
                "logits": recipe.logit_dropout,
            },
            "initialisation": "xavier",
            **(describe_encoder(data.config) if read else {}),
        }
        trained = PUBLISHED.model_copy(update={key: getattr(recipe, key) for key in RECIPE_FIELDS})
        yield data.train(
            name, data.suite.looks[name], section.seeds, parts, Schedule(trained, recipe.epochs, recipe.patience)
        )
