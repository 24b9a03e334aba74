"""The models of Serrano & Smith's erasure tests: HAN and FLAN, with three encoders each."""

from __future__ import annotations

from attention_audit.model.architecture import Architecture
from attention_audit.plan.plan import PaperPlan
from attention_audit.plan.texts import vectors_of
from attention_audit.training.documents import SerranoSmith as Settings
from attention_audit.training.settings import TrainSettings

ENCODERS = {"rnn": "bigru", "conv": "conv", "none": "none"}


class SerranoSmith(PaperPlan):
    """The models whose attention is erased, by the names that stand in their paths: <han or flan>_<encoder>."""

    paper = "SS2019"

    @property
    def settings(self) -> Settings:
        """Their section of the configuration."""
        return self.config.serrano_smith

    def architecture(self, dataset: str, model: str) -> Architecture:
        """What a model is built of."""
        family, encoder = model.split("_")
        recipe, vectors = self.settings.recipe(dataset, model), vectors_of(self.config, dataset)
        hierarchical, convolutional = family == "han", encoder == "conv"
        embedding = vectors.dimension if vectors else self.settings.embedding
        dropout = {
            "words": recipe.word_dropout,
            "sentences": recipe.sentence_dropout if hierarchical else 0.0,
            "convolution": recipe.conv_dropout if convolutional else 0.0,
            "logits": recipe.logit_dropout,
        }
        return Architecture.model_validate(
            {
                "encoder": ENCODERS[encoder],
                "attention": "additive",
                "embedding": embedding,
                "pretrained": vectors is not None,
                "hidden": self.settings.hidden,
                "attention_hidden": embedding if encoder == "none" else self.settings.attention,
                "hierarchical": hierarchical,
                "dropout": dropout,
                "initialisation": "xavier",
            }
        )

    def train_settings(self, dataset: str, model: str) -> TrainSettings:
        """What the training job of a model is told."""
        recipe = self.settings.recipe(dataset, model)
        optimisation = {
            "batch_size": recipe.batch_size,
            "learning_rate": recipe.learning_rate,
            "weight_decay": 0.0,
            "amsgrad": False,
            "average": True,
            "clip_norm": recipe.clip_norm,
            "clip_value": recipe.clip_value,
            "batch_tokens": recipe.batch_tokens,
            "plateau": True,
            "measure": "accuracy",
            "class_weights": False,
        }
        return TrainSettings.model_validate(
            self.identity(dataset, model)
            | {"optimisation": optimisation, "epochs": recipe.epochs, "patience": recipe.patience}
        )
