"""The typed configuration: every key, its meaning, its default and its bounds.

`workflow/schemas/config.schema.json` and `docs/configuration.md` are written from it, and the configuration is checked
against it before Snakemake builds its DAG.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, StringConstraints, ValidationError, create_model, field_validator, model_validator

from attention_audit.answer.settings import AnswerSettings
from attention_audit.audits.settings import (
    Agreement,
    AttentionMaps,
    Correlation,
    Deletion,
    Erasure,
    InstanceAdversary,
    Permutation,
)
from attention_audit.config_messages import lines_of
from attention_audit.corpus.formats import Corpus
from attention_audit.corpus.source import RawSource
from attention_audit.corpus.vectors import Vectors
from attention_audit.errors import AuditError
from attention_audit.given.settings import GivenModels
from attention_audit.places import RESULTS, Places
from attention_audit.section import Count, Name, Section, refuse_duplicates
from attention_audit.spelling import did_you_mean
from attention_audit.training.combinations import Combinations, of_single_texts
from attention_audit.training.deception import Deception
from attention_audit.training.diversity import DiverseModels
from attention_audit.training.documents import DocumentModels
from attention_audit.training.fine_tuning import Classifiers
from attention_audit.training.paper import DEFAULT
from attention_audit.training.settings import Adversary, BaseModel, Guides, Training
from attention_audit.training.single import OwnBase
from attention_audit.transformer.settings import Transformer

SectionT = TypeVar("SectionT", bound=Section)
ModuleName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
NOTHING: Mapping[str, Mapping[str, Any]] = {}
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
    plugins: list[ModuleName] = Field(
        default_factory=list,
        description="Modules of your own that add audits, tables, figures, suites, encoders, attention, rankings or "
        "attributions, by their names: of files beside this one or in the working directory, without `.py`, or of "
        "installed packages. docs/extending.md has examples.",
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
        default_factory=dict, description="What is other in the models of single data sets, by their names."
    )
    training: Training = Field(default_factory=Training, description="Training of base and uniform models.")
    guides: Guides = Field(default_factory=Guides, description="Diagnostic MLP (test 3).")
    adversary: Adversary = Field(default_factory=Adversary, description="Model-consistent adversary (test 4).")
    transformer: Transformer | None = Field(
        None,
        description="The Transformer of all models that name it: of `model` with `encoder: transformer`, of "
        "flan_transformer, and of transformer_tanh and transformer_dot. null: none.",
    )
    serrano_smith: DocumentModels = Field(
        default_factory=DocumentModels, description="Models of texts and of sentences."
    )
    jain_wallace: Combinations = Field(
        default_factory=Combinations, description="Encoders and attentions, of single texts and of pairs."
    )
    deception: Deception = Field(default_factory=Deception, description="Models that hide what they rely on.")
    diversity: DiverseModels = Field(
        default_factory=DiverseModels, description="LSTMs whose states are made to differ."
    )
    own: dict[Name, GivenModels] = Field(
        default_factory=dict,
        description="Readouts of your own models, which are audited and not trained, by a name for their texts.",
    )
    hf: dict[Name, Classifiers] = Field(
        default_factory=dict,
        description="Transformer classifiers whose own attention is audited, by the data set that they classify, which "
        "is one of `corpora`: fine-tuned ones of yours, or a recipe to fine-tune some.",
    )
    audits: dict[Name, list[str]] = Field(
        default_factory=dict,
        description="Which audits each suite (wp, ss, jw, pd, md, own, hf) is asked, in place of its own; "
        "`python -m attention_audit list` names them all. Tables and figures of a suite that read others are made by "
        "their names, and not by `all`.",
    )
    permutation: Permutation = Field(default_factory=Permutation, description="Permutations of attention weights.")
    instance_adversary: InstanceAdversary = Field(
        default_factory=InstanceAdversary, description="Jain & Wallace's per-instance adversary."
    )
    erasure: Erasure = Field(default_factory=Erasure, description="Erasure of single weights and of ranked sets.")
    deletion: Deletion = Field(default_factory=Deletion, description="Words that are deleted from the input.")
    correlation: Correlation = Field(default_factory=Correlation, description="Rank correlations of attributions.")
    agreement: Agreement = Field(default_factory=Agreement, description="The matrix of attributions.")
    attention_maps: AttentionMaps = Field(default_factory=AttentionMaps, description="Instances of figure 2.")
    answer: AnswerSettings = Field(
        default_factory=AnswerSettings, description="From which size on an effect counts in the summary."
    )
    font: list[str] = Field(
        default_factory=list,
        description="Fonts of all figures, the preferred one first, each by the name of its family or by its file. "
        "DejaVu Sans follows them, and then, for characters that none of these has, other fonts of the machine.",
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
        return list(dict.fromkeys(chain.from_iterable(self._asked_for().values())))

    def _asked_for(self) -> dict[str, list[str]]:
        """The data sets of each key that names some; the sections of suites have a list of them."""
        listed = {key: getattr(section, "datasets", []) for key, section in self}
        sections = {f"{key}.datasets": names for key, names in listed.items() if names}
        return {"datasets": self.datasets, **sections, "own": [*self.own], "hf": [*self.hf]}

    def section(self, kind: type[SectionT]) -> SectionT:
        """The section of this type, which a suite declares."""
        return next(section for _, section in self if isinstance(section, kind))

    @property
    def with_transformer(self) -> list[str]:
        """The keys that name the Transformer as an encoder, of data sets that are tested."""
        keys: dict[str, None] = {}
        for name in self.every_dataset:
            own = self.for_dataset(name)
            if name in {*self.datasets, *self.deception.datasets} and own.base_model(name).encoder == "transformer":
                keys["model.encoder"] = None
            if name in self.serrano_smith.datasets and "flan_transformer" in own.serrano_smith.models:
                keys["serrano_smith.models"] = None
            if name in self.jain_wallace.datasets and any(
                model.startswith("transformer") for model in own.jain_wallace.models
            ):
                keys["jain_wallace.models"] = None
        return list(keys)

    def base_model(self, dataset: str) -> BaseModel:
        """The base model of a data set."""
        own = self.models.get(dataset, OwnBase()).model_dump(exclude_none=True)
        return self.model.model_copy(update={name: own[name] for name in BaseModel.model_fields if name in own})

    def for_dataset(self, dataset: str) -> "Config":
        """The configuration with the models, seeds and recipes of one data set in the place of those for all."""
        own = self.models.get(dataset, OwnBase())
        sections: dict[str, Section] = {}
        if documents := own.serrano_smith:
            of_dataset = {dataset: self.serrano_smith.recipes.get(dataset, {}) | documents.recipes}
            recipes = self.serrano_smith.recipes | (of_dataset if documents.recipes else {})
            changed = documents.model_dump(include={"models", "seeds"}, exclude_none=True)
            sections["serrano_smith"] = self.serrano_smith.model_copy(update=changed | {"recipes": recipes})
        if combinations := own.jain_wallace:
            others = {dataset: combinations.recipe} if combinations.recipe else {}
            changed = combinations.model_dump(include={"models", "seeds"}, exclude_none=True)
            recipe = {"recipes": self.jain_wallace.recipes | others}
            sections["jain_wallace"] = self.jain_wallace.model_copy(update=changed | recipe)
        named: dict[str, dict[str, Any]] = {"own": self.own, "hf": self.hf}
        given = {
            key: {dataset: models[dataset]} for key, models in named.items() if len(models) > 1 and dataset in models
        }
        if not sections and not given:
            return self
        return self.model_copy(update=sections | given)

    @model_validator(mode="before")
    @classmethod
    def _texts_of_readouts(cls, raw: Any) -> Any:
        """The entries of `corpora` of data sets whose texts are those of readouts, where they are not there yet."""
        try:
            made = {
                name: {"kind": "readout", "path": next(iter(entry["models"].values()))[0]}
                | ({"classes": entry["classes"]} if entry.get("classes") else {})
                for name, entry in raw["own"].items()
            }
            return {**raw, "corpora": made | raw["corpora"]}
        except (TypeError, KeyError, IndexError, AttributeError, StopIteration):
            return raw  # what is wrong with it is said where the section is checked

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
        if faults := [*self._unknown_datasets(), *self._unknown_vectors(), *self._untrainable(), *self._unfit()]:
            raise ValueError("\n".join(faults))
        return self

    def _unknown_datasets(self) -> Iterator[str]:
        """The data sets that are named and not declared."""
        known = sorted(self.corpora)
        for key, names in self._asked_for().items():
            for name in names if key != "own" else ():
                if name not in self.corpora:
                    likely = did_you_mean(name, known)
                    yield f"{key}: unknown data set {name!r}{likely}; known: {', '.join(known)}"
                elif not self.corpora[name].trained:
                    yield f"{key}: of {name!r} there are readouts alone, on which nothing can be trained; leave it out"
        own: dict[str, tuple[Iterable[str], str]] = {
            "serrano_smith.recipes": (self.serrano_smith.recipes, f"`{DEFAULT}` for all others"),
            "jain_wallace.recipes": (self.jain_wallace.recipes, f"`{DEFAULT}` for all others"),
            "diversity.recipes": (self.diversity.recipes, f"`{DEFAULT}` for all others"),
            "diversity.weights": (self.diversity.weights, f"`{DEFAULT}` for all others"),
            "models": (self.models, "`model` for all data sets"),
        }
        for key, (chosen, others) in own.items():
            for name in chosen:
                if name not in self.corpora and (name != DEFAULT or key == "models"):
                    yield f"{key}: unknown data set {name!r}{did_you_mean(name, known)}; use {others}"

    def _unknown_vectors(self) -> Iterator[str]:
        """The word vectors that are named and not declared."""
        known = ["random", *sorted(self.word_vectors)]
        asked = {"vectors": self.vectors}
        named = (name for name in self.every_dataset if name in self.corpora)
        asked |= {f"corpora.{name}.vectors": self.corpora[name].vectors or "random" for name in named}
        for key, vectors in asked.items():
            if vectors not in known:
                likely = did_you_mean(vectors, known)
                yield f"{key}: unknown word vectors {vectors!r}{likely}; known: {', '.join(known)}"

    def _untrainable(self) -> Iterator[str]:
        """Data sets that name another to be trained on which does not fit."""
        for name, source in self.corpora.items():
            if not isinstance(source, RawSource) or source.trained_on is None:
                continue
            key, other = f"corpora.{name}.trained_on", self.corpora.get(source.trained_on.dataset)
            if other is None:
                likely = did_you_mean(source.trained_on.dataset, self.corpora)
                yield f"{key}.dataset: unknown data set {source.trained_on.dataset!r}{likely}; name one of `corpora`"
            elif not (other.trained and source.trained) or (isinstance(other, RawSource) and other.trained_on):
                yield f"{key}.dataset: {source.trained_on.dataset} has no training texts of its own; name another"
            elif other.pair != source.pair:
                yield f"{key}.dataset: one has pairs of texts and the other has not; name another"
            elif isinstance(other, RawSource) and other.tokens != source.tokens:
                yield f"{key}.dataset: its `tokens` are others, so words would not be the same; set the same in both"

    def _unfit(self) -> Iterator[str]:
        """Keys that do not go with others."""
        for name, given in self.own.items():
            source = self.corpora.get(name)
            if source is not None and (source.kind != "readout" or source.path != given.first):
                yield f"own.{name}: {name!r} is the name of another data set in `corpora`; choose another"
        if not self.every_dataset:
            yield (
                "datasets: none is named, nor in the datasets of serrano_smith, jain_wallace, deception and "
                "diversity, nor in own or hf; name one"
            )
        if self.transformer is None and (keys := self.with_transformer):
            yield f"transformer: missing key; {keys[0]} names it as an encoder, so give its `path`"
        for name in self.jain_wallace.datasets:
            if name in self.corpora and self.corpora[name].pair:
                for model in self.for_dataset(name).jain_wallace.models:
                    if model in of_single_texts():
                        yield f"jain_wallace.models: {model} reads no pairs of texts, which {name} has; leave one out"
        if not self.adversary.continued and self.guides.adversary_lambda not in self.adversary.lambdas:
            yield (
                f"guides.adversary_lambda: {self.guides.adversary_lambda} is not in adversary.lambdas "
                f"{self.adversary.lambdas}"
            )


def _refuse_taken(raw: Mapping[str, Any], defaults: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise AuditError where a data set of the user's has the name of one that is there already.

    Both were merged to one entry, whose keys are those of both; but its kind is the user's.
    """
    corpora = raw.get("corpora")
    ours = corpora if isinstance(corpora, Mapping) else {}
    kinds = {name: entry.get("kind") for name, entry in ours.items() if isinstance(entry, Mapping)}
    lines = [
        f"config: corpora.{name}: {name} is the name of a data set of {where}; choose another"
        for where, below in defaults.items()
        for name, entry in (below.get("corpora") or {}).items()
        if kinds.get(name, entry["kind"]) != entry["kind"] and kinds[name] == "table"
    ]
    if lines:
        raise AuditError(*lines)


def extended(sections: Mapping[str, type[Section]]) -> type[Config]:
    """The type of a configuration with further sections, by their keys."""
    fields: dict[str, Any] = {
        key: (section, Field(default_factory=section, description=section.__doc__)) for key, section in sections.items()
    }
    return create_model("Config", __base__=Config, __doc__=Config.__doc__, **fields) if fields else Config


def parse_config(
    raw: Mapping[str, Any],
    defaults: Mapping[str, Mapping[str, Any]] = NOTHING,
    kind: type[Config] = Config,
) -> Config:
    """Check a raw configuration. defaults: the files that it was laid over, by how a message calls them. kind: its
    type.

    Raises AuditError with a line for each wrong key, which names it and says what is wrong with it.
    """
    _refuse_taken(raw, defaults)
    try:
        config = kind.model_validate(dict(raw))
    except ValidationError as error:
        raise AuditError(*(f"config: {line}" for line in lines_of(error, raw, kind, MOVED))) from error
    if config.mirror is not None and not Path(config.mirror).is_dir():
        raise AuditError(f"config: mirror: no such folder: {config.mirror}")
    return config
