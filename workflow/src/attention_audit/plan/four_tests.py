"""The four tests of Wiegreffe & Pinter 2019, of whatever base model: which models they need, and who is held against
whom.
"""

from collections.abc import Mapping

from attention_audit.contrasts import Contrasts, Guides
from attention_audit.model.architecture import Attention
from attention_audit.names import Look
from attention_audit.plan.suite import Run, Suite
from attention_audit.training.settings import Adversary, AdversaryObjective, Objective, SearchSettings, TrainSettings
from attention_audit.training.settings import Guides as GuideSettings

ADVERSARY = "adversary_lambda"
CONTINUATION = "continuation"
STEP = "continuation_step"
FAMILIES = {ADVERSARY: "adversary", STEP: "continuation"}
"""Families of models by the beginning of their names."""
GUIDES: Mapping[str, Attention] = {
    "guide_uniform": "uniform",
    "guide_trained_mlp": "additive",
    "guide_base_lstm": "imposed",
    "guide_adversary": "imposed",
}
"""The attention of the guided models."""
LOOKS: dict[str, Look] = {
    "base": Look("base", "green", "^"),
    "uniform": Look("uniform", "orange", "s"),
    "adversary": Look("adversary", "blue", "o"),
    "continuation": Look("adversary by continuation", "purple", "D"),
    "continuation_chosen": Look("adversary by continuation, the chosen one", "purple", "D"),
    "guide_uniform": Look("MLP, uniform weights"),
    "guide_trained_mlp": Look("MLP, own attention"),
    "guide_base_lstm": Look("MLP, base model's attention"),
    "guide_adversary": Look("MLP, adversary's attention"),
}
"""The models' labels."""


def adversary_name(value: float) -> str:
    """The name of the adversary with this lambda."""
    return f"{ADVERSARY}{value!r}"


class FourTests(Suite):
    """A base model, its twin with uniform weights, its adversaries, and simple models that attention guides.

    By the names that stand in paths: base, uniform, guide_<weights imposed>, adversary_lambda<lambda> from scratch; of
    the search by continuation continuation_step<number>, and continuation, which is the chosen one of them.
    """

    adversary: Adversary
    """How adversaries are sought."""
    guides: GuideSettings
    """What guided models are, and which adversary from scratch lends its weights as a guide."""
    base_seeds: list[int]
    """The seeds of base, uniform and guided models, the first of them that of the base."""

    @property
    def adversaries(self) -> list[str]:
        """From scratch, one model a lambda, in the order of the grid; then one a step of the search by continuation."""
        adversary = self.adversary
        grid = adversary.lambdas if adversary.search != "continuation" else []
        steps = range(1, adversary.continuation.steps + 1) if adversary.continued else []
        return [*map(adversary_name, grid), *(f"{STEP}{number}" for number in steps)]

    @property
    def models(self) -> list[str]:
        chosen = [CONTINUATION] if self.adversary.continued else []
        return [*self.attending, *chosen, *GUIDES]

    @property
    def judged(self) -> list[str]:
        return ["base"]

    @property
    def attending(self) -> list[str]:
        return ["base", "uniform", *self.adversaries]

    @property
    def base(self) -> Run:
        return Run("base", self.base_seeds[0])

    @property
    def shown_adversary(self) -> Run:
        name = CONTINUATION if self.adversary.continued else adversary_name(self.guides.adversary_lambda)
        return Run(name, self.adversary.seeds[0])

    def seeds(self, model: str) -> list[int]:
        adversarial = model.startswith((ADVERSARY, CONTINUATION))
        return self.adversary.seeds if adversarial else self.base_seeds

    def objective(self, dataset: str, model: str) -> Objective:
        if not model.startswith((ADVERSARY, CONTINUATION)):
            return super().objective(dataset, model)
        lambda_ = next((x for x in self.adversary.lambdas if adversary_name(x) == model), None)
        return AdversaryObjective(lambda_=lambda_)

    def family(self, model: str) -> str:
        """All adversaries from scratch are one family, told apart by lambda, and so are all steps of the search."""
        if model == CONTINUATION:
            return "continuation_chosen"
        return next((name for start, name in FAMILIES.items() if model.startswith(start)), model)

    def rule(self, model: str) -> str:
        if model in GUIDES:
            return "train_guide"
        return "train_adversary" if model.startswith(ADVERSARY) else super().rule(model)

    def trained_with(self, model: str) -> str:
        return CONTINUATION if model.startswith(STEP) else model

    def search_step(self, model: str) -> int | None:
        if model == CONTINUATION:
            return 0
        return int(model.removeprefix(STEP)) if model.startswith(STEP) else None

    def reference(self, run: Run) -> Run | None:
        """Every seed of a guide has the map of the base model with that seed; adversaries have the base seed's."""
        if run.model == "guide_base_lstm":
            return Run("base", run.seed)
        if run.model.startswith((ADVERSARY, CONTINUATION)):
            return self.base
        return self.shown_adversary if run.model == "guide_adversary" else None

    def compared_models(self, model: str) -> Contrasts | None:
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

    def training(self, dataset: str, model: str, seed: int) -> TrainSettings:
        settings = super().training(dataset, model, seed)
        if model != CONTINUATION:
            return settings
        return SearchSettings(
            **dict(settings) | {"model": model},
            continuation=self.adversary.continuation,
            budget=self.config.answer.margins.tvd,
        )
