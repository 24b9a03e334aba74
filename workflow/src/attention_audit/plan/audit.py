"""What there is to know of an audit before it is run."""

from dataclasses import dataclass
from typing import Literal

from attention_audit.plugins import Entry

Need = Literal["corpus", "network", "states", "heads", "weights", "linear", "tokens", "base", "marks"]
Of = Literal["models", "attending", "judged", "compared", "seed_pairs", "first", "first_seed"]
Takes = Literal["batch", "readout", "readout_pair", "suite", "network"]
ReadSplit = Literal["dev", "test"]
OWN = "own_audit"
"""The rule that makes an audit of a plugin."""


@dataclass(frozen=True)
class Audit(Entry):
    """One audit: a function from readouts to the rows of one Parquet file a data set and suite.

    name: of the file. rule: that makes it, perhaps with others; own_audit makes those of plugins. asks: the question,
    in a sentence. target: the function, "module:name", under this package or in a plugin; by default
    audits.<name>:<name>. columns: the declaration of the file's columns, likewise; by default columns.audits:<NAME>.

    needs: what a suite must have for it, besides readouts, which every suite has. corpus: the texts. network: models
    that can be run again. states: of the items under the attention, which such a model returns. heads: several of
    attention, as Transformers have, and readouts from elsewhere may have: of those that have one map there are no rows.
    weights: predictions that follow from the weights, which those of a Transformer do not where the map of an earlier
    layer is read. linear: predictions that are linear in the attention, which models of pairs have not. tokens: items
    that are tokens and not sentences. base: a model that others are compared with. marks: texts with words that are
    marked, or known to decide the label.

    of: which runs of a suite it is asked of: all `models`; the models `attending` or `judged` (see `plan.suite`); runs
    `compared` with the base; every two seeds of a model that has several (`seed_pairs`); the `first`, which is the
    base where there is one; or the first seed of each judged model (`first_seed`).

    takes: what the function is called with first. part: some texts of the readout of a run, time after time; readout:
    all of them; two: the readout that a run is compared with, and its own; network: the model with its texts and
    readout (`audits.attributed.Attributed`); suite: nothing, once a suite. All else it takes by the names of its
    parameters: see `stages.audits`.

    split: whose readouts it reads.

    settings: the sections of the configuration that it reads. after: audits of the same suite that it reads, where they
    are possible.
    """

    name: str
    asks: str
    target: str = ""
    columns: str = ""
    needs: tuple[Need, ...] = ()
    of: Of = "judged"
    takes: Takes = "batch"
    split: ReadSplit = "test"
    settings: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    rule: str = OWN

    TARGETS = ("target", "columns")

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", self.target or f"audits.{self.name}:{self.name}")
        object.__setattr__(self, "columns", self.columns or f"columns.audits:{self.name.upper()}")
