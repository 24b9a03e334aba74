"""Jain & Wallace 2019: combinations of an encoder and an attention, of single texts and of pairs."""

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from attention_audit.names import Style
from attention_audit.section import Count, OneOrMore, SuiteSection
from attention_audit.training.settings import Optimisation

from ..model import COMMON_AUDITS, DataSet, Models, Schedule, Suite
from ..transformers import describe_encoder

Combination = Literal[
    "lstm_tanh", "cnn_tanh", "average_tanh", "transformer_tanh",
    "lstm_dot", "cnn_dot", "average_dot", "transformer_dot", "average_drawn",
]  # fmt: skip
OF_SINGLE_TEXTS = ("average_drawn",)
"""The models that read no pairs: their weights follow from no query."""


class CombinationRecipe(Optimisation):
    """Sizes and training of the models."""

    epochs: Count = 8
    """Epochs; the authors: 8, for pairs 25, for bAbI 100."""
    hidden: Count = Field(128, multiple_of=4)
    """LSTM units in each direction; width of the other encoders. The authors: 128, for bAbI 32."""
    embedding: Count = 300
    """Width of random embeddings; word vectors bring their own."""
    first_epoch: bool = True
    """Whether the first epoch may be selected; false, as in the authors' later run, leaves it out."""

    @model_validator(mode="after")
    def _check_epochs(self) -> Self:
        if self.epochs == 1 and not self.first_epoch:
            raise ValueError("epochs: 1, and the first is not to be selected; train for 2 or more")
        return self


class Combinations(SuiteSection):
    """Correlation and permutation (Jain & Wallace 2019), of single texts or pairs: data sets, models, and training."""

    models: OneOrMore[Combination] = [*get_args(Combination)[:3]]
    """Encoder and attention. lstm: bidirectional; cnn: kernels of 1, 3, 5, 7 words; average: each word by itself;
    transformer: the one of the section `transformer`. tanh: additive; dot: scaled dot product; drawn: weights that are
    never learnt, a control.
    """
    recipe: CombinationRecipe = CombinationRecipe()
    """Sizes and training."""

    def list_unpaired(self) -> list[str]:
        """List those of its models that read no pairs of texts."""
        return [model for model in self.models if model in OF_SINGLE_TEXTS]


OUR_NAMES = {"lstm": "bilstm", "cnn": "conv", "average": "affine", "tanh": "additive"}
"""Of encoders and attentions that the paper names otherwise."""
KERNELS = [1, 3, 5, 7]
PAIRS = {"average": True, "measure": "accuracy", "ties": "loss", "class_weights": False}
"""How models of pairs are trained differently; many epochs may share the highest accuracy, which saturates."""


def list_models(data: DataSet) -> Models:
    """List the models of Jain & Wallace 2019, of single texts and pairs, by the names <encoder>_<attention>."""
    section = data.config.get_section(Combinations)
    recipe = section.recipe
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


SUITE = Suite(
    "jw",
    paper="JW2019",
    title="Jain & Wallace 2019",
    about="Does attention agree with gradients and leave-one-out, and do other weights give other predictions?",
    citation=("Attention is not Explanation", "https://doi.org/10.18653/v1/N19-1357"),
    section="jain_wallace",
    settings=Combinations,
    contents="Encoders and attentions, of single texts and of pairs.",
    prefix="",
    pairs=True,
    models=list_models,
    looks={
        "lstm_tanh": Style("BiLSTM (additive)"),
        "cnn_tanh": Style("CNN (additive)"),
        "average_tanh": Style("average (additive)"),
        "transformer_tanh": Style("Transformer (additive)"),
        "lstm_dot": Style("BiLSTM (dot product)"),
        "cnn_dot": Style("CNN (dot product)"),
        "average_dot": Style("average (dot product)"),
        "transformer_dot": Style("Transformer (dot product)"),
        "average_drawn": Style("average (drawn by lot)"),
    },
    audits=(
        *COMMON_AUDITS,
        "instance_adversary",
        "correlation",
        "agreement",
        "located",
        "plausible_words",
        "word_attributions",
    ),
)
