"""What suites of models that are given have in common: models in question, the first one's twin, its adversaries."""

from collections.abc import Iterable, Mapping
from itertools import cycle

from attention_audit.contrasts import ADVERSARIES, UNIFORM, Contrasts
from attention_audit.names import Look
from attention_audit.plan.suite import Run, Suite

OTHERS = {UNIFORM: Look("uniform", "orange", "s"), ADVERSARIES: Look("adversaries", "blue", "o")}
"""How the models are called that are no models in question."""
COLOURS = ("green", "purple", "vermillion", "sky")


def looks_of(models: Iterable[str]) -> Mapping[str, Look]:
    """The models in question by the user's names, each with a colour; colours come again where there are more."""
    return {name: Look(name, colour, "^") for name, colour in zip(dict.fromkeys(models), cycle(COLOURS), strict=False)}


class GivenSuite(Suite):
    """Models that others have trained: there is nothing but the test split, on which adversaries are chosen too."""

    @property
    def shown_adversary(self) -> Run | None:
        return Run(ADVERSARIES, 1) if ADVERSARIES in self.models else None

    def splits(self, dataset: str) -> tuple[str, ...]:
        return ("test",)

    def compared_models(self, model: str) -> Contrasts | None:
        if self.base is None or model != self.base.model:
            return None
        return Contrasts(
            seed=self.base.seed,
            uniform=UNIFORM if UNIFORM in self.models else None,
            adversaries=[ADVERSARIES] if ADVERSARIES in self.models else [],
            chosen_on="test",
        )
