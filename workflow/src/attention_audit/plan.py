"""What a configuration asks for: every model of every data set, what it is told, and which files it reads.

Snakemake's rules ask here; nothing here is computed or read from disk, and no heavy library is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_audit.config import Config
from attention_audit.model.architecture import Architecture
from attention_audit.training.settings import ModelSettings, Optimisation, TrainSettings

ADVERSARY = "adversary_lambda"
GUIDES = ("guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary")


@dataclass(frozen=True)
class Run:
    """One model with one seed."""

    model: str
    seed: int


class Plan:
    """The models of a run, by the names that stand in their paths.

    base, uniform, guide_<weights imposed>, adversary_lambda<lambda>.
    """

    def __init__(self, config: Config) -> None:
        self.config = config

    @property
    def adversaries(self) -> list[str]:
        """One model a lambda, in the order of the grid."""
        return [adversary_name(value) for value in self.config.adversary.lambdas]

    @property
    def bilstms(self) -> list[str]:
        """The models whose attention is compared with the base model's."""
        return ["base", "uniform", *self.adversaries]

    @property
    def models(self) -> list[str]:
        """Every model of a data set."""
        return [*self.bilstms, *GUIDES]

    @property
    def base(self) -> Run:
        """The base model."""
        return Run("base", self.config.training.seed)

    @property
    def guide_adversary(self) -> Run:
        """The adversary whose weights guide the diagnostic MLP and stand in figure 2."""
        config = self.config
        return Run(adversary_name(config.guides.adversary_lambda), config.adversary.seeds[0])

    def seeds(self, model: str) -> list[int]:
        """The seeds a model is trained with."""
        return self.config.adversary.seeds if model.startswith(ADVERSARY) else self.config.training.seeds

    def lambda_(self, model: str) -> float | None:
        """The lambda of an adversary, None for other models."""
        return next((x for x in self.config.adversary.lambdas if adversary_name(x) == model), None)

    def family(self, model: str) -> str:
        """The model's name in tables: all adversaries are one family, told apart by lambda."""
        return "adversary" if model.startswith(ADVERSARY) else model

    def reference(self, model: str) -> Run | None:
        """The readout that a model is trained on, if any."""
        if model.startswith(ADVERSARY) or model == "guide_base_lstm":
            return self.base
        return self.guide_adversary if model == "guide_adversary" else None

    def architecture(self, model: str) -> Architecture:
        """What a model is built of."""
        config = self.config
        pretrained = config.vectors != "random"
        embedding = config.vector_files[config.vectors].dimension if pretrained else config.model.embedding
        guide = model in GUIDES
        attention = {
            "uniform": "uniform",
            "guide_uniform": "uniform",
            "guide_base_lstm": "imposed",
            "guide_adversary": "imposed",
        }.get(model, "additive")
        return Architecture.model_validate(
            {
                "encoder": "affine" if guide else "bilstm",
                "attention": attention,
                "embedding": embedding,
                "pretrained": pretrained,
                "hidden": config.guides.hidden if guide else config.model.hidden,
                "attention_hidden": config.guides.attention if guide else config.model.attention,
            }
        )

    def readout_settings(self, dataset: str, model: str) -> ModelSettings:
        """What the readout job of a model is told."""
        return ModelSettings.model_validate(self._identity(dataset, model))

    def train_settings(self, dataset: str, model: str) -> TrainSettings:
        """What the training job of a model is told."""
        config = self.config
        adversary = model.startswith(ADVERSARY)
        optimisation = {name: getattr(config.training, name) for name in Optimisation.model_fields}
        return TrainSettings.model_validate(
            self._identity(dataset, model)
            | {
                "optimisation": optimisation,
                "epochs": config.adversary.epochs if adversary else config.training.epochs,
                "patience": config.adversary.patience if adversary else None,
            }
        )

    def _identity(self, dataset: str, model: str) -> dict[str, Any]:
        return {
            "dataset": dataset,
            "model": self.family(model),
            "lambda_": self.lambda_(model),
            "seeds": list(self.seeds(model)),
            "architecture": self.architecture(model).model_dump(),
            "device": self.config.device,
            "threads": self.config.threads,
        }

    def runs(self, models: Sequence[str], but_base: bool = False) -> list[Run]:
        """Every seed of these models; without the base model's own where others are compared with it."""
        every = [Run(model, seed) for model in models for seed in self.seeds(model)]
        return [run for run in every if not (but_base and run == self.base)]

    def identities(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Model, lambda and seed of each run, as the columns of an audit name them."""
        return [{"model": self.family(run.model), "lambda": self.lambda_(run.model), "seed": run.seed} for run in runs]


def adversary_name(value: float) -> str:
    """The name of the adversary with this lambda."""
    return f"{ADVERSARY}{value!r}"
