"""The typed configuration but for the sections of suites: every key, its meaning, its default and its bounds.

`plan.configuration` adds the sections of the suites. `workflow/schemas/config.schema.json` and `docs/configuration/`
are written from the whole, and the configuration is checked against it before Snakemake builds its DAG.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self, TypeVar, get_args

from pydantic import (
    Field,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_validator,
)

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
from attention_audit.config_messages import refuse_override
from attention_audit.corpus.encoders import BuiltClassifier, EncoderName, FetchedEncoder
from attention_audit.corpus.source import RawSource, Vectors
from attention_audit.corpus.sources import Corpus
from attention_audit.corpus.sources.table import ReadoutCorpus
from attention_audit.errors import suggest
from attention_audit.given.files import GivenModels
from attention_audit.places import RESULTS, Places
from attention_audit.section import Count, Distinct, Name, Section, SuiteSection, merge_settings
from attention_audit.training.classifiers import Classifiers
from attention_audit.training.settings import Adversary, BaseModel, Guides, Training
from attention_audit.transformer.settings import Transformer

SectionT = TypeVar("SectionT", bound=SuiteSection)


class GlobalConfig(Section):
    """What is the same for all data sets of a run."""

    datasets: Distinct[Name] = []
    """Data sets for Wiegreffe & Pinter's four tests, by their names in `corpora`."""
    results: str = Field(RESULTS, max_length=200)
    """Folder that the run writes to; runs in folders of their own keep apart."""
    mirror: str | None = None
    """Folder with raw files as `<data set>/<file name>`, used before any download."""
    rules: Distinct[str] = []
    """Files of Snakemake rules of your own, which the workflow includes, seen from the working directory."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where models are trained."""
    threads: Count = 1
    """Threads of one training."""
    corpora: dict[Name, Corpus]
    """The catalogue of data sets."""
    # Snakemake's --config hands on `true` as a text, and only `True` as a truth value
    skip_unavailable: bool = Field(False, strict=False)
    """Leave out data sets whose raw files are missing, and mark the gap in the tables."""
    vectors: Name = "random"
    """Word vectors: random, or a name in `word_vectors`."""
    word_vectors: dict[Name, Vectors] = {}
    """The catalogue of word vectors."""
    encoders: dict[EncoderName, FetchedEncoder] = {}
    """The catalogue of Transformers that can be fetched. A `path`, or a folder of `hf`, names one as `encoders/<name>`;
    it is fetched where there is no such folder here or in the mirror.
    """
    built: dict[EncoderName, BuiltClassifier] = {}
    """Transformer classifiers that are built as controls. A folder of `hf`, or the `path` of a recipe, names one as
    `built/<name>`.
    """
    own: dict[Name, GivenModels] = {}
    """Readouts of your own models, which are audited and not trained, by a name for their texts."""
    hf: dict[Name, Classifiers] = {}
    """Transformer classifiers whose own attention is audited, by the data set that they classify, which is one of
    `corpora`: fine-tuned ones of yours, or a recipe to fine-tune some.
    """
    audits: dict[Name, list[str]] = {}
    """Which audits each suite ({suites}) is asked, in place of its own; `module:function`
    names one of yours. Tables and figures of a suite that read others are not made.
    """
    answer: AnswerSettings = AnswerSettings()
    """From which size on an effect counts in the summary."""
    font: list[str] = []
    """Fonts of all figures, the preferred one first, each by the name of its family or by its file. DejaVu Sans follows
    them, and then, for characters that none of these has, other fonts of the machine.
    """
    resamples: Count = 1000
    """Resamples of the intervals of medians, which `md_table_diversity` has."""


class ModelConfig(Section):
    """The models of the four tests, and the Transformer, which several suites share."""

    model: BaseModel = BaseModel()
    """Wiegreffe & Pinter's base model."""
    training: Training = Training()
    """Training of base and uniform models."""
    guides: Guides = Guides()
    """Diagnostic MLP (test 3)."""
    adversary: Adversary = Adversary()
    """Model-consistent adversary (test 4)."""
    transformer: Transformer | None = None
    """The Transformer of all models that name it: of `model` with `encoder: transformer`, of flan_transformer, and of
    transformer_tanh and transformer_dot. null: none.
    """


class AuditConfig(Section):
    """What audits are told."""

    permutation: Permutation = Permutation()
    """Permutations of attention weights."""
    instance_adversary: InstanceAdversary = InstanceAdversary()
    """Jain & Wallace's per-instance adversary."""
    erasure: Erasure = Erasure()
    """Erasure of single weights and of ranked sets."""
    deletion: Deletion = Deletion()
    """Words that are deleted from the input."""
    correlation: Correlation = Correlation()
    """Rank correlations of attributions."""
    agreement: Agreement = Agreement()
    """The matrix of attributions."""
    attention_maps: AttentionMaps = AttentionMaps()
    """Instances of figure 2."""


class DatasetConfig(AuditConfig, ModelConfig):
    """What may be other on one data set, where `overrides` says so. Even there, the data sets of a suite, the `path` of
    the Transformer, {shared} are those of the run.
    """


class Config(DatasetConfig, GlobalConfig):
    """The whole configuration of a run."""

    overrides: dict[Name, DatasetConfig] = {}
    """What is other on single data sets, by their names: keys of these sections, laid over what the sections say for
    all data sets.
    """

    @property
    def places(self) -> Places:
        """Find where the files of the run lie."""
        return Places(self.results)

    @property
    def mirror_folder(self) -> Path | None:
        """Return the folder of the mirror, if there is one."""
        return Path(self.mirror) if self.mirror else None

    def build_record(self) -> dict[str, Any]:
        """Return what is written down beside the results: all that they depend on, but not where they lie."""
        return self.model_dump(exclude={"results"})

    @property
    def sections(self) -> dict[str, SuiteSection]:
        """Return the sections that suites have declared, by their keys."""
        return {key: section for key, section in self if isinstance(section, SuiteSection)}

    def get_section(self, kind: type[SectionT]) -> SectionT:
        """Return the section of this type, which a suite has declared."""
        return next(section for section in self.sections.values() if isinstance(section, kind))

    @property
    def every_dataset(self) -> list[str]:
        """Return the data sets of all tests, each once, in the order in which they are named."""
        of_suites = (section.datasets for section in self.sections.values())
        return list(dict.fromkeys(chain(self.datasets, *of_suites, self.own, self.hf)))

    def _place(self, dataset: str, key: str) -> str:
        """Find where it is said what a key is on a data set."""
        section, _, inner = key.partition(".")
        ours, theirs = (getattr(getattr(each, section), inner, None) for each in (self.for_dataset(dataset), self))
        return key if ours == theirs else f"overrides.{dataset}.{key}"

    def for_dataset(self, dataset: str) -> "Config":
        """Return the configuration of one data set: with what is other there, and with its own models that are
        given.
        """
        changed: dict[str, Any] = dict(self.overrides.get(dataset, ()))
        groups: dict[str, dict[str, Any]] = {"own": self.own, "hf": self.hf}
        changed |= {
            key: {dataset: models[dataset]} for key, models in groups.items() if len(models) > 1 and dataset in models
        }
        return self.model_copy(update=changed) if changed else self

    @field_validator("overrides", mode="before")
    @classmethod
    def _merge_overrides(cls, raw: Any, info: ValidationInfo) -> Any:
        """Return the whole sections of each data set: what is said of it, laid over what is said of all."""
        if not isinstance(raw, Mapping):
            return raw
        sections = get_args(cls.model_fields["overrides"].annotation)[1].model_fields
        shared = {key: info.data[key] for key in sections if key in info.data}
        below = {key: section.model_dump() if section else None for key, section in shared.items()}
        return {name: merge_settings(below, settings) for name, settings in raw.items()}

    @field_serializer("overrides")
    def _serialize_overrides(self, overrides: dict[str, DatasetConfig]) -> dict[str, Any]:
        """Return, of each data set, only what is other than of all."""
        shared = self.model_dump(exclude={"overrides"})
        return {name: _keep_differences(sections.model_dump(), shared) for name, sections in overrides.items()}

    @model_validator(mode="after")
    def _add_readout_corpora(self) -> Self:
        """Add the entries of `corpora` of data sets whose texts are those of readouts, where they are not there yet."""
        for name, models in self.own.items():
            self.corpora.setdefault(name, ReadoutCorpus(kind="readout", path=models.first, classes=models.classes))
        return self

    @field_validator("results")
    @classmethod
    def _check_folder(cls, value: str) -> str:
        if not re.fullmatch(r"[\w./@+][\w./@+-]*", value):
            raise ValueError(f"{value!r} is no folder to write to; use letters, digits and the characters . _ - + @ /")
        if Path.cwd().is_relative_to(Path(value).resolve()):
            raise ValueError(f"{value!r} holds the workflow itself; name a folder below it, or elsewhere")
        return PurePosixPath(value).as_posix()

    @model_validator(mode="after")
    def _check_references(self) -> Self:
        faults = chain(
            self._find_unknown_datasets(),
            self._find_unknown_vectors(),
            self._find_unlendable(),
            self._find_unpaired(),
            self._find_unasked(),
            self._find_unfit(),
        )
        if lines := dict.fromkeys(faults):
            raise ValueError("\n".join(lines))
        return self

    def _find_unknown_datasets(self) -> Iterator[str]:
        """Return the data sets that are named and not declared."""
        choices = sorted(self.corpora)
        of_suites = {f"{key}.datasets": section.datasets for key, section in self.sections.items()}
        for key, names in {"datasets": self.datasets, **of_suites, "hf": self.hf}.items():
            for name in names:
                if name not in self.corpora:
                    yield f"{key}: unknown data set {name!r}{suggest(name, choices)}; known: {', '.join(choices)}"
                elif not self.corpora[name].trained and not (key == "hf" and self.hf[name].models):
                    yield f"{key}: of {name!r} there is a test split alone, and nothing to train on; leave it out"
                elif key != "hf" and not self.corpora[name].preparation.labelled:
                    yield f"{key}: texts of {name!r} have any number of labels, which `hf` alone asks of; leave it out"
        for name in self.overrides:
            if name not in self.corpora:
                yield f"overrides: unknown data set {name!r}{suggest(name, choices)}; name one of `corpora`"

    def _find_unknown_vectors(self) -> Iterator[str]:
        """Return the word vectors that are named and not declared."""
        choices = ["random", *sorted(self.word_vectors)]
        vectors_by_key = {"vectors": self.vectors}
        vectors_by_key |= {
            f"corpora.{name}.vectors": self.corpora[name].vectors or "random"
            for name in self.every_dataset
            if name in self.corpora
        }
        for key, vectors in vectors_by_key.items():
            if vectors not in choices:
                yield f"{key}: unknown word vectors {vectors!r}{suggest(vectors, choices)}; known: {', '.join(choices)}"

    def _find_unlendable(self) -> Iterator[str]:
        """Return data sets that name another, to take texts from, which does not fit."""
        for name, source in self.corpora.items():
            if source.other is None:
                continue
            field = "trained_on.dataset" if isinstance(source, RawSource) else "of"
            key, lender = f"corpora.{name}.{field}", self.corpora.get(source.other)
            if lender is None:
                near = suggest(source.other, self.corpora)
                yield f"{key}: unknown data set {source.other!r}{near}; name one of `corpora`"
            elif not (lender.trained and source.trained) or lender.other is not None:
                yield f"{key}: {source.other} has no training texts of its own; name another"
            elif lender.pair != source.pair:
                yield f"{key}: one has pairs of texts and the other has not; name another"
            elif lender.preparation.joined or source.preparation.joined:
                yield f"{key}: pairs that are read as one text (`joined`) are lent to no other data set; leave it out"
            elif isinstance(lender, RawSource) and isinstance(source, RawSource) and lender.tokens != source.tokens:
                yield f"{key}: its `tokens` are others, so words would not be the same; set the same in both"

    def _find_unasked(self) -> Iterator[str]:
        """Return targets of texts that have one class each, lists of labels that nothing is asked of, and recipes
        without labels.
        """
        for name, section in self.hf.items():
            source = self.corpora.get(name)
            if not isinstance(source, RawSource):
                continue
            has_labels = source.label_names or getattr(source, "labels", None) is not None
            if section.targets is not None and source.labelled:
                fault = f"are asked of by themselves, and each text of {name} has one class"
                yield f"hf.{name}.targets: {fault}; name a column of gold labels as its `labels`, or set `label: null`"
            elif section.targets is None and has_labels:
                yield f"corpora.{name}.labels: are those of hf.{name}.targets; name these, predicted, gold or all"
            elif section.targets == "gold" and not has_labels:
                fault, remedy = "gold needs labels, and there are none", "name their column, or set targets: predicted"
                yield f"hf.{name}.targets: {fault} (corpora.{name}.labels); {remedy}"
            elif section.granularity != "word" and name in self._list_word_datasets():
                fault = f"the words of {name} are read elsewhere (`datasets`, guides of a `recipe`)"
                yield f"hf.{name}.granularity: {fault}; leave it out, or read {name} in hf alone"
            elif section.tunes_labels and not source.label_names:
                fault = f"fine-tunes for the labels of {name}, which are not known"
                yield f"hf.{name}.recipe: {fault}; name their column in its `labels`, and all in its `classes`"

    def _list_word_datasets(self) -> set[str]:
        """List the data sets whose words are read by others than classifiers."""
        guided = {name for name, section in self.hf.items() if section.recipe and not section.tunes_labels}
        return guided.union(self.datasets, *(section.datasets for section in self.sections.values()))

    def _find_unpaired(self) -> Iterator[str]:
        """Return models that do not read the pairs of texts which a data set has."""
        for name, section in self.hf.items():
            source = self.corpora.get(name)
            if source and source.pair:
                yield f"hf.{name}: holds pairs of texts, which hf reads as one; set corpora.{name}.joined: true"
            elif source and source.pairs and section.prompt is not None:
                yield f"hf.{name}.prompt: takes one text, and {name} holds pairs; leave the prompt out"
        for key, suite in self.sections.items():
            for name in suite.datasets:
                if name in self.corpora and self.corpora[name].pair:
                    path = self._place(name, f"{key}.models")
                    for model in self.for_dataset(name).sections[key].list_unpaired():
                        yield f"{path}: {model} reads no pairs of texts, which {name} has; leave one out"

    def _find_unfit(self) -> Iterator[str]:
        """Return keys that do not go with others."""
        for name, models in self.own.items():
            source = self.corpora[name]
            if source.kind != "readout" or source.path != models.first:
                yield f"own.{name}: {name!r} is the name of another data set in `corpora`; choose another"
        if not self.every_dataset:
            keys = ", ".join(self.sections)
            yield f"datasets: none is named, nor in the datasets of {keys}, nor in own or hf; name one"
        shared = [f"{key}.{name}" for key, section in self.sections.items() for name in section.SHARED]
        shared += [f"{key}.datasets" for key in self.sections]
        for name in ("", *self.overrides):
            config = self.for_dataset(name)
            lent, adversary = config.guides.adversary_lambda, config.adversary
            if adversary.from_scratch and lent not in adversary.lambdas:
                key, grid = (self._place(name, each) for each in ("guides.adversary_lambda", "adversary.lambdas"))
                yield f"{key}: {lent} is not in {grid} {adversary.lambdas}; take one of them"
            for key in ("transformer.path", *shared):
                if (path := self._place(name, key)) != key:
                    yield f"{path}: {refuse_override(key)}"


def _keep_differences(settings: Any, shared: Any) -> Any:
    """Return a value; of a group of settings only the keys, there and in the groups in it, that `shared` has not so."""
    if not (isinstance(settings, Mapping) and isinstance(shared, Mapping)):
        return settings
    return {
        key: _keep_differences(value, shared.get(key))
        for key, value in settings.items()
        if key not in shared or value != shared[key]
    }
