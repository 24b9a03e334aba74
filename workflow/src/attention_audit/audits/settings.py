"""Settings of the audits: sections of the configuration, and what the job of a rule that makes audits is told."""

from typing import Literal

from pydantic import Field

from attention_audit.answer.settings import Margins
from attention_audit.model.architecture import Architecture
from attention_audit.section import Count, Distinct, Positive, Section, Seed, Target, Whole
from attention_audit.transformer.settings import ReadClassifier, ReadTokens


class InstanceAdversary(Section):
    """Jain & Wallace's adversary: for each text, a search over attention weights, without training a model."""

    restarts: Count = 5
    """Searches per text, pushed apart from one another."""
    steps: Count = 500
    """Steps of Adam (amsgrad)."""
    learning_rate: Positive = 0.01
    """Learning rate."""
    spread: Positive = 3.0
    """Standard deviation of the initial logits."""
    margin: Positive = 0.01
    """Prediction change (TVD) above which the penalty sets in."""
    penalty: Positive = 500.0
    """Weight of that penalty."""
    epsilon: Positive = 0.05
    """Prediction change (TVD) up to which a result counts; the paper says 0.01, its code 0.05."""
    seed: Seed = 10
    """Seed of the initial logits."""


class Correlation(Section):
    """Jain & Wallace's rank correlations between attention, gradients and leave-one-out."""

    top_k: Count = 5
    """Tokens that count as the highest of a text when two attributions are compared."""


class Permutation(Section):
    """Jain & Wallace's permutations of attention weights."""

    permutations: Count = 100
    """Random permutations of the weights of a text."""
    seed: Seed = 10
    """Seed of the permutations."""
    marks: bool = True
    """Whether the marks of a Transformer, and what a prompt has beside the text, are permuted too. false: their weights
    stay, and those of the words are permuted among themselves.
    """


class Erasure(Section):
    """Serrano & Smith's erasures of single weights and of ranked sets."""

    seed: Seed = 5
    """Seed of random items and random rankings."""
    rankings: Distinct[Target] = []
    """Further rankings, functions of your own: `module:function`."""


class Deletion(Section):
    """Words that are deleted from the input."""

    texts: Count | None = None
    """Test texts at most, evenly spread, of which the question `located` is asked; null: all."""


class Agreement(Section):
    """The matrix of agreement between attributions."""

    texts: int = Field(100, ge=0)
    """Test texts at most, evenly spread; integrated gradients are slow. 0: of no text."""
    steps: Count = 25
    """Points on the path of integrated gradients."""
    attributions: Distinct[Target] = []
    """Further attributions, functions of your own: `module:function`."""


class AttentionMaps(Section):
    """Which test instances figure 2 shows."""

    automatic: int = Field(2, ge=0)
    """Instances chosen automatically for each data set."""
    instances: list[str] = []
    """Ids of further test instances to show."""


class AuditedTraining(Section):
    """One model with one seed, as the columns of an audit name it, and what an audit may ask about it."""

    model: str
    """Its name in its suite."""
    seed: Seed
    """Its seed, or, of a model that is given, the number of the training."""
    lambda_: float | None = None
    """The weight of its penalty, where that is known before it is trained."""
    searched: int | None = None
    """The step of a search by continuation that it is, 0 for the chosen one; its lambda is known after the search."""
    selection: str = "unknown"
    """The split on which its epoch was selected."""
    hierarchical: bool = False
    """Whether its items are sentences."""
    judged: bool = True
    """Whether its own attention is in question; other models are what that is held against."""
    consistent_on: Literal["dev", "test", ""] = "test"
    """The split on which it is chosen among adversaries; "" where it is not read out there."""
    architecture: Architecture | None = None
    """What it is built of, where it is trained here and run again."""
    label: str = ""
    """The label that is asked of; "" where a class is predicted."""
    classifier: ReadClassifier | None = None
    """How it is read, where it is a classifier that is given and run again."""


class AuditJob(Section):
    """What the job of a rule is told that asks audits of a model."""

    dataset: str
    """The data set."""
    model: str
    """The model in question, by its name in paths."""
    trainings: list[AuditedTraining]
    """Those that are asked, in the order of the job's readouts."""
    unasked: dict[str, str] = {}
    """Why an audit of the rule is not asked, by its name; its file then has no rows."""


class ComparisonJob(AuditJob):
    """The audits `comparison` and `consistency`, and `stability` and `map_stability`."""

    permutation: Permutation


class PermutationJob(AuditJob):
    """The audits `permutation` and `heads`."""

    permutation: Permutation


class ErasureJob(AuditJob):
    """The audits `contributions`, `single_weight`, `ranked_sets` and `shuffles`."""

    erasure: Erasure
    permutation: Permutation


class InstanceAdversaryJob(AuditJob):
    """The audit `instance_adversary`."""

    instance_adversary: InstanceAdversary


class AttentionMapsJob(AuditJob):
    """The audit `attention_maps`."""

    attention_maps: AttentionMaps


class AttributeJob(Section):
    """The attributions of one training, and what is asked of it by running it again."""

    dataset: str
    """The data set."""
    model: str
    """The model, by its name in paths."""
    seed: Seed
    """Its seed."""
    training: Whole[AuditedTraining]
    """What it is called, and what it takes to run it again."""
    audits: list[str]
    """The audits for which it is run."""
    agreement: Agreement
    deletion: Deletion
    erasure: Erasure
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    """Where it runs."""


class AttributionJob(AuditJob):
    """The audits of attributions."""

    correlation: Correlation
    agreement: Agreement
    deletion: Deletion
    erasure: Erasure


class GenerateJob(Section):
    """The audit `generated`."""

    dataset: str
    """The data set."""
    model: str
    """The language model, as its columns name it."""
    folders: list[str]
    """The folder of each training."""
    read: ReadTokens
    """Which tokens and maps are asked of."""
    permutation: Permutation
    margins: Margins
    device: Literal["auto", "cpu", "cuda"]
    """Where it runs."""
    threads: Count
    """How many cores it may use."""


class OwnAuditJob(AuditJob):
    """An audit of the user's own."""

    target: str
    """Its function, `module:name`."""
