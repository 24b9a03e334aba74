"""The sections of the configuration for Transformers, as encoders, and as classifiers that are given; and the settings
of the jobs that read what is not trained here: models that are imported, and the Transformer of a run, with its states
of the words of a data set.
"""

from collections.abc import Sequence
from itertools import chain
from os.path import normpath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from attention_audit.contrasts import GivenSection
from attention_audit.errors import AuditError
from attention_audit.names import NUMBERED
from attention_audit.section import (
    Count,
    Distinct,
    NonNegative,
    OneOrMore,
    Positive,
    Section,
    Seed,
    check_target,
    refuse_duplicates,
)

from .folder import Facts, Home
from .outputs import OutputKind, call_outputs, find_kind, find_names, read_thresholds

Pool = Literal["first", "sum"]
IMPOSED = "imposed"
"""What the first model is called with uniform weights imposed on it."""
Long = Literal["cut", "window"]
Granularity = Literal["word", "token", "sentence"]
Truncation = Literal["longest_first", "only_first", "only_second"]
MARK_ITEMS = 2
"""Items of a text that a classifier attends to besides its words: the first mark of the tokenizer, and all others."""
Construction = Literal["relay", "direct", "sink"]
"""How a classifier is built whose truth is known: see `transformer.constructed`."""
BUILT_FACTS = Facts("bert", 64, 2, {})
"""What config.json says of one."""
BUILT_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
TEXT_SLOT = "{text}"
"""Where a text stands in a prompt."""
ShareBelowOne = Annotated[float, Field(ge=0, lt=1)]


class Tuning(Section):
    """How a Transformer is fine-tuned: AdamW; the learning rate rises and falls linearly. The defaults are usual ones
    for models of BERT's size (Devlin et al. 2019, appendix A.3).
    """

    epochs: Count = 3
    """Epochs; adversaries have their own."""
    batch_size: Count = 32
    """Texts in a batch."""
    learning_rate: Positive = 5e-5
    """Greatest learning rate."""
    warmup: ShareBelowOne = 0.1
    """Share of all steps in which the learning rate rises from 0."""
    weight_decay: NonNegative = 0.01
    """Decay of all weights but biases and those of LayerNorm."""
    clip_norm: Positive | None = 1.0
    """Largest norm of a step's gradient; null: no limit."""


class Backbone(Section):
    """Which Transformer, and which of its states."""

    path: str = Field(min_length=1)
    """A folder with config.json, weights as safetensors and a tokenizer, here or in the mirror; or the id of a model
    that the cache of the Hugging Face hub holds; or `encoders/<name>`, an entry of `encoders`, which is fetched where
    it is not there. Nothing else is downloaded.
    """
    frozen: bool = True
    """Whether its weights stay as they are: its states are then computed once for each data set. false: every training
    fine-tunes it.
    """
    layer: Count | None = None
    """The layer whose states are read, from 1; null: the last."""
    pool: Pool = "first"
    """The state of a word of several pieces: that of the first, or their sum."""
    max_length: int = Field(512, ge=8)
    """Pieces of a text at most, marks included; what follows is cut."""


class Transformer(Backbone):
    """A Transformer whose states the attention weighs, wherever a model names `transformer` as its encoder."""

    tuning: Tuning = Tuning()
    """Fine-tuning, where it is not frozen."""


def check_template(template: str) -> str:
    """Return a template. Raises ValueError where the text stands in it never, or twice."""
    if template.count(TEXT_SLOT) != 1:
        count = template.count(TEXT_SLOT)
        raise ValueError(f"holds {TEXT_SLOT} {count} times; write it once, where the text is to stand")
    return template


Template = Annotated[str, AfterValidator(check_template)]


class Prompt(Section):
    """How a language model is asked for a class: the next token of a prompt, one token for each class."""

    template: Template
    """The prompt, in which {text} stands for the text. Its own pieces are no words of the text: the first is an item of
    its own, and all others are one.
    """
    labels: list[str] = Field(min_length=2)
    """The words that stand for the classes, each one piece of the tokenizer, with the space before it where the prompt
    ends without one. Without spaces, they are what the model calls its classes.
    """

    @field_validator("labels")
    @classmethod
    def _check_labels(cls, labels: list[str]) -> list[str]:
        refuse_duplicates("label", [label.strip() for label in labels])
        return labels


class ReadTarget(Section):
    """An output that is asked of, by what the data set calls it; where it begins, null: as by default; and of which
    texts: those that a training says it of, those that have it as a gold label, or all.
    """

    name: str
    threshold: float | None
    texts: Literal["predicted", "gold", "all"] = "all"


class ReadClassifier(Section):
    """One fine-tuned classifier and how it is read.

    folder: as `transformer.folder.find_folder` finds it. imposed: whether its readout has uniform weights in the place
    of its own. layer: the layer whose map alone is read; null: the last, with all that is above it. kind: what all
    outputs are, where targets are asked of; null: classes, and the predicted one is. target: the output that is asked
    of; null: all are read. The other keys are those of `GivenClassifiers`.
    """

    folder: str
    max_length: Count
    long: Long = "cut"
    truncation: Truncation = "longest_first"
    labels: dict[str, str]
    imposed: bool = False
    layer: Count | None = None
    maps: list[str] = []
    prompt: Prompt | None = None
    kind: OutputKind | None = None
    target: ReadTarget | None = None


class GivenClassifiers(GivenSection):
    """Fine-tuned Transformer classifiers of one data set, each a folder as `save_pretrained` writes it, model and
    tokenizer; or the id of a model that the cache of the Hugging Face hub holds.
    """

    max_length: Count = Field(512, ge=8)
    """Pieces that are read together at most, marks included."""
    long: Long = "cut"
    """What becomes of longer texts. cut: what follows is not read. window: they are read in windows that overlap by
    half, whose logits and maps are averaged; no row decides alone then, so that the models are asked only what needs no
    other weights.
    """
    truncation: Truncation = "longest_first"
    """Which text of a pair that is too long is cut, as the library calls it: the longer one, piece by piece, or one of
    them alone.
    """
    granularity: Granularity = "word"
    """What maps are of: words, pieces of the first model's tokenizer (token), or sentences, each with the sum of its
    pieces' weights. With others than words, no other suite reads the data set.
    """
    layer: Count | None = None
    """The layer whose map is read, from 1; null: the last. Above the row of an earlier layer there is more than the
    tail, so that it is asked only what needs no other weights.
    """
    maps: Distinct[str] = []
    """Further maps of the models in question, by their names, such as `rollout`, or functions of your own,
    `module:function`: each is asked the questions that need no other weights. docs/method/transformers.md has all of
    them, with what they cost.
    """
    prompt: Prompt | None = None
    """How the folders, which then hold language models (`AutoModelForCausalLM`), are asked for a class. null: they hold
    classifiers of texts.
    """
    targets: Literal["predicted", "gold", "all"] | OneOrMore[str] | None = None
    """Labels, classes or numbers that are asked of, as the data set calls them, or all: each is a model in question of
    its own, `<model>-<target>`, that says yes or no. predicted, gold: all, each of the texts in which one of the
    trainings says it, or whose gold label it is. The data set has gold labels in `labels`, or `label: null`. null: the
    class that is predicted.
    """
    threshold: float | dict[str, float] | None = None
    """From which probability on a label is given, one for all or by name, null: 1/2; or above which value a number is
    high, null: the median of what the first training predicts.
    """
    output: OutputKind | None = None
    """What the models return where targets are asked of. null: as config.json says (`problem_type`)."""
    labels: dict[str, str | dict[str, str]] = {}
    """What the data set calls a class, by what the models call it (id2label), where these differ. Under the name of a
    model (or `uniform`, `adversaries`): the same of this one alone, in the place of the others.
    """

    @field_validator("maps")
    @classmethod
    def _check_maps(cls, maps: list[str]) -> list[str]:
        return [check_target(name) if ":" in name else name for name in maps]

    @property
    def by_model(self) -> dict[str, list[str]]:
        """Return the folders of every model, by its name in paths; those of the first also with uniform weights
        imposed.
        """
        imposed = {IMPOSED: next(iter(self.models.values()))} if self.models else {}
        return self.models | imposed | super().by_model

    def find_labels(self, model: str) -> dict[str, str]:
        """Find what the data set calls each class of a model, by what the model calls it."""
        labels = self.labels.get(model)
        if isinstance(labels, dict):
            return labels
        return {name: label for name, label in self.labels.items() if isinstance(label, str)}

    def call_classes(self, model: str, facts: Facts) -> list[str]:
        """List what the data set calls the classes of a model, in its order. facts: what its config.json says."""
        said = self.prompt.labels if self.prompt else [facts.labels[number] for number in sorted(facts.labels)]
        return call_outputs(map(str.strip, said), self.find_labels(model))

    def list_targets(self, model: str, facts: Facts) -> tuple[OutputKind, list[ReadTarget]]:
        """List the targets of a model, after what its outputs are. facts: what its config.json says. Raises AuditError
        where there is no such.
        """
        names = self.call_classes(model, facts)
        kind = find_kind(self.output, facts, self.prompt is not None)
        texts = self.targets if isinstance(self.targets, str) else "all"
        if kind == "classes" and texts == "predicted":
            raise AuditError("targets", "the predicted class is what is asked of without them", "leave them out")
        if kind == "number" and texts == "gold":
            raise AuditError("targets", "a number has one target, itself", "set targets: all")
        # what one target says of each text has two sides
        if texts == "predicted" and (kind == "number" or len(names) == 1):
            texts = "all"
        # of numbers there is one threshold, of classes none
        begins: list[float | None] = [*read_thresholds(self.threshold, kind, names)] or [None]
        places = range(len(names)) if isinstance(self.targets, str) else find_names(self.targets, "targets", names)
        return kind, [ReadTarget(name=names[at], threshold=begins[at % len(begins)], texts=texts) for at in places]

    @model_validator(mode="after")
    def _check_targets(self) -> Self:
        if self.targets is None and (given := [key for key in ("threshold", "output") if getattr(self, key)]):
            raise ValueError(f"{given[0]}: goes with `targets`; name these, or all")
        if self.targets is not None and (given := [key for key in ("uniform", "adversaries") if getattr(self, key)]):
            raise ValueError(f"{given[0]}: is of models that choose a class; leave it or `targets` out")
        return self

    @model_validator(mode="after")
    def _check_folders(self) -> Self:
        if IMPOSED in self.models:
            raise ValueError(f"models: {IMPOSED!r} is the first with uniform weights; choose another name")
        folders = chain.from_iterable(super().by_model.values())
        refuse_duplicates("folder", [*map(normpath, folders)])
        if self.uniform and (self.layer is not None or self.long == "window"):
            key = "`layer`" if self.layer is not None else "`long: window`"
            raise ValueError(f"uniform: has uniform weights in its last layer; leave it or {key} out")
        for name, labels in self.labels.items():
            if isinstance(labels, dict) and name not in self.by_model:
                raise ValueError(f"labels: {name!r} is no model here, of which it names classes; name one of `models`")
        return self


class Generation(Section):
    """What is generated, or given, behind each text."""

    tokens: Count = 3
    """Tokens behind each text at most: of its label, or each the likeliest, up to the one that ends a text."""
    words: Count | None = None
    """Words of each text that are read, the first ones, or other units of `granularity`; null: all."""
    template: Template = TEXT_SLOT
    """The prompt, in which {text} stands for the text. Its own pieces are no words: they are ranked, moved and deleted
    never.
    """
    continuation: Literal["label"] | None = None
    """label: what follows each text is its label, behind a space, as of a table whose key `label` names the column of
    what is to follow; then the tokens of the label are asked of. null: the model's own tokens.
    """
    contrast: Distinct[str] | Literal["labels"] | None = None
    """Words of one token that each token is told from, with the space before them; labels: the labels of the data set,
    behind a space. A token is not told from itself. null: from the whole vocabulary.
    """

    @property
    def asks_labels(self) -> bool:
        """Tell whether it needs the labels of texts."""
        return self.continuation == "label" or self.contrast == "labels"


class ReadTokens(Generation):
    """How a language model's generated tokens are asked of: of what units, and which maps."""

    granularity: Granularity = "word"
    maps: list[str] = []


class ImportJob(Section):
    """A training of a model of one data set, to be read from what the user has of it. seed: its number."""

    dataset: str
    model: str
    seed: Seed


class ClassifierJob(ImportJob):
    """A training of a Transformer classifier. read: its folder, and how it is read. first: those of the first training
    of its model, or of the one that it is held against, which is to read the same words. classes: all of the data
    set's, in order; None where its texts tell them.
    """

    read: ReadClassifier
    first: ReadClassifier
    classes: list[str] | None
    device: Literal["auto", "cpu", "cuda"]
    threads: Count


class TargetJob(ImportJob):
    """A training of a classifier of which a target is asked, to be taken from what was read of all its trainings.

    read: how it is read. places: of each training, which output the target is. names: of all outputs of the first.
    """

    read: ReadClassifier
    places: list[int]
    names: list[str]
    device: Literal["auto", "cpu", "cuda"]
    threads: Count


class TransformerJob(Section):
    """A Transformer to be told by the checksums of its files; `path` is that of the configuration. fetched: whether it
    lies among the results.
    """

    path: str
    fetched: bool


class StatesJob(Section):
    """The states of a frozen Transformer of the words of one data set; pair: whether it has pairs of texts."""

    dataset: str
    backbone: Backbone
    pair: bool
    device: Literal["auto", "cpu", "cuda"]
    threads: Count


def refuse_missing(home: Home, count: int, number: int | None, place: str, part: str = "") -> None:
    """Raise AuditError where a Transformer has not so many layers or heads."""
    if number is not None and number > count:
        raise AuditError(place, f"{part} {number}, and {home} has {count}".lstrip(), "name one of these")


def refuse_missing_maps(home: Home, facts: Facts, maps: Sequence[str], key: str) -> None:
    """Raise AuditError where a map is of a layer or a head that a Transformer has not."""
    for name in maps:
        part, _, number = name.partition("_")
        if name in NUMBERED and (part == "layer" or facts.heads):
            count = facts.layers if part == "layer" else facts.heads
            refuse_missing(home, count, int(number), key, part)


def choose_layer(trainings: Sequence[Facts], layer: int | None, long: Long) -> int | None:
    """Choose the layer whose map alone is read of the trainings of a classifier, of which `layer` is asked; None where
    that is the last one and its row decides: of the mean of all rows, and in windows, none does.
    """
    if layer is not None and any(layer != facts.layers for facts in trainings):
        return layer
    return next((facts.layers for facts in trainings if facts.mean or long == "window"), None)
