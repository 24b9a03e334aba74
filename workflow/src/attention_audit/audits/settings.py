"""Settings of the audits: sections of the configuration."""

from pydantic import Field

from attention_audit.section import Count, Distinct, Positive, Section, Seed, Target


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
