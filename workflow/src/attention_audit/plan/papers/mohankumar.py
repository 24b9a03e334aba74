"""The models of Mohankumar et al. 2020."""

from attention_audit.training.settings import DiversityObjective

from ..model import DataSet, Models, Schedule
from .jain_wallace import PAIRS


def list_models(data: DataSet) -> Models:
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
