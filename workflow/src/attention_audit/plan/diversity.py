"""The suite of Mohankumar et al. 2020: LSTMs as they are, orthogonal ones, and ones trained for diverse states."""

from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.corpora import vectors_of
from attention_audit.plan.jain_wallace import PAIRS
from attention_audit.plan.suite import USUAL, Schedule, Suite
from attention_audit.training.settings import Optimisation, Recipe

DIVERSITY = "diversity_"
ENCODERS = {
    "vanilla_lstm": "lstm",
    "orthogonal_lstm": "orthogonal_lstm",
    "diversity_lstm": "lstm",
    "vanilla_bilstm": "bilstm",
    "orthogonal_bilstm": "orthogonal_bilstm",
    "diversity_bilstm": "bilstm",
}


class MohankumarDiversity(Suite):
    """The models by the names in their paths: lstm and bilstm, each vanilla_, orthogonal_ and diversity_."""

    key = "md"
    paper = "MD2020"
    title = "Mohankumar et al. 2020"
    about = "Do states that differ make maps readable?"
    citation = (
        "Towards Transparent and Explainable Attention Models",
        "https://doi.org/10.18653/v1/2020.acl-main.387",
    )
    labels = Names(
        "model",
        "`labels` of plan/diversity.py",
        {
            "vanilla_lstm": Look("vanilla LSTM", "black", "o"),
            "orthogonal_lstm": Look("orthogonal LSTM", "blue", "s"),
            "diversity_lstm": Look("diversity LSTM", "vermillion", "^"),
            "vanilla_bilstm": Look("vanilla BiLSTM", "grey", "p"),
            "orthogonal_bilstm": Look("orthogonal BiLSTM", "sky", "D"),
            "diversity_bilstm": Look("diversity BiLSTM", "orange", "v"),
        },
    )
    takes_pairs = True
    own_audits = (*USUAL, "evidence", "correlation", "conicity", "located", "word_attributions")

    @property
    def datasets(self) -> list[str]:
        return self.config.diversity.datasets

    @property
    def models(self) -> list[str]:
        return list(self.config.diversity.models)

    def seeds(self, model: str) -> list[int]:
        return self.config.diversity.seeds

    def diversity(self, dataset: str, model: str) -> float:
        return self.config.diversity.weight if model.startswith(DIVERSITY) else 0.0

    def architecture(self, dataset: str, model: str) -> Architecture:
        recipe, vectors = self.config.diversity.recipe, vectors_of(self.config, dataset)
        both = model.endswith("bilstm")
        parts = {
            "encoder": ENCODERS[model],
            "attention": "additive",
            "embedding": vectors.dimension if vectors else recipe.embedding,
            "pretrained": vectors is not None,
            "hidden": recipe.hidden if both else 2 * recipe.hidden,
            "attention_hidden": recipe.hidden,
            "pair": self.config.corpora[dataset].pair,
        }
        return Architecture.model_validate(parts)

    def schedule(self, dataset: str, model: str) -> Schedule:
        recipe = self.config.diversity.recipe
        optimisation = {name: getattr(recipe, name) for name in Optimisation.model_fields} | {"average": True}
        if self.config.corpora[dataset].pair:
            optimisation |= PAIRS
        return Schedule(Recipe(**optimisation), recipe.epochs)
