"""A model before it is trained or read: what a suite lists for one data set, and what there is to know of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from attention_audit.config import Config
from attention_audit.contrasts import Contrasts
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.names import Style
from attention_audit.section import SuiteSection
from attention_audit.training.settings import LabelObjective, Objective, Recipe, TrainSettings
from attention_audit.transformer.settings import ReadClassifier, ReadTokens, Tuning

from .corpora import find_vectors

READ_OUT: Mapping[str, tuple[str, ...]] = {
    "train": ("dev", "test"),
    "train_guide": ("dev", "test"),
    "train_adversary": SPLITS,
    "search_adversary": SPLITS,
    "retrain_masked": ("test",),
}
"""The splits on which each rule reads out what it trains; `read_out` reads the training split of all others."""


COMMON_AUDITS = (
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
"""The audits that read nothing but readouts and texts, and cost seconds."""


@dataclass(frozen=True, eq=False)
class Suite:
    """A set of models that are asked the same audits: those of a paper, or a user's own."""

    name: str
    """Its key, with which the names of its tables and figures begin."""
    _: KW_ONLY
    paper: str
    """Its name in tables, such as WP2019."""
    title: str
    """Its name in headings."""
    about: str
    """The question that it asks."""
    citation: tuple[str, ...] = ()
    """Title and address of the paper that it is named after."""
    section: str
    """The key of the configuration that names its data sets."""
    settings: type[SuiteSection] | None = None
    """The type of this section; None where `config.Config` has it."""
    contents: str = ""
    """What this section describes, in the schema of the configuration."""
    prefix: str
    """The beginning of its models' names in paths; with "", no other suite may give these names to other models."""
    models: Callable[["DataSet"], "Models"]
    """The function that lists its models for a data set, in the order of tables."""
    base: bool = False
    """Whether its first model is one that others are compared with."""
    pairs: bool = False
    """Whether its models read pairs of texts too."""
    looks: Mapping[str, Style] = field(default_factory=dict)
    """The label, colour and marker of each model that it may have, by its name in rows of audits, as published numbers
    may be of others than those of a run.
    """
    audits: Sequence[str]
    """The names of the audits that it is asked unless the configuration names others."""

    def datasets(self, config: Config) -> list[str]:
        """Return the data sets that the configuration names for it."""
        section = getattr(config, self.section)
        return [*getattr(section, "datasets", section)]


@dataclass(frozen=True)
class Run:
    """One model with one seed."""

    model: "Model"
    seed: int

    @property
    def training(self) -> str:
        """Return what its model is called in paths, as <data set>/<model>."""
        return f"{self.model.data.name}/{self.model.path_name}"

    def locate(self, kind: str, split: str = "") -> str:
        """Return its file of this name in `Places`: its weights, the history of its training, the steps of its search,
        its readout of a split, the head that models of pairs have, or the tail that Transformers have.
        """
        return self.model.data.whole.places.locate_run(kind, self.training, self.seed, split)

    def locate_readout(self, split: str = "test") -> str:
        """Return its readout of one split."""
        return self.locate("readout", split)


@dataclass(frozen=True)
class Schedule:
    """How a model is trained: its recipe, how many epochs at most, and how many without a better one end it.

    pace: factor on the learning rate at which other models of the suite are trained.
    """

    recipe: Recipe
    epochs: int
    patience: int | None = None
    pace: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """One model of a suite on a data set.

    name: as its suite calls it. look: its label, colour and marker. family: its name in the rows of audits. seeds: the
    first is the one that other models are compared with; of a model that is given, the numbers of its trainings.

    rule: that makes it. settings: what its training is told; None where it is not trained here. made_with: the model
    whose job makes this one too; "" for a job of its own. step: of a search by continuation, 0 for the chosen one.
    reference: the model whose readouts it is trained on, or made of; reference_seed: None for the same seed.

    judged: its own attention is in question. attends: its attention is held against known evidence. compared: the seeds
    that are compared with the base model. shown: its maps are shown beside the base model's. contrasts: with which
    other models the summary compares a judged one. selection: the split on which its epoch is selected, where
    `settings` do not tell.

    sources: the file or folder of each training of a model that is given; beside: what else of the user's is read;
    reads: how each folder of a classifier is read, which can be run again; of other models there are readouts alone.
    tokens: how the generated tokens of a language model are asked of, which alone is asked of it. listed: it stands in
    tables; else other models alone are made of it.
    """

    data: "DataSet"
    name: str
    look: Style
    seeds: Sequence[int]
    family: str
    rule: str = "train"
    settings: TrainSettings | None = None
    made_with: str = ""
    step: int | None = None
    reference: str = ""
    reference_seed: int | None = None
    judged: bool = True
    attends: bool = True
    compared: Sequence[int] = ()
    shown: bool = False
    contrasts: Contrasts | None = None
    selection: str = "unknown"
    sources: Sequence[str] = ()
    beside: Sequence[str] = ()
    reads: Sequence[ReadClassifier] = ()
    tokens: ReadTokens | None = None
    listed: bool = True

    @property
    def runs(self) -> list[Run]:
        """Return every seed of it."""
        return [Run(self, seed) for seed in self.seeds]

    @property
    def path_name(self) -> str:
        """Return its name in paths."""
        return self.data.suite.prefix + self.name

    @property
    def maker(self) -> "Model":
        """Return the model whose job makes it."""
        return self.data.models[self.made_with or self.name]

    @property
    def architecture(self) -> Architecture:
        """Return what it is built of. Raises AuditError where it is not trained here."""
        return self.build_settings(self.seeds[0]).architecture

    def build_settings(self, seed: int) -> TrainSettings:
        """Return what its training is told with this seed. Raises AuditError where it is not trained here."""
        if self.settings is None:
            raise AuditError(self.name, "is not trained here")
        return self.settings.model_copy(update={"seed": seed})

    def find_reference(self, seed: int) -> Run | None:
        """Return the run whose readouts it is trained on, or made of, if there is one."""
        if not self.reference:
            return None
        return Run(self.data.models[self.reference], seed if self.reference_seed is None else self.reference_seed)

    @property
    def splits(self) -> tuple[str, ...]:
        """Return the splits on which the job that makes it reads it out; those of a search that it did not choose are
        not read out on train.
        """
        if self.settings is None:
            return ("test",)
        return READ_OUT["train"] if self.step else READ_OUT[self.rule]

    @property
    def network(self) -> bool:
        """Tell whether it can be run again."""
        return bool(self.settings or self.reads or self.tokens)

    @property
    def hierarchical(self) -> bool:
        """Tell whether the items that it attends to are sentences and not words."""
        return bool(self.settings and self.settings.architecture.hierarchical)

    @property
    def items(self) -> Literal["words", "sentences"]:
        """Return what its attention lies on."""
        return "sentences" if self.hierarchical else "words"

    @property
    def frozen(self) -> bool:
        """Tell whether it stands on the states of a frozen Transformer."""
        return bool(self.settings and self.settings.architecture.frozen)

    @property
    def layer(self) -> int | None:
        """Return the layer whose map alone is read of a Transformer that is given, where it is not the last one."""
        return self.reads[0].layer if self.reads else None

    @property
    def label(self) -> str:
        """Return the label that is asked of; "" where a class is predicted."""
        target = self.reads[0].target if self.reads else None
        return target.name if target else ""

    @property
    def heads(self) -> bool:
        """Tell whether its map is that of the heads of a Transformer's last layer."""
        if self.settings:
            return self.settings.architecture.classifying
        return bool(self.reads) and self.layer is None

    @property
    def lambda_(self) -> float | None:
        """Return the weight of its penalty, known before it is trained."""
        return self.settings.objective.lambda_ if self.settings else None

    @property
    def selected_on(self) -> str:
        """Return the split on which its epoch is selected: one with a lambda by its training loss, of a search one on
        dev.
        """
        if self.settings is None:
            return self.selection
        return "dev" if self.step == 0 else self.settings.optimisation.choose_split(self.settings.objective)


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set of a suite, with the models that the suite lists for it. whole: the configuration of the run."""

    suite: Suite
    name: str
    whole: Config = field(repr=False)

    @cached_property
    def config(self) -> Config:
        """Return the configuration with what is other on this data set."""
        return self.whole.for_dataset(self.name)

    @property
    def pair(self) -> bool:
        """Tell whether it holds pairs of texts."""
        return self.config.corpora[self.name].pair

    @property
    def audits(self) -> Sequence[str]:
        """Return the names of the audits that its models are asked: those of the configuration, or else the suite's."""
        return self.whole.audits.get(self.suite.name, self.suite.audits)

    @property
    def named(self) -> set[str]:
        """Return the same as a set, without what the answer stands on besides."""
        return {*self.audits}

    @cached_property
    def models(self) -> dict[str, Model]:
        """List its models by name. Raises AuditError where one cannot be had."""
        return {model.name: model for model in self.suite.models(self)}

    @property
    def judged(self) -> list[Model]:
        """Return the models whose own attention is in question; the others are what they are held against."""
        return [model for model in self.models.values() if model.judged]

    @property
    def generates(self) -> bool:
        """Tell whether its models are asked of generated tokens alone."""
        return any(model.tokens for model in self.judged)

    @property
    def base(self) -> Run | None:
        """Return the run that all others are compared with, if there is one."""
        return self.judged[0].runs[0] if self.suite.base else None

    @property
    def shown(self) -> Run | None:
        """Return the adversary whose maps are shown beside those of the base, if there is one."""
        return next((model.runs[0] for model in self.models.values() if model.shown), None)

    def embed(self, width: int) -> dict[str, Any]:
        """Return what an architecture says of its embeddings: the data set's word vectors, or random ones of this
        width.
        """
        vectors = find_vectors(self.config, self.name)
        return {"embedding": vectors.dimension if vectors else width, "pretrained": vectors is not None}

    def train(
        self,
        name: str,
        look: Style,
        seeds: Sequence[int],
        parts: Mapping[str, Any],
        schedule: Schedule,
        objective: Objective | None = None,
        kind: type[TrainSettings] = TrainSettings,
        told: Mapping[str, Any] | None = None,
        tuning: Tuning | None = None,
        special_tokens: int = 0,
        family: str = "",
        **known: Any,
    ) -> Model:
        """Describe a model that is trained here.

        parts: of its architecture. kind: of what its job is told, and told: what that says more. tuning: how a
        Transformer is fine-tuned; by default as the section `transformer` says. special_tokens: how many items of the
        maps that it is trained on, their last ones, are special tokens. known: fields of `Model`.
        """
        vectors, transformer = find_vectors(self.config, self.name), self.config.transformer
        missing = {"missing": vectors.missing} if vectors else {}
        architecture = Architecture.model_validate(dict(parts)).model_copy(update=missing)
        minimised, how = objective or LabelObjective(), tuning or (transformer and transformer.tuning)
        if architecture.tuned and how:
            schedule = _fine_tune(schedule, how, minimised)
        rate = {"learning_rate": schedule.recipe.learning_rate * schedule.pace}
        settings: dict[str, Any] = {
            "dataset": self.name,
            "model": family or name,
            "objective": minimised,
            "special_tokens": special_tokens,
            "seed": seeds[0],
            "architecture": architecture,
            "device": self.config.device,
            "threads": self.config.threads,
            "optimisation": schedule.recipe.model_copy(update=rate),
            "epochs": schedule.epochs,
            "patience": schedule.patience,
            **(told or {}),
        }
        return Model(
            data=self, name=name, family=family or name, look=look, seeds=seeds, settings=kind(**settings), **known
        )


def tune_recipe(recipe: Recipe, tuning: Tuning) -> Recipe:
    """Return the recipe of a Transformer that is fine-tuned."""
    plain = {"amsgrad": False, "plateau": False, "batch_tokens": None, "clip_value": None}
    usual = {"average": True, "decoupled": True}
    return recipe.model_copy(update=tuning.model_dump(exclude={"epochs"}) | plain | usual)


def _fine_tune(schedule: Schedule, tuning: Tuning, objective: Objective) -> Schedule:
    """Return the schedule of a Transformer that is fine-tuned; a model with a lambda keeps its own number of epochs."""
    recipe = tune_recipe(schedule.recipe, tuning)
    epochs = schedule.epochs if objective.kind in ("adversary", "deception") else tuning.epochs
    return replace(schedule, recipe=recipe, epochs=epochs)


Models = Iterator[Model]
"""What the function of a suite lists for a data set, in the order of tables."""
