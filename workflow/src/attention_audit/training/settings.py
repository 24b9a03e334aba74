"""How models are trained: the sections of the configuration, and the settings of one training."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from attention_audit.model.architecture import Architecture, EncoderKind, Scoring
from attention_audit.section import Count, NonNegative, OneOrMore, Positive, Section, Seed, refuse_duplicates


class BaseModel(Section):
    """The base model; the uniform model and the adversaries have the same encoder."""

    encoder: EncoderKind = "bilstm"
    """The encoder; the paper's is a bidirectional LSTM."""
    attention: Scoring = "additive"
    """The attention's scoring function; the paper's is additive."""
    embedding: Count = 300
    """Width of random embeddings; a vector file brings its own."""
    hidden: Count = 128
    """Units of a recurrent encoder in each direction, or width of another encoder's states."""
    attention_hidden: Count = 128
    """Width of the additive attention's hidden layer."""


class Optimisation(Section):
    """What all trainings have in common."""

    batch_size: Count = 32
    """Texts in a batch."""
    learning_rate: Positive = 1e-3
    """Learning rate of Adam (amsgrad)."""
    weight_decay: NonNegative = 1e-5
    """L2 penalty on everything but the attention; in models of pairs on that too."""
    length_noise: NonNegative = Field(0.1, lt=1)
    """Batches are runs of a length sort with this relative noise."""
    selection: Literal["dev", "test"] = "dev"
    """Split whose ROC-AUC selects the epoch; test only to reproduce the authors."""
    ties: Literal["first", "loss"] = "first"
    """Of epochs with the same score: the first, or that with the lowest training loss."""

    def make_recipe(self, **changes: Any) -> "Recipe":
        """Make the recipe of a training with these settings, but for those that are other."""
        return Recipe(**{name: getattr(self, name) for name in Optimisation.model_fields} | changes)


class Recipe(Optimisation):
    """How one model is trained, with everything in which the trainings of the papers differ.

    The defaults are Wiegreffe & Pinter's. The plan of a run makes recipes; they are no part of the configuration.
    """

    amsgrad: bool = True
    """Adam with AMSGrad."""
    average: bool = False
    """A step descends the mean of its texts' losses instead of their sum."""
    clip_norm: Positive | None = None
    """Most norm that the gradient of a step may have."""
    clip_value: Positive | None = None
    """Most magnitude that each entry of the gradient may have."""
    batch_tokens: Count | None = None
    """At most this many padded tokens in a batch: its texts times the tokens of its longest text (or of its longest
    sentence where the model is hierarchical). A longer text is a batch of its own.
    """
    decoupled: bool = False
    """AdamW: weights decay by themselves, all but biases and LayerNorms."""
    warmup: float | None = Field(None, ge=0, lt=1)
    """Share of the steps in which the rate rises; it then falls to 0. null: constant."""
    plateau: bool = False
    """Halve the learning rate after every epoch without a better score."""
    measure: Literal["roc_auc", "accuracy"] = "roc_auc"
    """The score that selects the epoch."""
    scored: bool = False
    """Whether the score selects the epoch of a deceptive model too, and not the training loss."""
    class_weights: bool = True
    """Weigh the losses so that every class weighs the same."""
    first_epoch: bool = True
    """Whether the first epoch may be selected."""

    def choose_split(self, objective: "Objective") -> Literal["train", "dev", "test"]:
        """Choose the split on which an epoch is selected: by a score or, as `train`, by a loss with a lambda."""
        by_loss = objective.kind == "adversary" or (objective.kind == "deception" and not self.scored)
        return "train" if by_loss else self.selection


class Training(Optimisation):
    """How the base and the uniform models are trained; guides and adversaries share optimiser and batches."""

    seed: Seed = 10
    """Seed of the base model, which all others are compared with."""
    further_seeds: list[Seed] = Field([50, 257, 500231, 100078], min_length=1)
    """Further seeds for base, uniform and guided models; the authors' are these and four more."""
    epochs: Count = 8
    """Epochs of base, uniform and guided models."""

    @property
    def seeds(self) -> list[int]:
        """Return the base seed first, then the further seeds."""
        return [self.seed, *self.further_seeds]

    @model_validator(mode="after")
    def _check_seeds(self) -> Self:
        refuse_duplicates("seed", self.seeds)
        return self


class Guides(Section):
    """The diagnostic MLP of test 3."""

    hidden: Count = 128
    """Width of the token-wise affine layer."""
    attention: Count = 64
    """Width of the attention that the trained MLP learns."""
    adversary_lambda: Positive = 0.002
    """Lambda of the adversary from scratch that lends its weights as a guide, as in the paper; the chosen one of a
    search by continuation lends its own to another guide.
    """
    trainings: Count | None = None
    """How many seeds train a guide each, the first of those of the base model; by default all."""


class Continuation(Section):
    """The search for adversaries that begins at the base model: every step begins with the weights of an earlier one.

    Lambda rises by `factor` from step to step until the mean TVD on dev leaves the tolerance, `answer.margins.tvd`, and
    that of other trainings; then it is bisected where maps are in other zones of `unique` on either side.
    """

    steps: Count = Field(10, le=100)
    """Steps, each of which leaves a model; at most 100."""
    epochs: Count = 5
    """Epochs of a step."""
    pace: float = Field(0.1, gt=0, le=1)
    """Factor on the learning rate of the base model. At its full rate, a model that knows its training texts by heart
    leaves the budget on other texts before lambda has any effect.
    """
    rounds: Count = 3
    """The first step is trained for up to so many times `epochs`, until TVD is within the tolerance."""
    first: Positive = 1e-3
    """Lambda of the first step."""
    factor: float = Field(3.0, gt=1, allow_inf_nan=False)
    """By how much lambda rises."""
    softening: float = Field(0.15, gt=0, le=1)
    """Factor on the attention scores of the base model, at the start of the first step."""


class Adversary(Section):
    """The model-consistent adversary of test 4: minimises TVD - lambda KL(adversary || base)."""

    search: Literal["continuation", "scratch", "both"] = "continuation"
    """scratch: one training for each of `lambdas`, as in the paper; continuation: one search that begins at the base
    model, with the settings of `continuation`.
    """
    continuation: Continuation = Continuation()
    """The search by continuation."""

    lambdas: OneOrMore[Positive] = [2e-5, 1e-4, 2e-4, 4e-4, 6e-4, 8e-4, 1e-3, 1.5e-3, 2e-3, 4e-3]
    """Grid of lambda in the paper's formula: twice the value the authors' command takes."""
    seeds: OneOrMore[Seed] = [10]
    """Seeds; the base seed shares its initial weights."""
    epochs: Count = 80
    """Most epochs."""
    patience: Count = 10
    """Stop after so many epochs without a lower training loss."""

    @property
    def from_scratch(self) -> bool:
        """Tell whether there are adversaries from scratch."""
        return self.search != "continuation"

    @property
    def continued(self) -> bool:
        """Tell whether there is a search by continuation."""
        return self.search != "scratch"


class LabelObjective(Section):
    """The loss of labels."""

    kind: Literal["labels"] = "labels"
    lambda_: None = None


class DiversityObjective(Section):
    """The loss of labels + weight x conicity of the states."""

    kind: Literal["diversity"] = "diversity"
    lambda_: None = None
    weight: Positive


class DeceptionObjective(Section):
    """The loss of labels - lambda log(1 - attention on the impermissible words)."""

    kind: Literal["deception"] = "deception"
    lambda_: Positive


class AdversaryObjective(Section):
    """TVD - lambda KL from the reference's readout. None in a search, each of whose steps has a lambda of its own."""

    kind: Literal["adversary"] = "adversary"
    lambda_: Positive | None


Objective = Annotated[
    LabelObjective | DiversityObjective | DeceptionObjective | AdversaryObjective, Field(discriminator="kind")
]
"""What a training minimises: see `training.loop`. lambda_: what rows of audits name of it."""


class TrainSettings(Section):
    """A training job: one model of one data set with one seed.

    anonymised: whether it reads all texts without their impermissible words. special_tokens: how many items of the maps
    that it is trained on, their last ones, are special tokens. maps: further maps of a Transformer classifier that are
    read out.
    """

    dataset: str
    model: str
    objective: Objective
    seed: Seed
    architecture: Architecture
    device: Literal["auto", "cpu", "cuda"]
    threads: Count
    anonymised: bool = False
    special_tokens: int = 0
    optimisation: Recipe
    epochs: Count
    patience: Count | None
    maps: list[str] = []


class SearchSettings(TrainSettings):
    """A search by continuation, with the base model's weights to begin with and its readouts as reference.

    `epochs` are those of a step. budget: mean TVD on dev up to which predictions count as the base model's. models: of
    the steps, by their names in paths.
    """

    continuation: Continuation
    budget: NonNegative
    models: list[str]


MaskingOrder = Literal["random", "attention", "gradient"]


class MaskedSettings(TrainSettings):
    """Trainings one after another, each on texts in which more words are masked, the first by what the base model ranks
    highest.

    order: which words go first. percent: of the words of a text, how many are masked at each step, ascending.
    """

    order: MaskingOrder
    percent: list[Count]
