"""readouts (, corpus, other audits) -> audits of one model that need no network, one file each.

Those that it is not asked, or that it lacks something for, have a file without rows, whose provenance says why.

An audit is a function; what it is called with first is `takes` in its entry (plan/audits.yaml), and the rest follows
from the names of its parameters:

settings            its section of the configuration, validated as the parameter is annotated
<section>           one of several sections, by its key
<field>             a field of its only section, such as seed or permutations
selection           the split on which the epoch of the run was selected
evidence            the positions of the items that are known to decide the label, by text
blocked             the positions of the impermissible words, by text
rationales          the words that somebody marked, by text
frequency           how often the training split has each word of these texts, by text
occurrences         how often the training split has the word of each row of the embedding; none of given classifiers
tokens              the words of the texts
base, contrast      the readouts of its two runs, where it is called once for a suite
<audit>             another audit's file as a frame
report              what says how far it is
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.arrays import Integers
from attention_audit.artefacts.parquet import read_frame, read_rows, read_table, write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.audits.settings import AuditedRun, AuditJob, AuditsJob
from attention_audit.columns.files import CORPUS, SEARCH, VOCABULARY
from attention_audit.columns.kinds import artefact
from attention_audit.corpus.rationales import Rationale
from attention_audit.errors import AuditError
from attention_audit.readout import Readout, read_readout, read_readouts
from attention_audit.section import Section
from attention_audit.targets import load

from .job import Job

Columns = Mapping[str, Any]
"""Columns of an audit but for those that say what was audited."""


def read_texts(corpus: Path, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Read of every test text of which the last of these columns is known its id, and the columns.

    Raises AuditError where the file is damaged.
    """
    known = (pc.field("split") == "test") & pc.field(columns[-1]).is_valid()
    texts = read_rows(corpus, CORPUS, ["id", *columns, "split"], known)
    return zip(*(column.to_pylist() for column in texts.drop_columns("split")), strict=True)


def read_evidence(corpus: Path) -> dict[bool, dict[str, list[int]]]:
    """Read the positions of the known evidence by text: of tokens (False), and of sentences (True)."""
    known = [*read_texts(corpus, "sentences", "evidence")]
    sentences = {id_: find_sentences(positions, starts or [0]) for id_, starts, positions in known}
    return {False: {id_: positions for id_, _, positions in known}, True: sentences}


def read_rationales(corpus: Path) -> dict[str, Rationale]:
    """Read what is marked in texts, by id; only of texts in which somebody marked words, or none."""
    return {
        id_: Rationale(dict(zip(annotators, marks, strict=True)), scores)
        for id_, scores, annotators, marks in read_texts(corpus, "scores", "annotators", "marks")
    }


def count_words(corpus: Path) -> dict[str, Integers]:
    """Count how often the training split has each word of the marked texts, by id; nothing where there is no training
    split.
    """
    training = read_rows(corpus, CORPUS, ["split", "tokens"], pc.field("split") == "train")
    counted = pc.value_counts(pc.list_flatten(training["tokens"])).to_pylist()
    counts = Counter({row["values"]: row["counts"] for row in counted})
    marked = read_texts(corpus, "tokens", "annotators") if counts else ()
    return {id_: np.array([counts[word] for word in tokens], np.int64) for id_, tokens, _ in marked}


def count_occurrences(*vocabulary: Path) -> Integers:
    """Count how often the training split has the word of each row of the embedding; none where models have no such."""
    counts = [read_table(path, VOCABULARY)["train_count"].to_numpy() for path in vocabulary]
    return np.concatenate([np.empty(0, np.int64), *counts])


FACTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "tokens": ("corpus", lambda corpus: dict(read_texts(corpus, "tokens"))),
    "blocked": ("corpus", lambda corpus: dict(read_texts(corpus, "blocked"))),
    "evidence": ("corpus", read_evidence),
    "rationales": ("corpus", read_rationales),
    "frequency": ("corpus", count_words),
    "occurrences": ("vocabulary", count_occurrences),
}
"""What a parameter of this name has: what reads it, and of which input files. It is read when it is first asked for."""


def find_sentences(positions: list[int], starts: list[int]) -> list[int]:
    """Find the sentences that hold any of these tokens, each once; `starts` are those of all sentences."""
    return sorted(set((np.searchsorted(starts, positions, side="right") - 1).tolist()))


class AuditRunner:
    """One audit of a job: its function, all that it may be called with, and why some runs, or all, have no rows."""

    def __init__(self, job: Job[AuditsJob], asked: AuditJob) -> None:
        self.job, self.settings = job, asked
        own = asked.model_dump(mode="json", exclude={"code"})
        recorded = job.settings.model_dump(mode="json", exclude={"audits"}) | own
        self.provenance = Provenance("audit", recorded, asked.code or job.provenance.code)
        self.kind = artefact(asked.columns)
        self.function: Callable[..., Any] = load(asked.target)
        self.parameters = inspect.signature(self.function, eval_str=True).parameters
        self.reason = asked.reason
        self.read_fact = cache(lambda name: FACTS[name][1](*job.inputs.get(FACTS[name][0], [])))

    def offer(self, run: AuditedRun | None) -> dict[str, Callable[[], Any]]:
        """Offer what a parameter may be called, and where it is had from."""
        sections = self.settings.sections
        known: dict[str, Any] = {"report": self.job.report, **sections}
        if len(sections) == 1:
            (values,) = sections.values()
            known |= {"settings": values, **values}
        offered: dict[str, Callable[[], Any]] = {name: partial(self.read_fact, name) for name in FACTS}
        if run:
            known["selection"] = run.selection
            offered["evidence"] = lambda: self.read_fact("evidence")[run.hierarchical]
        offered |= {name: partial(known.__getitem__, name) for name in known}
        offered |= {
            name: partial(read_frame, self.job.input(name), artefact(declared))
            for name, declared in self.settings.after.items()
        }
        both = zip(("base", "contrast"), self.settings.runs, strict=False) if self.settings.takes == "suite" else ()
        readouts = self.job.inputs["readouts"]
        return offered | {name: partial(read_readout, readouts[own.readout]) for name, own in both}

    def call(self, *first: Any, run: AuditedRun | None = None) -> Any:
        """Call the function with `first` and with what its further parameters ask.

        Raises AuditError where it has a parameter that nothing is offered for.
        """
        offered, arguments = self.offer(run), {}
        for name, parameter in islice(self.parameters.items(), len(first), None):
            if name in offered:
                value, kind = offered[name](), parameter.annotation
                if isinstance(kind, type) and issubclass(kind, Section):
                    value = kind.model_validate(value)
                arguments[name] = value
            elif parameter.default is inspect.Parameter.empty:
                raise AuditError(
                    f"{self.settings.target}: nothing is offered for its parameter {name!r} (offered: "
                    f"{', '.join(offered)}); see stages/audits.py, and `settings` and `after` of its entry in "
                    "plan/audits.yaml"
                )
        return self.function(*first, **arguments)

    @cached_property
    def searched(self) -> dict[tuple[int, int], float]:
        """Return the lambdas of searches by continuation, by seed and step; step 0 is the chosen one."""
        rows = (row for path in self.job.inputs["search"] for row in read_table(path, SEARCH).to_pylist())
        return {(row["seed"], step): row["lambda"] for row in rows for step in (row["step"], *[0] * row["chosen"])}

    def find_lambda(self, run: AuditedRun) -> float | None:
        """Find the lambda of a run, None where it is no consistent adversary."""
        return run.lambda_ if run.searched is None else self.searched[run.seed, run.searched]

    def find_lack(self, run: AuditedRun, readout: Readout | None = None) -> str:
        """Say what the audit needs and a run, or its texts, have not, and keep it as the reason for the file; "" where
        they have all. Without a readout, only what is known before one is read.
        """
        needs, model, dataset = self.settings.needs, run.model, self.job.settings.dataset
        unmarked = "marks" in needs and not (self.read_fact("evidence")[False] or self.read_fact("rationales"))
        lacks = {
            f"attention over tokens, and {model} attends to sentences": "tokens" in needs and run.hierarchical,
            f"marked words, and {dataset} has none": unmarked,
        }
        if readout:
            lacks |= {
                f"predictions that are linear in the attention, which models of pairs ({dataset}) have not": (
                    "linear" in needs and readout.head is not None
                ),
                f"predictions that follow from the weights, which those of {model} are not known to do": (
                    "weights" in needs and not readout.decided
                ),
                f"states under the attention, which are not known of {model}": (
                    "states" in needs and bool(run.classifier or readout.several)
                ),
                f"several heads of attention, and {model} has one": "heads" in needs and readout.several is None,
            }
        lack = next((reason for reason, lacking in lacks.items() if lacking), "")
        if lack:
            self.reason = f"needs {lack}"
        return lack

    def label(self, columns: Columns, run: AuditedRun | None = None) -> pa.Table:
        """Return what the function says, of a run if of one, as rows of the audit's file; there may be none."""
        identity: dict[str, Any] = {"dataset": self.job.settings.dataset}
        if run:
            identity |= {"model": run.model, "lambda": self.find_lambda(run), "seed": run.seed, "other": run.other}
        # of objects: a column of lists may be empty, and then pandas would take it for one of numbers
        rows = pd.DataFrame(identity | dict(columns), dtype=object)
        return pa.Table.from_pandas(rows, self.kind.schema, preserve_index=False)

    def ask(self) -> Iterator[pa.Table]:
        """Ask the whole suite, or one run after another, in one part or in several; as rows of the audit's file."""
        takes, inputs = self.settings.takes, self.job.inputs
        if takes == "suite":
            if not self.find_lack(self.settings.runs[0]):
                yield self.label(self.call())
            return
        read_against = lru_cache(1)(read_readout)
        for run in self.settings.runs:
            texts, against = 0, [] if run.against is None else [read_against(inputs["against"][run.against])]
            if self.find_lack(run):
                continue
            path = inputs["readouts"][run.readout]
            for part in read_readouts(path) if takes == "batch" else [read_readout(path)]:
                if self.find_lack(run, part):
                    break
                yield self.label(self.call(*against, part, run=run), run)
                texts += len(part)
            lambda_ = self.find_lambda(run)
            shown = "" if lambda_ is None else f", lambda {lambda_:.3g}"
            earlier = "" if run.other is None else f" against {run.other}"
            self.job.report(f"{run.model}{shown}, seed {run.seed}{earlier}: {texts} texts")

    def write(self, rows: Iterable[pa.Table]) -> None:
        """Write the audit's file, with the reason where it has no rows."""
        tables, provenance = iter(rows), self.provenance
        first = next(tables, None)
        if first is None and self.reason:
            provenance = provenance.explain(self.reason)
        first = self.kind.schema.empty_table() if first is None else first
        write_batches(self.job.output(self.settings.audit), self.kind, chain([first], tables), provenance)


def run(job: Job[AuditsJob]) -> None:
    """Make all audits, one after another."""
    torch.set_num_threads(job.settings.threads)
    for runner in (AuditRunner(job, asked) for asked in job.settings.audits):
        if not runner.reason:
            job.report(runner.settings.audit)
        runner.write(runner.ask())
