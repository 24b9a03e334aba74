"""The suite of Madsen et al. 2022: the base model, trained again and again without the most important words."""

from collections.abc import Sequence
from typing import get_args

from attention_audit.config import Config
from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.names import RANKINGS, Look, Names
from attention_audit.plan.suite import READ_OUT, Run, Schedule, SectionSuite
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter
from attention_audit.training.papers import Masking
from attention_audit.training.settings import MaskedSettings, MaskingOrder, TrainSettings

BASE = "base"


def step_name(order: MaskingOrder, percent: int) -> str:
    """The name of the model of a step."""
    return f"{order}_{percent}"


def looks(percents: Sequence[int]) -> dict[str, Look]:
    """How all models look."""
    named = {
        step_name(order, percent): RANKINGS[order]._replace(label=f"{percent} % masked by {RANKINGS[order].label}")
        for order in get_args(MaskingOrder)
        for percent in percents
    }
    return {BASE: Look("base", "green", "^")} | named


class MadsenRoar(SectionSuite[Masking]):
    """Models by the names in their paths: base, and <order>_<percent of the words that are masked>. The steps of an
    order are made by one job, that of the last.
    """

    key = "roar"
    paper = "MA2022"
    title = "Madsen et al. 2022"
    about = "Do predictions suffer more where the words go that a map ranks first, even if the model learns anew?"
    citation = (
        "Evaluating the Faithfulness of Importance Measures in NLP by Recursively Masking Allegedly Important Tokens "
        "and Retraining",
        "https://doi.org/10.18653/v1/2022.findings-emnlp.125",
    )
    labels = Names("model", "`looks` of plan/roar.py", looks(range(10, 101, 10)))
    section = Masking

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.base_suite = WiegreffePinter(config)
        section = self.settings
        self.labels = Names(self.labels.kind, self.labels.where, looks(section.percent))
        if section.datasets and config.model.encoder == "transformer":
            raise AuditError(
                "config: masking.datasets: words are masked in the vocabulary of a model that learns it, and the base "
                "model reads by a Transformer; name another `model.encoder`, or no data set"
            )

    @property
    def models(self) -> list[str]:
        section = self.settings
        return [BASE, *(step_name(order, percent) for order in section.orders for percent in section.percent)]

    @property
    def judged(self) -> list[str]:
        """The base model alone: the others read other texts."""
        return [BASE]

    def trained_with(self, model: str) -> str:
        return model if model == BASE else step_name(self._order(model), self.settings.percent[-1])

    def rule(self, model: str) -> str:
        return super().rule(model) if model == BASE else "retrain_masked"

    def splits_of(self, dataset: str, model: str) -> tuple[str, ...]:
        return READ_OUT[self.rule(model)]

    def reference(self, run: Run) -> Run | None:
        """The base model of the same seed, whose ranking the first step masks by."""
        return None if run.model == BASE else Run(BASE, run.seed)

    def _order(self, model: str) -> MaskingOrder:
        return next(order for order in self.settings.orders if model.startswith(f"{order}_"))

    def architecture(self, dataset: str, model: str) -> Architecture:
        return self.base_suite.architecture(dataset, BASE)

    def schedule(self, dataset: str, model: str) -> Schedule:
        return self.base_suite.schedule(dataset, BASE)

    def training(self, dataset: str, model: str, seed: int) -> TrainSettings:
        settings = super().training(dataset, model, seed)
        if model == BASE:
            return settings
        return MaskedSettings(**dict(settings), order=self._order(model), percent=self.settings.percent)
