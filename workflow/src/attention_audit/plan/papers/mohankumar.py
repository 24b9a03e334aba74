"""The models of Mohankumar et al. 2020: LSTMs as they are, orthogonal ones, and ones trained for diverse states."""

from attention_audit.names import Style
from attention_audit.training.settings import DiversityObjective

from ..model import DataSet, Models, Schedule
from .jain_wallace import PAIRS

KINDS = {
    "vanilla_lstm": ("lstm", Style("vanilla LSTM", "black", "o")),
    "orthogonal_lstm": ("orthogonal_lstm", Style("orthogonal LSTM", "blue", "s")),
    "diversity_lstm": ("lstm", Style("diversity LSTM", "vermillion", "^")),
    "vanilla_bilstm": ("bilstm", Style("vanilla BiLSTM", "grey", "p")),
    "orthogonal_bilstm": ("orthogonal_bilstm", Style("orthogonal BiLSTM", "sky", "D")),
    "diversity_bilstm": ("bilstm", Style("diversity BiLSTM", "orange", "v")),
}
"""The encoder of each model, and how it looks."""
STYLES = {name: look for name, (_, look) in KINDS.items()}


def list_models(data: DataSet) -> Models:
    """List the models that the configuration names: lstm and bilstm, each vanilla_, orthogonal_ and diversity_."""
    section, recipe = data.config.diversity, data.config.diversity.recipe
    schedule = Schedule(recipe.make_recipe(**(PAIRS if data.pair else {"average": True})), recipe.epochs)
    for name in section.models:
        encoder, look = KINDS[name]
        parts = {
            "encoder": encoder,
            "attention": "additive",
            **data.embed(recipe.embedding),
            "hidden": recipe.hidden if name.endswith("bilstm") else 2 * recipe.hidden,
            "attention_hidden": recipe.hidden,
            "pair": data.pair,
        }
        diverse = name.startswith("diversity_") and section.weight
        objective = DiversityObjective(weight=section.weight) if diverse else None
        yield data.train(name, look, section.seeds, parts, schedule, objective)
