"""Settings of the audits: sections of the configuration, and what the job of a rule that makes audits is told."""

from typing import Any, Literal

from pydantic import Field

from attention_audit.model.architecture import Architecture
from attention_audit.section import Count, Distinct, Positive, Section, Seed, Target
from attention_audit.transformer.settings import ReadClassifier


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


class AuditedRun(Section):
    """One model with one seed, as the columns of an audit name it, and what an audit may ask about it.

    selection: the split on which its epoch was selected. hierarchical: whether its items are sentences. searched: the
    step of a search by continuation that it is, 0 for the chosen one, None for other models; the lambda of such a run
    is known only after the search. other: the seed of the same model that it is compared with; None where it is
    compared with none, or with another model.

    readout: the place of its readout, and of its weights, among those of the job; against: that of the readout which it
    is compared with. architecture, classifier: what it takes to run it again, of a model that is trained here or of one
    that is given; both are None where it is not run again.
    """

    model: str
    lambda_: float | None
    seed: Seed
    selection: str
    hierarchical: bool
    searched: int | None = None
    other: Seed | None = None
    readout: int = 0
    against: int | None = None
    architecture: Architecture | None = None
    classifier: ReadClassifier | None = None


class AuditJob(Section):
    """One audit of a job.

    target, takes, columns, needs: those of its entry in plan/audits.yaml; columns is the declaration of its columns.
    sections: the sections of the configuration that the audit reads, by key. after: the declarations of the audits that
    it reads, by name. attributions: of the user's own, each "module:function", which an audit that runs models again
    compares too. code: hash of what it runs. reason: why it is not asked; its file then has no rows.
    """

    audit: str
    target: str
    takes: Literal["batch", "readout", "readout_pair", "suite", "network"]
    columns: str
    needs: list[str] = []
    runs: list[AuditedRun] = []
    sections: dict[str, dict[str, Any]] = {}
    after: dict[str, str] = {}
    attributions: list[str] = []
    code: str = ""
    reason: str = ""


class AuditsJob(Section):
    """The audits of one rule, of one model of a data set, by its name in paths. audit: the name of the rule."""

    dataset: str
    model: str
    audit: str
    audits: list[AuditJob]
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    threads: Count = 1
