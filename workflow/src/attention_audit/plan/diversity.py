"""The suite of Mohankumar et al. 2020: LSTMs as they are, orthogonal ones, and ones trained for diverse states."""

from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.jain_wallace import PAIRS
from attention_audit.plan.suite import USUAL, Schedule, SectionSuite
from attention_audit.training.papers import DiverseModels
from attention_audit.training.settings import DiversityObjective, Objective

DIVERSITY = "diversity_"
ENCODERS = {
    "vanilla_lstm": "lstm",
    "orthogonal_lstm": "orthogonal_lstm",
    "diversity_lstm": "lstm",
    "vanilla_bilstm": "bilstm",
    "orthogonal_bilstm": "orthogonal_bilstm",
    "diversity_bilstm": "bilstm",
}


class MohankumarDiversity(SectionSuite[DiverseModels]):
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
    section = DiverseModels
    own_audits = (*USUAL, "evidence", "correlation", "conicity", "located", "word_attributions")

    @property
    def models(self) -> list[str]:
        return list(self.settings.models)

    def objective(self, dataset: str, model: str) -> Objective:
        if not (model.startswith(DIVERSITY) and self.settings.weight):
            return super().objective(dataset, model)
        return DiversityObjective(weight=self.settings.weight)

    def architecture(self, dataset: str, model: str) -> Architecture:
        recipe = self.settings.recipe
        both = model.endswith("bilstm")
        parts = {
            "encoder": ENCODERS[model],
            "attention": "additive",
            **self.embedded(dataset, recipe.embedding),
            "hidden": recipe.hidden if both else 2 * recipe.hidden,
            "attention_hidden": recipe.hidden,
            "pair": self.config.corpora[dataset].pair,
        }
        return Architecture.model_validate(parts)

    def schedule(self, dataset: str, model: str) -> Schedule:
        recipe = self.settings.recipe
        other = PAIRS if self.config.corpora[dataset].pair else {"average": True}
        return Schedule(recipe.recipe(**other), recipe.epochs)
