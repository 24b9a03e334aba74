"""Which models' attention the summary judges, and with which other models it compares each of them."""

from collections.abc import Container
from typing import Literal

from pydantic import field_validator

from attention_audit.section import Name, OwnPath, Section

UNIFORM_KEY, ADVERSARIES_KEY = "uniform", "adversaries"
"""What the twin and the adversaries of models that are given are called; they are no models in question."""


class GivenSection(Section):
    """Models of one data set that others have trained, with a path for each training."""

    models: dict[Name, list[OwnPath]] = {}
    """The models in question by names of yours, each with the path of each of its trainings. The first model is the one
    that `uniform` and `adversaries` belong to.
    """
    uniform: list[OwnPath] = []
    """Paths of the first model's twin, which was trained with uniform weights in place of attention; of a Transformer,
    in the classified token's row of the last layer: it is read out with them.
    """
    adversaries: list[OwnPath] = []
    """Paths of adversaries of the first model, which were trained to predict as its first training does and to attend
    elsewhere.
    """

    @property
    def by_model(self) -> dict[str, list[str]]:
        """Return the paths of every model, by its name in paths of the results."""
        references = {UNIFORM_KEY: self.uniform, ADVERSARIES_KEY: self.adversaries}
        return self.models | {name: paths for name, paths in references.items() if paths}

    @field_validator("models")
    @classmethod
    def _check_paths(cls, models: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, paths in models.items():
            if name in (UNIFORM_KEY, ADVERSARIES_KEY):
                raise ValueError(f"{name!r} is no model in question; use the key `{name}` beside `models`")
            if not paths:
                raise ValueError(f"{name!r} has no path; name one for each of its trainings")
        return models


class GuideNames(Section):
    """The diagnostic MLP, named likewise, with the weights of the `judged` model, with `uniform` weights, with those of
    an `adversary`, and with weights of its `own` that it learns.
    """

    judged: str
    uniform: str
    adversary: str
    own: str


class Contrasts(Section):
    """The models that a judged model is compared with, named as in the column `model` of the audits.

    seed: the seed of the judged model that adversaries are trained against. uniform: the same model with uniform
    weights, None where there is none. adversaries: the families of the consistent adversaries. guides: the diagnostic
    MLP with attention from elsewhere, None where there is none. chosen_on: the split on which an adversary is chosen.
    """

    seed: int
    uniform: str | None
    adversaries: list[str]
    guides: GuideNames | None = None
    chosen_on: Literal["dev", "test"] = "dev"


def describe_contrasts(models: Container[str]) -> Contrasts:
    """Describe what a model that is given is compared with, of these models beside it."""
    return Contrasts(
        seed=1,
        uniform=UNIFORM_KEY if UNIFORM_KEY in models else None,
        adversaries=[ADVERSARIES_KEY] if ADVERSARIES_KEY in models else [],
        chosen_on="test",
    )


class EvaluatedModel(Section):
    """A judged model, which has one row in the summary.

    suite: the key of the model's suite. paper: the suite's name in tables. seeds: how many seeds the model was trained
    with. items: what its attention lies on. unasked: why an audit was not asked of it, by the audit's name. contrasts:
    the models it is compared with, None where the suite has none. given: whether it was not trained here. frozen:
    whether its encoder is as it was found, so that its trainings differ in attention and decoder alone. of_cases:
    whether what it is asked of are cases, a text and a target each, of which all of a text count as one text. What is
    right of them depends on which are asked, so that nothing is said of how well the model predicts.
    """

    dataset: str
    suite: str
    paper: str
    model: str
    seeds: int
    items: Literal["words", "sentences"]
    unasked: dict[str, str]
    contrasts: Contrasts | None = None
    given: bool = False
    frozen: bool = False
    of_cases: bool = False
