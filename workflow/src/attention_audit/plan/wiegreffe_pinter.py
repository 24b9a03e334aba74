"""The models of Wiegreffe & Pinter's tests: base, uniform, guides, adversaries."""

from __future__ import annotations

from attention_audit.model.architecture import Architecture
from attention_audit.plan.plan import Plan, Run
from attention_audit.plan.texts import vectors_of
from attention_audit.training.settings import Optimisation, TrainSettings

ADVERSARY = "adversary_lambda"
GUIDES = ("guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary")


class WiegreffePinter(Plan):
    """The models of the four tests, by the names that stand in their paths.

    base, uniform, guide_<weights imposed>, adversary_lambda<lambda>.
    """

    paper = "WP2019"

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
    def judged(self) -> list[str]:
        """The base model; the others are what it is held against."""
        return ["base"]

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

    def architecture(self, dataset: str, model: str) -> Architecture:
        """What a model is built of."""
        config = self.config
        vectors = vectors_of(self.config, dataset)
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
                "embedding": vectors.dimension if vectors else config.model.embedding,
                "pretrained": vectors is not None,
                "hidden": config.guides.hidden if guide else config.model.hidden,
                "attention_hidden": config.guides.attention if guide else config.model.attention,
            }
        )

    def train_settings(self, dataset: str, model: str) -> TrainSettings:
        """What the training job of a model is told."""
        config = self.config
        adversary = model.startswith(ADVERSARY)
        optimisation = {name: getattr(config.training, name) for name in Optimisation.model_fields}
        return TrainSettings.model_validate(
            self.identity(dataset, model)
            | {
                "optimisation": optimisation,
                "epochs": config.adversary.epochs if adversary else config.training.epochs,
                "patience": config.adversary.patience if adversary else None,
            }
        )

    def compared(self) -> list[Run]:
        """Every seed of the models whose attention is compared with the base model's, but the base model itself."""
        return [run for run in self.runs(self.bilstms) if run != self.base]


def adversary_name(value: float) -> str:
    """The name of the adversary with this lambda."""
    return f"{ADVERSARY}{value!r}"
