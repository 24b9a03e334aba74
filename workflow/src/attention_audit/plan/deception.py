"""The suite of Pruthi et al. 2020: an honest model, and liars that hide by their attention what they rely on."""

from __future__ import annotations

from attention_audit.config import Config
from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.suite import Schedule, Suite
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter

HONEST, LIAR = "honest", "liar_lambda"


def liar_name(value: float) -> str:
    """The name of the liar with this lambda."""
    return f"{LIAR}{value!r}"


class PruthiDeception(Suite):
    """Models by the names in their paths: honest, which is Wiegreffe & Pinter's base model, and liar_lambda<lambda>."""

    key = "pd"
    paper = "PD2020"
    title = "Pruthi et al. 2020"
    about = "Who notices a model whose attention was trained to hide the words that it relies on?"
    citation = (
        "Learning to Deceive with Attention-Based Explanations",
        "https://doi.org/10.18653/v1/2020.acl-main.432",
    )
    labels = Names(
        "model",
        "`labels` of plan/deception.py",
        {HONEST: Look("honest", "green", "^"), f"{LIAR}<lambda>": Look("liar", "vermillion", "o")},
    )
    own_audits = (
        "performance",
        "predictions",
        "stability",
        "permutation",
        "contributions",
        "single_weight",
        "ranked_sets",
        "evidence",
        "plausibility",
        "located",
        "plausible_words",
    )

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.base_suite = WiegreffePinter(config)
        liars = {
            liar_name(value): Look(f"liar (lambda {value:g})", "vermillion", "o") for value in config.deception.lambdas
        }
        self.labels = Names(self.labels.kind, self.labels.where, {HONEST: self.labels[HONEST]} | liars)

    @property
    def datasets(self) -> list[str]:
        return self.config.deception.datasets

    @property
    def models(self) -> list[str]:
        return [HONEST, *map(liar_name, self.config.deception.lambdas)]

    def seeds(self, model: str) -> list[int]:
        return self.config.deception.seeds

    def lambda_(self, model: str) -> float | None:
        return next((x for x in self.config.deception.lambdas if liar_name(x) == model), None)

    def deceptive(self, model: str) -> bool:
        return model != HONEST

    def architecture(self, dataset: str, model: str) -> Architecture:
        return self.base_suite.architecture(dataset, "base")

    def schedule(self, dataset: str, model: str) -> Schedule:
        """The base model's; a liar has its own epochs and rate, since it has two things to learn."""
        honest, section = self.base_suite.schedule(dataset, "base"), self.config.deception
        if model == HONEST:
            return honest
        recipe = honest.optimisation.model_copy(update={"learning_rate": section.learning_rate})
        return Schedule(recipe, section.epochs)
