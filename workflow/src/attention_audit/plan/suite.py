"""What all suites share: a suite is a set of models, with what there is to know of each before anything is computed.

Snakemake's rules ask here, through `plan.plan`. Nothing is computed, and no heavy library is imported.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from attention_audit.config import Config
from attention_audit.contrasts import Contrasts
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.jobs.importing import ImportJob
from attention_audit.model.architecture import Architecture
from attention_audit.names import Names
from attention_audit.plan.audit import Audit
from attention_audit.plan.corpora import vectors_of
from attention_audit.section import Section, SuiteSection
from attention_audit.training.settings import LabelObjective, Objective, Recipe, TrainSettings
from attention_audit.transformer.settings import ReadClassifier, Tuning

USUAL = (
    "performance",
    "predictions",
    "stability",
    "permutation",
    "contributions",
    "single_weight",
    "ranked_sets",
    "shuffles",
    "plausibility",
)
"""The audits that every suite is asked unless it says otherwise."""
BESIDE_BASE = ("comparison", "consistency", "instance_adversary", "attention_maps")
"""Those of suites with a base model and adversaries."""
ATTRIBUTED = ("located", "plausible_words", "word_attributions")
"""Those that run the models again."""


READ_OUT: Mapping[str, tuple[str, ...]] = {
    "train": ("dev", "test"),
    "train_guide": ("dev", "test"),
    "train_adversary": SPLITS,
    "search_adversary": SPLITS,
    "retrain_masked": ("test",),
}
"""The splits on which each rule reads out what it trains; `read_out` reads the training split of all others."""


@dataclass(frozen=True)
class Run:
    """One model with one seed."""

    model: str
    seed: int


@dataclass(frozen=True)
class Schedule:
    """How a model is trained: its recipe, how many epochs at most, and how many without a better one end it.

    pace: factor on the learning rate at which other models of the suite are trained.
    """

    optimisation: Recipe
    epochs: int
    patience: int | None = None
    pace: float = 1.0


@dataclass(frozen=True)
class ImportedModel:
    """A model that is not trained here but imported, from what the user has of it, or from what is read out of another.

    rule: what imports it, a rule and a module of `stages`. sources: the file or folder of each training, which are
    numbered 1, 2, 3 and so on in this order: these numbers are its seeds. Without any, each seed is made of the readout
    of its reference, another run. beside: what else of the user's is read. network: whether the sources are networks,
    which can be run again, and not readouts alone.
    """

    rule: str
    sources: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    network: bool = False

    @property
    def derived(self) -> bool:
        """Whether it is made of another run's readouts."""
        return not self.sources


class Suite(ABC):
    """A set of models that are asked the same questions: those of a paper, or a user's own."""

    key: ClassVar[str]
    """Its folder in results/, and the beginning of the names of its tables and figures."""
    paper: ClassVar[str]
    """Its name in tables, such as WP2019."""
    title: ClassVar[str]
    """Its name in headings."""
    about: ClassVar[str]
    """What it asks, in a sentence."""
    citation: ClassVar[tuple[str, str] | None] = None
    """Title and address of the paper that it is named after; None for a suite of one's own."""
    labels: Names
    """Every model that it may have: order, label and colour in tables and figures. One whose models the configuration
    names has labels of its own for each configuration."""
    takes_pairs: ClassVar[bool] = False
    """Whether its models read pairs of texts too."""
    section: type[Section] | None = None
    """Its section of the configuration, under its key where `config.Config` itself has none of this type."""
    own_audits: ClassVar[tuple[str, ...]] = USUAL
    """The audits that it is asked unless the configuration names others, on all data sets that have what they need."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def for_dataset(self, dataset: str) -> "Suite":
        """The suite with the configuration of one data set."""
        config = self.config.for_dataset(dataset)
        return self if config is self.config else type(self)(config)

    @property
    @abstractmethod
    def datasets(self) -> list[str]:
        """The data sets that the configuration names for it."""

    @property
    @abstractmethod
    def models(self) -> list[str]:
        """Every model of a data set, by the names in paths."""

    @property
    def judged(self) -> list[str]:
        """The models whose own attention is in question; the others are what they are held against."""
        return self.models

    @property
    def attending(self) -> list[str]:
        """The models whose attention is held against known evidence."""
        return self.judged

    @property
    def base(self) -> Run | None:
        """The run that all others are compared with, if there is one."""
        return None

    @property
    def shown_adversary(self) -> Run | None:
        """The adversary whose maps are shown beside those of the base, if there is one."""
        return None

    @property
    def compared(self) -> list[Run]:
        """The runs that are compared with the base."""
        return [run for run in self.runs(self.attending) if run != self.base]

    @abstractmethod
    def seeds(self, model: str) -> list[int]:
        """The seeds a model is trained with, the first of them the one that the others are compared with."""

    def given(self, dataset: str, model: str) -> ImportedModel | None:
        """Where a model is imported from; None where it is trained here."""
        return None

    def splits(self, dataset: str) -> tuple[str, ...]:
        """The splits on which its models may be read out; `test` is among them."""
        return SPLITS

    def splits_of(self, dataset: str, model: str) -> tuple[str, ...]:
        """Those on which the job that makes it reads it out; one that is made of the readouts of others, on the test
        split alone.
        """
        if given := self.given(dataset, model):
            return ("test",) if given.derived else self.splits(dataset)
        return READ_OUT[self.rule(model)] if self.trained_with(model) == model else READ_OUT["train"]

    def architecture(self, dataset: str, model: str) -> Architecture:
        """What a model that is trained here is built of."""
        raise AuditError(f"suite {self.key}: says of no model what it is built of; define architecture")

    def schedule(self, dataset: str, model: str) -> Schedule:
        """How a model that is trained here is trained."""
        raise AuditError(f"suite {self.key}: says of no model how it is trained; define schedule")

    def reading(self, dataset: str, model: str, seed: int) -> ReadClassifier:
        """How a classifier that is given is read, by the number of its training."""
        raise AuditError(f"suite {self.key}: has no classifiers that are given; define reading")

    def importing(self, dataset: str, model: str, seed: int) -> ImportJob:
        """The settings of the job that imports this training of a model that is given."""
        return ImportJob(dataset=dataset, model=model, seed=seed)

    def hierarchical(self, dataset: str, model: str) -> bool:
        """Whether the items that a model attends to are sentences and not words."""
        return not self.given(dataset, model) and self.architecture(dataset, model).hierarchical

    def objective(self, dataset: str, model: str) -> Objective:
        """What a model that is trained here minimises."""
        return LabelObjective()

    def family(self, model: str) -> str:
        """The model's name in audits and tables: a key of `labels`."""
        return model

    def reference(self, run: Run) -> Run | None:
        """The run whose readouts another is trained on, if any."""
        return None

    def trained_with(self, model: str) -> str:
        """The model whose training makes it: its own, but for the steps of a search, which the chosen one's makes."""
        return model

    def rule(self, model: str) -> str:
        """The rule that trains a model; that of a search makes several."""
        return "train" if self.search_step(model) is None else "search_adversary"

    def compared_models(self, model: str) -> Contrasts | None:
        """The models beside a judged one that the summary compares it with, if there are any."""
        return None

    def search_step(self, model: str) -> int | None:
        """The step of a search by continuation that a model is, 0 for the chosen one; None for other models."""
        return None

    def selection(self, dataset: str, model: str) -> str:
        """The split on which a model's epoch is selected; with a lambda it is selected on its training loss.

        Of the adversaries of a search, one is chosen on dev. Of a model that is given, nobody knows here.
        """
        if self.given(dataset, model):
            return "unknown"
        if self.search_step(model) == 0:
            return "dev"
        return self.schedule(dataset, model).optimisation.selected_on(self.objective(dataset, model))

    @property
    def tuning(self) -> Tuning | None:
        """How Transformers are fine-tuned, where there are any."""
        return self.config.transformer.tuning if self.config.transformer else None

    @property
    def special_tokens(self) -> int:
        """How many items of the maps that its models are trained on, their last ones, are special tokens."""
        return 0

    def heads(self, dataset: str, model: str) -> bool:
        """Whether a model's map is that of the heads of a Transformer's last layer."""
        if given := self.given(dataset, model):
            return given.network and self.layer(dataset, model) is None
        return self.architecture(dataset, model).classifying

    def layer(self, dataset: str, model: str) -> int | None:
        """The layer whose map alone is read of a Transformer that is given, where it is not the last one."""
        return None

    def maps(self, dataset: str, model: str) -> list[str]:
        """The further maps of a Transformer classifier that its readouts carry, by name."""
        return []

    def embedded(self, dataset: str, width: int) -> dict[str, Any]:
        """What an architecture says of its embeddings: the data set's word vectors, or random ones of this width."""
        vectors = vectors_of(self.config, dataset)
        return {"embedding": vectors.dimension if vectors else width, "pretrained": vectors is not None}

    def _fitted(self, dataset: str, model: str, architecture: Architecture) -> Schedule:
        """The schedule of a model at its pace; where a Transformer is fine-tuned, that of `tuning`.

        A model with a lambda keeps its own number of epochs.
        """
        schedule, tuning = self.schedule(dataset, model), self.tuning
        rate, changed, epochs = schedule.optimisation.learning_rate, {}, schedule.epochs
        if architecture.tuned and tuning is not None:
            plain = {"amsgrad": False, "plateau": False, "batch_tokens": None, "clip_value": None}
            usual = {"average": True, "decoupled": True}
            named = set(Tuning.model_fields) - {"epochs"}
            rate, changed = tuning.learning_rate, tuning.model_dump(include=named) | plain | usual
            with_lambda = self.objective(dataset, model).kind in ("adversary", "deception")
            epochs = schedule.epochs if with_lambda else tuning.epochs
        recipe = schedule.optimisation.model_copy(update=changed | {"learning_rate": rate * schedule.pace})
        return Schedule(recipe, epochs, schedule.patience)

    def training(self, dataset: str, model: str, seed: int) -> TrainSettings:
        """The training of a model with this seed."""
        vectors, architecture = vectors_of(self.config, dataset), self.architecture(dataset, model)
        schedule = self._fitted(dataset, model, architecture)
        missing = {"missing": vectors.missing} if vectors else {}
        return TrainSettings(
            dataset=dataset,
            model=self.family(model),
            objective=self.objective(dataset, model),
            special_tokens=self.special_tokens,
            seed=seed,
            architecture=architecture.model_copy(update=missing),
            device=self.config.device,
            threads=self.config.threads,
            optimisation=schedule.optimisation,
            epochs=schedule.epochs,
            patience=schedule.patience,
        )

    def runs(self, models: Sequence[str]) -> list[Run]:
        """Every seed of these models."""
        return [Run(model, seed) for model in models for seed in self.seeds(model)]

    def runs_of(self, audit: Audit) -> list[Run]:
        """The runs that an audit is asked of."""
        match audit.of:
            case "models" | "attending" | "judged":
                return self.runs(getattr(self, audit.of))
            case "compared":
                return self.compared
            case "seed_pairs":
                return [run for model in self.judged for run in self.runs([model]) if len(self.seeds(model)) > 1]
            case "first":
                return [self.base] if self.base else self.runs(self.judged)
            case "first_seed":
                return [run for model in self.judged for run in self.runs([model])[:1]]


SectionT = TypeVar("SectionT", bound=SuiteSection)


class SectionSuite(Suite, Generic[SectionT]):
    """A suite whose section of the configuration names its data sets and its seeds."""

    section: type[SectionT]

    @cached_property
    def settings(self) -> SectionT:
        """What its section says."""
        return self.config.section(self.section)

    @property
    def datasets(self) -> list[str]:
        return self.settings.datasets

    def seeds(self, model: str) -> list[int]:
        return self.settings.seeds
