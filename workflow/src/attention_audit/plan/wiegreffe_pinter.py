"""The suite of Wiegreffe & Pinter 2019: a base model, the same with uniform weights, guides and adversaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_audit.contrasts import Contrasts, Guides
from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.corpora import vectors_of
from attention_audit.plan.suite import Run, Schedule, Suite
from attention_audit.plan.transformers import parts_of
from attention_audit.training.settings import Optimisation, Recipe, SearchSettings, TrainSettings
from attention_audit.training.single import OwnBase

ADVERSARY = "adversary_lambda"
CONTINUATION = "continuation"
STEP = "continuation_step"
FAMILIES = {ADVERSARY: "adversary", STEP: "continuation"}
"""Families of models by the beginning of their names."""
GUIDES = ("guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary")


def adversary_name(value: float) -> str:
    """The name of the adversary with this lambda."""
    return f"{ADVERSARY}{value!r}"


class WiegreffePinter(Suite):
    """The models of the four tests, by the names that stand in their paths.

    base, uniform, guide_<weights imposed>, adversary_lambda<lambda> from scratch; of the search by continuation
    continuation_step<number>, and continuation, which is the chosen one of them. Encoder and attention of the base
    model are those that the configuration names, by default the paper's; uniform models and adversaries have the same
    encoder.
    """

    key = "wp"
    paper = "WP2019"
    title = "Wiegreffe & Pinter 2019"
    about = "Is attention needed, stable, transferable, and could a whole model attend elsewhere and predict the same?"
    citation = ("Attention is not not Explanation", "https://doi.org/10.18653/v1/D19-1002")
    labels = Names(
        "model",
        "`labels` of plan/wiegreffe_pinter.py",
        {
            "base": Look("base", "green", "^"),
            "uniform": Look("uniform", "orange", "s"),
            "adversary": Look("adversary", "blue", "o"),
            "continuation": Look("adversary by continuation", "purple", "D"),
            "continuation_chosen": Look("adversary by continuation, the chosen one", "purple", "D"),
            "guide_uniform": Look("MLP, uniform weights"),
            "guide_trained_mlp": Look("MLP, own attention"),
            "guide_base_lstm": Look("MLP, base LSTM's attention"),
            "guide_adversary": Look("MLP, adversary's attention"),
        },
    )
    own_audits = (
        "performance",
        "predictions",
        "comparison",
        "consistency",
        "stability",
        "permutation",
        "contributions",
        "instance_adversary",
        "single_weight",
        "ranked_sets",
        "evidence",
        "attention_maps",
        "located",
    )

    @property
    def datasets(self) -> list[str]:
        return self.config.datasets

    @property
    def adversaries(self) -> list[str]:
        """From scratch, one model a lambda, in the order of the grid; then one a step of the search by continuation."""
        adversary = self.config.adversary
        grid = adversary.lambdas if adversary.from_scratch else []
        steps = range(1, adversary.continuation.steps + 1) if adversary.continued else []
        return [*map(adversary_name, grid), *(f"{STEP}{number}" for number in steps)]

    @property
    def models(self) -> list[str]:
        chosen = [CONTINUATION] if self.config.adversary.continued else []
        return [*self.attending, *chosen, *GUIDES]

    @property
    def judged(self) -> list[str]:
        return ["base"]

    @property
    def attending(self) -> list[str]:
        return ["base", "uniform", *self.adversaries]

    @property
    def base(self) -> Run:
        return Run("base", self.config.training.seed)

    @property
    def contrast(self) -> Run:
        adversary, lent = self.config.adversary, self.config.guides.adversary_lambda
        return Run(CONTINUATION if adversary.continued else adversary_name(lent), adversary.seeds[0])

    def seeds(self, model: str) -> list[int]:
        adversarial = model.startswith((ADVERSARY, CONTINUATION))
        return self.config.adversary.seeds if adversarial else self.config.training.seeds

    def lambda_(self, model: str) -> float | None:
        return next((x for x in self.config.adversary.lambdas if adversary_name(x) == model), None)

    def family(self, model: str) -> str:
        """All adversaries from scratch are one family, told apart by lambda, and so are all steps of the search."""
        if model == CONTINUATION:
            return "continuation_chosen"
        return next((name for start, name in FAMILIES.items() if model.startswith(start)), model)

    def maker(self, model: str) -> str:
        return CONTINUATION if model.startswith(STEP) else model

    def searched(self, model: str) -> int | None:
        if model == CONTINUATION:
            return 0
        return int(model.removeprefix(STEP)) if model.startswith(STEP) else None

    def reference(self, run: Run) -> Run | None:
        """Every seed of a guide has the map of the base model with that seed; adversaries have the base seed's."""
        if run.model == "guide_base_lstm":
            return Run("base", run.seed)
        if run.model.startswith((ADVERSARY, CONTINUATION)):
            return self.base
        return self.contrast if run.model == "guide_adversary" else None

    def contrasts(self, model: str) -> Contrasts:
        return Contrasts(
            seed=self.base.seed,
            uniform="uniform",
            adversaries=list(FAMILIES.values()),
            guides=Guides(
                judged="guide_base_lstm",
                uniform="guide_uniform",
                adversary="guide_adversary",
                own="guide_trained_mlp",
            ),
        )

    def architecture(self, dataset: str, model: str) -> Architecture:
        sizes, guides = self.config.base_model(dataset), self.config.guides
        vectors = vectors_of(self.config, dataset)
        guide = model in GUIDES
        attention = {
            "uniform": "uniform",
            "guide_uniform": "uniform",
            "guide_base_lstm": "imposed",
            "guide_adversary": "imposed",
        }.get(model, "additive" if guide else sizes.attention)
        parts: dict[str, Any] = {
            "encoder": "affine" if guide else sizes.encoder,
            "attention": attention,
            "embedding": vectors.dimension if vectors else sizes.embedding,
            "pretrained": vectors is not None,
            "hidden": guides.hidden if guide else sizes.hidden,
            "attention_hidden": guides.attention if guide else sizes.attention_hidden,
        }
        if parts["encoder"] == "transformer":
            parts |= parts_of(self.config)
        return Architecture.model_validate(parts)

    def schedule(self, dataset: str, model: str) -> Schedule:
        training, adversary = self.config.training, self.config.adversary
        recipe = Recipe(**{name: getattr(training, name) for name in Optimisation.model_fields})
        if model.startswith(ADVERSARY):
            return Schedule(recipe, adversary.epochs, adversary.patience)
        if model == CONTINUATION:
            return Schedule(recipe, adversary.continuation.epochs)
        own = self.config.models.get(dataset, OwnBase())
        changed = own.model_dump(include=set(Optimisation.model_fields), exclude_none=True)
        return Schedule(recipe.model_copy(update=changed), own.epochs or training.epochs)

    def training(self, dataset: str, model: str, seeds: Sequence[int]) -> TrainSettings:
        settings = super().training(dataset, model, seeds)
        if model != CONTINUATION:
            return settings
        adversary = self.config.adversary
        return SearchSettings(
            **dict(settings) | {"model": model},
            continuation=adversary.continuation,
            budget=self.config.answer.margins.tvd,
        )
