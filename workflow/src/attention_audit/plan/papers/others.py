"""The models of the papers but Wiegreffe & Pinter's, whose base model some of them share."""

from itertools import cycle

from attention_audit.errors import AuditError
from attention_audit.names import RANKINGS, Style
from attention_audit.training.papers import Deceiver, DocumentRecipe
from attention_audit.training.settings import DeceptionObjective, DiversityObjective, MaskedSettings, Recipe

from ..model import DataSet, Models, Schedule
from ..transformers import describe_encoder
from .wiegreffe_pinter import build_base, schedule_base

OUR_NAMES = {"rnn": "bigru", "lstm": "bilstm", "cnn": "conv", "average": "affine", "tanh": "additive"}
"""Of encoders and attentions that papers name otherwise."""
SERRANO_SMITH_RECIPE = Recipe(
    weight_decay=0.0, amsgrad=False, average=True, plateau=True, measure="accuracy", class_weights=False
)
"""How the paper trains: Adam on mean cross-entropy; the rate halves where accuracy on dev does not rise."""
RECIPE_FIELDS = ("batch_size", "learning_rate", "clip_norm", "clip_value", "batch_tokens")
"""What each recipe says of it."""
KERNELS = [1, 3, 5, 7]
PAIRS = {"average": True, "measure": "accuracy", "ties": "loss", "class_weights": False}
"""How models of pairs are trained differently; many epochs may share the highest accuracy, which saturates."""
DECEIVERS: dict[Deceiver, tuple[str, str, str]] = {
    "base": ("", "", "o"),
    "embedding": ("embedding_", "embedding, ", "s"),
    "bilstm": ("bilstm_", "BiLSTM, ", "D"),
}
"""How names and labels of models begin, by what they are built of, and their marker."""
LIAR_COLOURS = ("vermillion", "blue", "purple", "orange", "sky", "black", "grey")
"""Of liars, by the place of their lambda; then from the first again."""
PRUTHI_RECIPE = Recipe(
    average=True, amsgrad=False, weight_decay=0.0, measure="accuracy", class_weights=False, scored=True
)
"""How the authors' code trains; every epoch is selected on dev, of liars too."""


def list_serrano_smith(data: DataSet) -> Models:
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
            "encoder": OUR_NAMES.get(encoder, encoder),
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
        trained = SERRANO_SMITH_RECIPE.model_copy(update={key: getattr(recipe, key) for key in RECIPE_FIELDS})
        yield data.train(
            name, data.suite.looks[name], section.seeds, parts, Schedule(trained, recipe.epochs, recipe.patience)
        )


def list_jain_wallace(data: DataSet) -> Models:
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


def list_mohankumar(data: DataSet) -> Models:
    """List the models of Mohankumar et al. 2020: lstm and bilstm, each vanilla_, orthogonal_ and diversity_, which is
    trained for states that differ.
    """
    section, recipe = data.config.diversity, data.config.diversity.recipe
    schedule = Schedule(recipe.make_recipe(**(PAIRS if data.pair else {"average": True})), recipe.epochs)
    for name in section.models:
        parts = {
            "encoder": name.removeprefix("vanilla_").removeprefix("diversity_"),
            "attention": "additive",
            **data.embed(recipe.embedding),
            "hidden": recipe.hidden if name.endswith("bilstm") else 2 * recipe.hidden,
            "attention_hidden": recipe.hidden,
            "pair": data.pair,
        }
        diverse = name.startswith("diversity_") and section.weight
        objective = DiversityObjective(weight=section.weight) if diverse else None
        yield data.train(name, data.suite.looks[name], section.seeds, parts, schedule, objective)


def list_pruthi(data: DataSet) -> Models:
    """List the models of Pruthi et al. 2020: honest, liar_lambda<lambda>, which hides by its attention what it relies
    on, and, where it is asked for, anonymised, which reads no impermissible word. Those that are built as Wiegreffe &
    Pinter's base model have these names; before those of the paper's models stands embedding_ or bilstm_.
    """
    section = data.config.deception
    for kind in section.models:
        before, called, marker = DECEIVERS[kind]
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
            honest = lying = Schedule(PRUTHI_RECIPE.model_copy(update=sizes), section.epochs, section.patience)
        look = Style(f"{called}honest", "green", "^" if kind == "base" else marker)
        yield data.train(f"{before}honest", look, section.seeds, parts, honest)
        for value, colour in zip(section.lambdas, cycle(LIAR_COLOURS), strict=False):
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


def list_madsen(data: DataSet) -> Models:
    """List the models of Madsen et al. 2022: base, trained again without its most important words, for each order and
    percentage as <order>_<percent>, masked by the ranking of the one before. One job makes all steps of an order.
    """
    section = data.config.masking
    if data.config.model.encoder == "transformer":
        raise AuditError(
            "config: masking.datasets: words are masked in the vocabulary of a model that learns it, and the base "
            "model reads by a Transformer; name another `model.encoder`, or no data set"
        )
    parts, schedule = build_base(data), schedule_base(data)
    yield data.train("base", Style("base", "green", "^"), section.seeds, parts, schedule)
    for order in section.orders:
        for percent in section.percent:
            look, last = RANKINGS[order], section.percent[-1]
            yield data.train(
                f"{order}_{percent}",
                look._replace(label=f"{percent} % masked by {look.label}"),
                section.seeds,
                parts,
                schedule,
                kind=MaskedSettings,
                told={"order": order, "percent": section.percent},
                rule="retrain_masked",
                made_with="" if percent == last else f"{order}_{last}",
                reference="base",
                judged=False,
                attends=False,
            )
