"""The typed configuration: every key, its meaning, its default and its bounds.

`workflow/schemas/config.schema.json` and `docs/configuration.md` are written from it, and the configuration is checked
against it before Snakemake builds its DAG.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from attention_audit.answer.settings import AnswerSettings
from attention_audit.audits.settings import (
    Agreement,
    AttentionMaps,
    Correlation,
    Erasure,
    InstanceAdversary,
    Permutation,
)
from attention_audit.corpus.formats import Corpus
from attention_audit.corpus.vectors import Vectors
from attention_audit.errors import AuditError
from attention_audit.places import RESULTS, Places
from attention_audit.section import Count, Name, Section, refuse_duplicates
from attention_audit.training.combinations import Combinations
from attention_audit.training.deception import Deception
from attention_audit.training.documents import DocumentModels
from attention_audit.training.paper import DEFAULT
from attention_audit.training.settings import Adversary, BaseModel, Guides, OwnBase, Training

LONGEST = 500
"""Characters of a message at most: the wrong value that it quotes may be a whole section in the wrong place."""
MOVED = {
    "serrano_smith.seed": "`erasure.seed`",
    "serrano_smith.resamples": "`resamples`",
    "jain_wallace.resamples": "`resamples`",
    "jain_wallace.seed": "`permutation.seed` and `instance_adversary.seed`",
    "jain_wallace.correlation": "`correlation`",
    "jain_wallace.permutation": "`permutation`",
    "jain_wallace.agreement": "`agreement`",
}
"""Keys of version 0.1 that are no more, and where what they said is now said."""
WIDTH = "model.attention"
"""A key that was the width of the attention in version 0.1, and now names its scoring function."""


class Config(Section):
    """The whole configuration of a run."""

    datasets: list[Name] = Field(
        description="Data sets for Wiegreffe & Pinter's four tests, by their names in `corpora`."
    )
    results: str = Field(
        RESULTS, max_length=200, description="Folder that the run writes to; runs in folders of their own keep apart."
    )
    replace: bool = Field(
        False, description="Whether results of another configuration, which lie in that folder, may be replaced."
    )
    mirror: str | None = Field(
        None, description="Folder with raw files as <data set>/<file name>, used before any download."
    )
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="Where models are trained.")
    threads: Count = Field(1, description="Threads of one training.")
    corpora: dict[Name, Corpus] = Field(description="The catalogue of data sets.")
    skip_unavailable: bool = Field(
        False, description="Leave out data sets whose raw files are missing, and mark the gap in the tables."
    )
    vectors: Name = Field("random", description="Word vectors: random, or a name in `word_vectors`.")
    word_vectors: dict[Name, Vectors] = Field(default_factory=dict, description="The catalogue of word vectors.")
    model: BaseModel = Field(default_factory=BaseModel, description="Wiegreffe & Pinter's base model.")
    models: dict[Name, OwnBase] = Field(
        default_factory=dict, description="What is other in the base model of single data sets, by their names."
    )
    training: Training = Field(default_factory=Training, description="Training of base and uniform models.")
    guides: Guides = Field(default_factory=Guides, description="Diagnostic MLP (test 3).")
    adversary: Adversary = Field(default_factory=Adversary, description="Model-consistent adversary (test 4).")
    serrano_smith: DocumentModels = Field(
        default_factory=DocumentModels, description="Models of texts and of sentences."
    )
    jain_wallace: Combinations = Field(
        default_factory=Combinations, description="Encoders and attentions, of single texts and of pairs."
    )
    deception: Deception = Field(default_factory=Deception, description="Models that hide what they rely on.")
    audits: dict[Name, list[str]] = Field(
        default_factory=dict,
        description="Which audits each suite (wp, ss, jw, pd) is asked, in place of its own; "
        "`python -m attention_audit list` names them all.",
    )
    permutation: Permutation = Field(default_factory=Permutation, description="Permutations of attention weights.")
    instance_adversary: InstanceAdversary = Field(
        default_factory=InstanceAdversary, description="Jain & Wallace's per-instance adversary."
    )
    erasure: Erasure = Field(default_factory=Erasure, description="Erasure of single weights and of ranked sets.")
    correlation: Correlation = Field(default_factory=Correlation, description="Rank correlations of attributions.")
    agreement: Agreement = Field(default_factory=Agreement, description="The matrix of attributions.")
    attention_maps: AttentionMaps = Field(default_factory=AttentionMaps, description="Instances of figure 2.")
    answer: AnswerSettings = Field(
        default_factory=AnswerSettings, description="From which size on an effect counts in the summary."
    )
    resamples: Count = Field(1000, description="Resamples of the bootstrap intervals of all tables and figures.")

    @property
    def places(self) -> Places:
        """Where the files of the run lie."""
        return Places(self.results)

    def recorded(self) -> dict[str, Any]:
        """What is written down beside the results: all that they depend on, but not where they lie."""
        return self.model_dump(exclude={"results", "replace"})

    @property
    def every_dataset(self) -> list[str]:
        """The data sets of all tests, each once, in the order in which they are named."""
        sections = (self.serrano_smith.datasets, self.jain_wallace.datasets, self.deception.datasets)
        return list(dict.fromkeys([*self.datasets, *chain.from_iterable(sections)]))

    def base_model(self, dataset: str) -> BaseModel:
        """The base model of a data set."""
        own = self.models.get(dataset, OwnBase()).model_dump(exclude_none=True)
        return self.model.model_copy(update={name: own[name] for name in BaseModel.model_fields if name in own})

    @field_validator("skip_unavailable", "replace", mode="before")
    @classmethod
    def _spelled(cls, value: Any) -> Any:
        # Snakemake's --config hands on `true` as a text, and only `True` as a truth value
        return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value

    @field_validator("results")
    @classmethod
    def _folder(cls, value: str) -> str:
        if not re.fullmatch(r"[\w./@+][\w./@+-]*", value):
            raise ValueError(f"{value!r} is no folder to write to; use letters, digits and the characters . _ - + @ /")
        folder = Path(value).resolve()
        if folder == Path.cwd() or folder in Path.cwd().parents:
            raise ValueError(f"{value!r} holds the workflow itself; name a folder below it, or elsewhere")
        return PurePosixPath(value).as_posix()

    @field_validator("datasets")
    @classmethod
    def _distinct(cls, names: list[str]) -> list[str]:
        refuse_duplicates("data set", names)
        return names

    @model_validator(mode="after")
    def _references(self) -> Self:
        asked_for = {
            "datasets": self.datasets,
            "serrano_smith.datasets": self.serrano_smith.datasets,
            "jain_wallace.datasets": self.jain_wallace.datasets,
            "deception.datasets": self.deception.datasets,
        }
        for key, names in asked_for.items():
            for name in names:
                if name not in self.corpora:
                    raise ValueError(f"{key}: unknown data set {name!r}; known: {', '.join(sorted(self.corpora))}")
        if not self.every_dataset:
            raise ValueError(
                "datasets: none is named, nor in the datasets of serrano_smith, jain_wallace and deception; name one"
            )
        recipes: dict[str, Mapping[str, Any]] = {
            "serrano_smith": self.serrano_smith.recipes,
            "jain_wallace": self.jain_wallace.recipes,
        }
        for key, named in recipes.items():
            for name in named:
                if name != DEFAULT and name not in self.corpora:
                    raise ValueError(f"{key}.recipes: unknown data set {name!r}; use `{DEFAULT}` for all others")
        for name in self.models:
            if name not in self.corpora:
                raise ValueError(f"models: unknown data set {name!r}; use `model` for all data sets")
        asked = {"vectors": self.vectors}
        asked |= {f"corpora.{name}.vectors": self.corpora[name].vectors or "random" for name in self.every_dataset}
        for key, vectors in asked.items():
            if vectors != "random" and vectors not in self.word_vectors:
                known = ", ".join(["random", *sorted(self.word_vectors)])
                raise ValueError(f"{key}: unknown word vectors {vectors!r}; known: {known}")
        if not self.adversary.continued and self.guides.adversary_lambda not in self.adversary.lambdas:
            raise ValueError(
                f"guides.adversary_lambda: {self.guides.adversary_lambda} is not in adversary.lambdas "
                f"{self.adversary.lambdas}"
            )
        return self


def _line(error: ErrorDetails, raw: Any) -> str:
    """One fault as `key: what is wrong`, with the key as the user wrote it."""
    keys: list[str] = []
    for part in error["loc"]:
        if isinstance(raw, dict) and part not in raw and part != error["loc"][-1]:
            continue  # pydantic also names the branch of a union, which is not a key in the user's file
        keys.append(str(part))
        try:
            raw = raw[part]
        except (KeyError, IndexError, TypeError):
            raw = None
    value = error["input"]
    match error["type"]:
        case "extra_forbidden":
            moved = MOVED.get(".".join(keys))
            message = f"is now {moved}; write it there" if moved else "unknown key"
        case "literal_error" if ".".join(keys) == WIDTH and type(value) is int:
            message = f"names the scoring function; its width, {value}, is now `model.attention_hidden`"
        case "missing":
            message = "missing key"
        case "value_error":
            message = error["msg"].removeprefix("Value error, ")
        case "float_type" if isinstance(value, str) and _is_number(value):
            message = f"{value!r} is a text in YAML; write {float(value)!r} with a decimal point"
        case "union_tag_invalid":
            message = f"unknown kind {value.get('kind')!r}; known: {error['ctx']['expected_tags']}"
        case "union_tag_not_found":
            message = "missing key `kind`"
        case "model_type" | "dict_type":
            message = f"must be a group of keys, not {value!r}"
        case _:
            message = f"{error['msg'][0].lower()}{error['msg'][1:]}, not {value!r}"
    line = f"{'.'.join(keys)}: {message}" if keys else message
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def _is_number(text: str) -> bool:
    try:
        return bool(float(text))
    except ValueError:
        return False


def parse_config(raw: Mapping[str, Any]) -> Config:
    """Check a raw configuration.

    Raises AuditError with one line that names the first wrong key and what is wrong with it.
    """
    try:
        config = Config.model_validate(dict(raw))
    except ValidationError as error:
        others = error.error_count() - 1
        more = f" (and {others} more)" if others else ""
        raise AuditError(f"config: {_line(error.errors()[0], raw)}{more}") from error
    if config.mirror is not None and not Path(config.mirror).is_dir():
        raise AuditError(f"config: mirror: no such folder: {config.mirror}")
    return config
