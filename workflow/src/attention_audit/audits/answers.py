"""What the audits of a model are asked of, its trainings; and what they answer: rows of a file for each audit, or the
reason why there are none.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from attention_audit.columns.kinds import Artefact
from attention_audit.readout import Readout

from .facts import TextFacts
from .settings import AuditedTraining

AuditColumns = Mapping[str, Any]
"""Columns of an audit but for those that say what was audited."""


@dataclass(eq=False)
class Training:
    """A model with one seed, as the rows of audits name it, whose readout of the test split is in memory.

    lambda_: of an adversary or a liar; None for other models.
    """

    about: AuditedTraining
    lambda_: float | None = None
    readout: Readout | None = None

    def read(self, split: str = "test") -> Readout:
        """Read it out on a split, here on the one that is in memory."""
        if self.readout is None:
            raise ValueError(f"{self.about.model}: has no readout of {split} in memory")
        return self.readout

    def read_parts(self) -> Iterator[Readout]:
        """Read it out on the test split, some texts at a time."""
        yield from self.read().cut()

    def describe(self, earlier: int | None = None) -> str:
        """Name it in a line of progress, and the training that it is compared with."""
        lambda_part = "" if self.lambda_ is None else f", lambda {self.lambda_:.3g}"
        against = "" if earlier is None else f" against {earlier}"
        return f"{self.about.model}{lambda_part}, seed {self.about.seed}{against}"


@dataclass
class Answers:
    """The rows of the audits of a model, by the names of their files.

    unasked: why an audit is not asked, by its name. report: says how far they are. lacks: what an audit needs and the
    model, or its texts, have not.
    """

    dataset: str
    unasked: Mapping[str, str] = field(default_factory=dict)
    report: Callable[[str], None] = lambda line: None
    tables: dict[str, list[pa.Table]] = field(default_factory=dict)
    lacks: dict[str, str] = field(default_factory=dict)

    def asks(self, kind: Artefact, *lacks: str) -> bool:
        """Tell whether an audit is asked, and nothing is lacking for it; what is, is kept as the reason."""
        if kind.name in self.unasked:
            return False
        lack = next(filter(None, lacks), "")
        if lack:
            self.lacks[kind.name] = f"needs {lack}"
        return not lack

    def add(
        self, kind: Artefact, columns: AuditColumns, training: Training | None = None, compared_seed: int | None = None
    ) -> None:
        """Add what an audit says of a training, or of the whole suite. compared_seed: that of the training
        which it is compared with, where a file has this column.
        """
        import pandas as pd  # imported here, since maps are shown without it

        identity: dict[str, Any] = {"dataset": self.dataset}
        if training:
            about = training.about
            identity |= {"model": about.model, "lambda": training.lambda_, "seed": about.seed, "other": compared_seed}
        # of objects: a column of lists may be empty, and then pandas would take it for one of numbers
        rows = pd.DataFrame(identity | dict(columns), dtype=object)
        self.store(kind, pa.Table.from_pandas(rows, kind.schema, preserve_index=False))

    def store(self, kind: Artefact, rows: pa.Table) -> None:
        """Store rows of an audit."""
        self.tables.setdefault(kind.name, []).append(rows)

    def find_reason(self, name: str) -> str:
        """Find why an audit has no rows, if that is known; "" where it is not."""
        return self.unasked.get(name) or self.lacks.get(name, "")


def explain_sentences(training: Training) -> str:
    """Say that an audit needs attention over tokens, of a model that attends to sentences; "" of others."""
    model = training.about.model
    return f"attention over tokens, and {model} attends to sentences" if training.about.hierarchical else ""


def explain_unmarked(facts: TextFacts, dataset: str) -> str:
    """Say that no word of these texts is marked, or known to decide the label; "" where one is."""
    return "" if facts.evidence or facts.rationales else f"marked words, and {dataset} has none"


def explain_unlabelled(readout: Readout, dataset: str) -> str:
    """Say that nobody knows the labels of some texts; "" where they are known of all."""
    return "" if readout.labels.min(initial=0) >= 0 else f"labels, and {dataset} has none"


def explain_pairs(readout: Readout, dataset: str) -> str:
    """Say that predictions are not linear in the attention, as of a model of pairs; "" of others."""
    linear = "predictions that are linear in the attention"
    return "" if readout.head is None else f"{linear}, which models of pairs ({dataset}) have not"


def explain_undecided(training: Training, readout: Readout) -> str:
    """Say that predictions do not follow from the weights, as where the map of an earlier layer is read; "" where they
    do.
    """
    following = "predictions that follow from the weights"
    return "" if readout.decided else f"{following}, which those of {training.about.model} are not known to do"


def explain_states(training: Training, readout: Readout) -> str:
    """Say that no states under the attention are known, as of a Transformer's heads; "" where they are."""
    unknown = training.about.classifier or readout.heads > 1
    return f"states under the attention, which are not known of {training.about.model}" if unknown else ""


def explain_one_head(training: Training, readout: Readout) -> str:
    """Say that a model has one head of attention; "" where it has several."""
    return "" if readout.heads > 1 else f"several heads of attention, and {training.about.model} has one"
