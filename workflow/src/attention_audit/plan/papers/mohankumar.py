"""Mohankumar et al. 2020: LSTMs whose states are made to differ."""

from typing import Literal, get_args

from attention_audit.names import Style
from attention_audit.section import Count, NonNegative, OneOrMore, Seed, SuiteSection
from attention_audit.training.settings import DiversityObjective, Optimisation

from ..model import COMMON_AUDITS, DataSet, Models, Schedule, Suite
from .jain_wallace import PAIRS

DiverseModel = Literal[
    "vanilla_lstm",
    "orthogonal_lstm",
    "diversity_lstm",
    "vanilla_bilstm",
    "orthogonal_bilstm",
    "diversity_bilstm",
]
"""The first three are the paper's; the others read both ways, as in one of its reruns."""


class DiverseRecipe(Optimisation):
    """Sizes and training of the models."""

    epochs: Count = 8
    """Epochs; the authors: 8, for pairs 25."""
    hidden: Count = 128
    """Units of a bidirectional LSTM in each direction; an LSTM that reads one way has twice as many, so that all states
    are as wide. The authors: 128, for bAbI 32 or 64.
    """
    embedding: Count = 300
    """Width of random embeddings; word vectors bring their own."""


class DiverseModels(SuiteSection):
    """Diverse states (Mohankumar et al. 2020), of single texts or of pairs: data sets, models, and their training."""

    models: OneOrMore[DiverseModel] = [*get_args(DiverseModel)]
    """lstm reads one way, bilstm both. vanilla: as it is; orthogonal: each state is orthogonal to the mean of those
    before it; diversity: conicity of the states is part of the loss. All have additive attention.
    """
    seeds: OneOrMore[Seed] = [10, 50, 257]
    """Seeds of every model."""
    weight: NonNegative = 0.5
    """Weight of conicity in the loss of the diversity models. 0.5 is the authors' example, and that of a rerun on all
    data sets; the catalogue has another one for snli.
    """
    recipe: DiverseRecipe = DiverseRecipe()
    """Sizes and training."""


def list_models(data: DataSet) -> Models:
    """List the models of Mohankumar et al. 2020: lstm and bilstm, each vanilla_, orthogonal_ and diversity_, which is
    trained for states that differ.
    """
    section = data.config.get_section(DiverseModels)
    recipe = section.recipe
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


SUITE = Suite(
    "md",
    paper="MD2020",
    title="Mohankumar et al. 2020",
    about="Do states that differ make maps readable?",
    citation=(
        "Towards Transparent and Explainable Attention Models",
        "https://doi.org/10.18653/v1/2020.acl-main.387",
    ),
    section="diversity",
    settings=DiverseModels,
    contents="LSTMs whose states are made to differ.",
    prefix="",
    pairs=True,
    models=list_models,
    looks={
        "vanilla_lstm": Style("vanilla LSTM", "black", "o"),
        "orthogonal_lstm": Style("orthogonal LSTM", "blue", "s"),
        "diversity_lstm": Style("diversity LSTM", "vermillion", "^"),
        "vanilla_bilstm": Style("vanilla BiLSTM", "grey", "p"),
        "orthogonal_bilstm": Style("orthogonal BiLSTM", "sky", "D"),
        "diversity_bilstm": Style("diversity BiLSTM", "orange", "v"),
    },
    audits=(*COMMON_AUDITS, "evidence", "correlation", "conicity", "located", "word_attributions"),
)
