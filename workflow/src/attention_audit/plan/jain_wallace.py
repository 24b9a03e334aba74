"""The models of Jain & Wallace's tests: three encoders, two attentions, single texts and pairs."""

from __future__ import annotations

from typing import Any

from attention_audit.model.architecture import Architecture
from attention_audit.plan.plan import PaperPlan, Run
from attention_audit.plan.texts import vectors_of
from attention_audit.training.combinations import JainWallace as Settings
from attention_audit.training.settings import Optimisation, TrainSettings

ENCODERS = {"lstm": "bilstm", "cnn": "conv", "average": "affine"}
ATTENTIONS = {"tanh": "additive", "dot": "dot"}
KERNELS = [1, 3, 5, 7]


class JainWallace(PaperPlan):
    """The models whose attention is correlated and permuted, by the names in their paths: <encoder>_<attention>."""

    paper = "JW2019"

    @property
    def settings(self) -> Settings:
        """Their section of the configuration."""
        return self.config.jain_wallace

    def architecture(self, dataset: str, model: str) -> Architecture:
        """What a model is built of."""
        encoder, attention = model.split("_")
        recipe, vectors = self.settings.recipe(dataset), vectors_of(self.config, dataset)
        width = 2 * recipe.hidden if encoder == "lstm" else recipe.hidden
        built = {
            "encoder": ENCODERS[encoder],
            "attention": ATTENTIONS[attention],
            "embedding": vectors.dimension if vectors else recipe.embedding,
            "pretrained": vectors is not None,
            "hidden": recipe.hidden // len(KERNELS) if encoder == "cnn" else recipe.hidden,
            "attention_hidden": width // 2,
            "pair": self.config.corpora[dataset].pair,
        }
        return Architecture.model_validate(built | ({"kernels": KERNELS} if encoder == "cnn" else {}))

    def train_settings(self, dataset: str, model: str) -> TrainSettings:
        """What the training job of a model is told."""
        recipe = self.settings.recipe(dataset)
        optimisation = {name: getattr(recipe, name) for name in Optimisation.model_fields}
        if self.config.corpora[dataset].pair:
            # accuracy saturates: many epochs may share the highest
            optimisation |= {"average": True, "measure": "accuracy", "ties": "loss", "class_weights": False}
        return TrainSettings.model_validate(
            self.identity(dataset, model) | {"optimisation": optimisation, "epochs": recipe.epochs, "patience": None}
        )

    def run_settings(self, dataset: str, run: Run) -> dict[str, Any]:
        """What a job is told that runs one trained model again."""
        return self.identity(dataset, run.model) | {"seeds": [run.seed]}
