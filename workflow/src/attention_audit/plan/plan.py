"""What all plans share: a plan knows the models of one paper, what each is told, and which files it reads.

Snakemake's rules ask here; nothing here is computed or read from disk, and no heavy library is imported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from attention_audit.config import Config
from attention_audit.model.architecture import Architecture
from attention_audit.training.paper import PaperSection
from attention_audit.training.settings import ModelSettings, TrainSettings


@dataclass(frozen=True)
class Run:
    """One model with one seed."""

    model: str
    seed: int


class Plan(ABC):
    """The models of one paper, by the names that stand in their paths."""

    paper: ClassVar[str]

    def __init__(self, config: Config) -> None:
        self.config = config

    @property
    @abstractmethod
    def models(self) -> list[str]:
        """Every model of a data set."""

    @property
    def judged(self) -> list[str]:
        """The models whose own attention is in question."""
        return self.models

    @abstractmethod
    def seeds(self, model: str) -> list[int]:
        """The seeds a model is trained with."""

    @abstractmethod
    def architecture(self, dataset: str, model: str) -> Architecture:
        """What a model is built of."""

    @abstractmethod
    def train_settings(self, dataset: str, model: str) -> TrainSettings:
        """What the training job of a model is told."""

    def lambda_(self, model: str) -> float | None:
        """The lambda of an adversary, None for other models."""
        return None

    def family(self, model: str) -> str:
        """The model's name in tables."""
        return model

    def reference(self, model: str) -> Run | None:
        """The readout that a model is trained on, if any."""
        return None

    def readout_settings(self, dataset: str, model: str) -> ModelSettings:
        """What the readout job of a model is told."""
        return ModelSettings.model_validate(self.identity(dataset, model))

    def identity(self, dataset: str, model: str) -> dict[str, Any]:
        """What every job of a model is told."""
        return {
            "dataset": dataset,
            "model": self.family(model),
            "lambda_": self.lambda_(model),
            "seeds": list(self.seeds(model)),
            "architecture": self.architecture(dataset, model).model_dump(),
            "device": self.config.device,
            "threads": self.config.threads,
        }

    def runs(self, models: Sequence[str]) -> list[Run]:
        """Every seed of these models."""
        return [Run(model, seed) for model in models for seed in self.seeds(model)]

    def identities(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Model, lambda and seed of each run, as the columns of an audit name them."""
        return [{"model": self.family(run.model), "lambda": self.lambda_(run.model), "seed": run.seed} for run in runs]


class PaperPlan(Plan):
    """The models that a section of the configuration names, all with the same seeds."""

    @property
    @abstractmethod
    def settings(self) -> PaperSection:
        """That section."""

    @property
    def models(self) -> list[str]:
        """Every model of a data set."""
        return list(self.settings.models)

    def seeds(self, model: str) -> list[int]:
        """The seeds a model is trained with."""
        return self.settings.seeds
