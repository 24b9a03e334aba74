"""The suite of Wiegreffe & Pinter 2019: a base model, the same with uniform weights, guides and adversaries."""

from typing import Any

from attention_audit.config import Config
from attention_audit.model.architecture import Architecture
from attention_audit.names import Names
from attention_audit.plan.four_tests import ADVERSARY, CONTINUATION, GUIDES, LOOKS, FourTests
from attention_audit.plan.suite import ATTRIBUTED, BESIDE_BASE, USUAL, Schedule
from attention_audit.plan.transformers import parts_of


class WiegreffePinter(FourTests):
    """The models of the four tests. Encoder and attention of the base model are those that the configuration names, by
    default the paper's; uniform models and adversaries have the same encoder.
    """

    key = "wp"
    paper = "WP2019"
    title = "Wiegreffe & Pinter 2019"
    about = "Is attention needed, stable, transferable, and could a whole model attend elsewhere and predict the same?"
    citation = ("Attention is not not Explanation", "https://doi.org/10.18653/v1/D19-1002")
    labels = Names("model", "`LOOKS` of plan/four_tests.py", LOOKS)
    own_audits = (*USUAL, *BESIDE_BASE, *ATTRIBUTED, "evidence", "replaced")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.adversary, self.guides, self.base_seeds = config.adversary, config.guides, config.training.seeds

    @property
    def datasets(self) -> list[str]:
        return self.config.datasets

    def architecture(self, dataset: str, model: str) -> Architecture:
        sizes, guides = self.config.model, self.guides
        guide = model in GUIDES
        attention = GUIDES.get(model, "uniform" if model == "uniform" else sizes.attention)
        parts: dict[str, Any] = {
            "encoder": "affine" if guide else sizes.encoder,
            "attention": attention,
            **self.embedded(dataset, sizes.embedding),
            "hidden": guides.hidden if guide else sizes.hidden,
            "attention_hidden": guides.attention if guide else sizes.attention_hidden,
        }
        if parts["encoder"] == "transformer":
            parts |= parts_of(self.config)
        return Architecture.model_validate(parts)

    def schedule(self, dataset: str, model: str) -> Schedule:
        training, adversary = self.config.training, self.adversary
        recipe = training.recipe()
        if model.startswith(ADVERSARY):
            return Schedule(recipe, adversary.epochs, adversary.patience)
        if model == CONTINUATION:
            return Schedule(recipe, adversary.continuation.epochs, pace=adversary.continuation.pace)
        return Schedule(recipe, training.epochs)
