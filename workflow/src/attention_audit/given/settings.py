"""The section of the configuration that names readouts from elsewhere."""

from itertools import chain
from typing import Self

from pydantic import Field, field_validator, model_validator

from attention_audit.contrasts import ADVERSARIES, UNIFORM
from attention_audit.given.files import ENDINGS
from attention_audit.section import Name, Section, refuse_duplicates


class GivenModels(Section):
    """The readouts of your own models on one data set, one file a training, which is a .parquet or .npz file."""

    models: dict[Name, list[str]] = Field(
        min_length=1,
        description="The models in question by names of yours, each with the file of each of its trainings. The first "
        "model is the one that `uniform` and `adversaries` belong to.",
    )
    uniform: list[str] = Field(
        default_factory=list,
        description="Files of the first model's twin, which was trained with uniform weights in place of attention.",
    )
    adversaries: list[str] = Field(
        default_factory=list,
        description="Files of adversaries of the first model, which were trained to predict as its first training does "
        "and to attend elsewhere.",
    )
    classes: list[str] | None = Field(
        None, min_length=2, description="Names of the classes, from class 0 on; null: their numbers."
    )

    @property
    def by_model(self) -> dict[str, list[str]]:
        """The files of every model, by its name in paths."""
        others = {UNIFORM: self.uniform, ADVERSARIES: self.adversaries}
        return self.models | {name: files for name, files in others.items() if files}

    @property
    def first(self) -> str:
        """The file of the first training of the first model, which has the texts."""
        return next(iter(self.models.values()))[0]

    @field_validator("models")
    @classmethod
    def _named(cls, models: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, files in models.items():
            if name in (UNIFORM, ADVERSARIES):
                raise ValueError(f"{name!r} is no model in question; use the key `{name}` beside `models`")
            if not files:
                raise ValueError(f"{name!r} has no file; name one for each of its trainings")
        return models

    @field_validator("classes")
    @classmethod
    def _distinct(cls, classes: list[str] | None) -> list[str] | None:
        refuse_duplicates("class", classes or [])
        return classes

    @model_validator(mode="after")
    def _files(self) -> Self:
        every = [*chain.from_iterable(self.by_model.values())]
        refuse_duplicates("file", every)
        if unknown := [path for path in every if not path.endswith(ENDINGS)]:
            raise ValueError(f"{unknown[0]!r} does not end in {' or '.join(ENDINGS)}; save it in one of these formats")
        return self
