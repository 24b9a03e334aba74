"""The suite of Wiegreffe & Pinter 2019: a base model, the same with uniform weights, guides and adversaries."""

from __future__ import annotations

from attention_audit.contrasts import Contrasts
from attention_audit.model.architecture import Architecture
from attention_audit.names import Look, Names
from attention_audit.plan.corpora import vectors_of
from attention_audit.plan.suite import Run, Schedule, Suite
from attention_audit.training.settings import Optimisation, Recipe

ADVERSARY = "adversary_lambda"
GUIDES = ("guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary")


def adversary_name(value: float) -> str:
    """The name of the adversary with this lambda."""
    return f"{ADVERSARY}{value!r}"


class WiegreffePinter(Suite):
    """The models of the four tests, by the names that stand in their paths.

    base, uniform, guide_<weights imposed>, adversary_lambda<lambda>. Encoder and attention of the base model are those
    that the configuration names, by default the paper's; uniform models and adversaries have the same encoder.
    """

    key = "wp"
    paper = "WP2019"
    title = "Wiegreffe & Pinter 2019"
    about = "Is attention needed, stable, transferable, and could a whole model attend elsewhere and predict the same?"
    labels = Names(
        "model",
        "`labels` of plan/wiegreffe_pinter.py",
        {
            "base": Look("base", "green", "^"),
            "uniform": Look("uniform", "orange", "s"),
            "adversary": Look("adversary", "blue", "o"),
            "guide_uniform": Look("MLP, uniform weights"),
            "guide_trained_mlp": Look("MLP, own attention"),
            "guide_base_lstm": Look("MLP, base LSTM's attention"),
            "guide_adversary": Look("MLP, adversary's attention"),
        },
    )
    own_audits = (
        "performance",
        "comparison",
        "stability",
        "permutation",
        "instance_adversary",
        "single_weight",
        "ranked_sets",
        "evidence",
        "attention_maps",
    )

    @property
    def datasets(self) -> list[str]:
        return self.config.datasets

    @property
    def adversaries(self) -> list[str]:
        """One model a lambda, in the order of the grid."""
        return [adversary_name(value) for value in self.config.adversary.lambdas]

    @property
    def models(self) -> list[str]:
        return [*self.attending, *GUIDES]

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
        config = self.config
        return Run(adversary_name(config.guides.adversary_lambda), config.adversary.seeds[0])

    def seeds(self, model: str) -> list[int]:
        return self.config.adversary.seeds if model.startswith(ADVERSARY) else self.config.training.seeds

    def lambda_(self, model: str) -> float | None:
        return next((x for x in self.config.adversary.lambdas if adversary_name(x) == model), None)

    def family(self, model: str) -> str:
        """All adversaries are one family, told apart by lambda."""
        return "adversary" if model.startswith(ADVERSARY) else model

    def reference(self, model: str) -> Run | None:
        if model.startswith(ADVERSARY) or model == "guide_base_lstm":
            return self.base
        return self.contrast if model == "guide_adversary" else None

    def contrasts(self, model: str) -> Contrasts:
        return Contrasts(
            uniform="uniform",
            adversary="adversary",
            guided="guide_base_lstm",
            guided_uniform="guide_uniform",
            guided_own="guide_trained_mlp",
        )

    def architecture(self, dataset: str, model: str) -> Architecture:
        sizes, guides = self.config.model, self.config.guides
        vectors = vectors_of(self.config, dataset)
        guide = model in GUIDES
        attention = {
            "uniform": "uniform",
            "guide_uniform": "uniform",
            "guide_base_lstm": "imposed",
            "guide_adversary": "imposed",
        }.get(model, "additive" if guide else sizes.attention)
        return Architecture.model_validate(
            {
                "encoder": "affine" if guide else sizes.encoder,
                "attention": attention,
                "embedding": vectors.dimension if vectors else sizes.embedding,
                "pretrained": vectors is not None,
                "hidden": guides.hidden if guide else sizes.hidden,
                "attention_hidden": guides.attention if guide else sizes.attention_hidden,
            }
        )

    def schedule(self, dataset: str, model: str) -> Schedule:
        training, adversary = self.config.training, self.config.adversary
        recipe = Recipe(**{name: getattr(training, name) for name in Optimisation.model_fields})
        if model.startswith(ADVERSARY):
            return Schedule(recipe, adversary.epochs, adversary.patience)
        return Schedule(recipe, training.epochs)
