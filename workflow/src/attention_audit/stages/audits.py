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
base, contrast      their readouts, where it is called once for a suite
<audit>             another audit's file as a frame
report              what says how far it is
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.artefacts.parquet import read_batches, read_frame, read_table, write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.files import CORPUS, SEARCH, VOCABULARY
from attention_audit.columns.kinds import Artefact, artefact
from attention_audit.corpus.rationales import Rationale
from attention_audit.errors import AuditError
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob
from attention_audit.readout import Readout, read_readout, read_readouts
from attention_audit.section import Section
from attention_audit.stages.job import Job
from attention_audit.targets import load

Columns = Mapping[str, Any]
"""Columns of an audit but for those that say what was audited."""


def read_rationales(corpus: Path, split: str = "test") -> dict[str, Rationale]:
    """Read what is marked in the texts of a split, by id; only of texts in which somebody marked words, or none.

    Raises AuditError where the file is damaged.
    """
    known = (pc.field("split") == split) & pc.field("annotators").is_valid()
    return {
        row["id"]: Rationale(dict(zip(row["annotators"], row["marks"], strict=True)), row["scores"])
        for table in read_batches(corpus, CORPUS, ["id", "split", "annotators", "marks", "scores"])
        for row in table.filter(known).to_pylist()
    }


def count_words(corpus: Path) -> dict[str, npt.NDArray[np.int64]]:
    """Count how often the training split has each word of the marked texts of the test split, by id; nothing where
    there is no training split.

    Raises AuditError where the file is damaged.
    """
    counts: Counter[str] = Counter()
    for table in read_batches(corpus, CORPUS, ["split", "tokens"]):
        tokens = table.filter(pc.field("split") == "train")["tokens"].combine_chunks().flatten()
        counts.update({row["values"]: row["counts"] for row in pc.value_counts(tokens).to_pylist()})
    known = (pc.field("split") == "test") & pc.field("annotators").is_valid() & bool(counts)
    return {
        row["id"]: np.array([counts[word] for word in row["tokens"]], np.int64)
        for table in read_batches(corpus, CORPUS, ["id", "split", "annotators", "tokens"])
        for row in table.filter(known).to_pylist()
    }


def find_sentences(positions: list[int], starts: list[int]) -> list[int]:
    """Find the sentences that hold any of these tokens, each once; `starts` are those of all sentences."""
    return sorted(set((np.searchsorted(starts, positions, side="right") - 1).tolist()))


def label_columns(kind: Artefact, identity: Mapping[str, Any], columns: Columns) -> pa.Table:
    """Return columns, which may have no row at all, as rows of `kind`, each with the identity of what was audited."""
    rows = len(next(iter(columns.values())))
    values = {name: [value] * rows for name, value in identity.items()} | dict(columns)
    arrays = [pa.array(values[field.name], field.type, from_pandas=True) for field in kind.schema]
    return pa.Table.from_arrays(arrays, schema=kind.schema)


FACTS = ("tokens", "blocked", "rationales", "frequency", "occurrences")
"""Parameters that are attributes of `AuditRunner`, read when they are first asked for."""


class AuditRunner:
    """One job: its audit's function, all that it may be called with, and why some runs have no rows."""

    def __init__(self, job: Job[AuditJob]) -> None:
        self.job = job
        self.settings = job.settings
        self.kind = artefact(job.settings.columns)
        self.function: Callable[..., Any] = load(job.settings.target)
        self.parameters = inspect.signature(self.function).parameters
        self.hints = get_type_hints(self.function)
        self.reasons: list[str] = []

    def _read_texts(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Read of every text its id and these columns, which are named in the order of the file."""
        for table in read_batches(self.job.input("corpus"), CORPUS, ["id", *columns]):
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)

    @cached_property
    def evidence(self) -> dict[bool, dict[str, list[int]]]:
        """Positions of the known evidence by text: of tokens (False), and of sentences (True)."""
        known = [row for row in self._read_texts("sentences", "evidence") if row[-1] is not None]
        sentences = {id_: find_sentences(positions, starts or [0]) for id_, starts, positions in known}
        return {False: {id_: positions for id_, _, positions in known}, True: sentences}

    @cached_property
    def blocked(self) -> dict[str, list[int]]:
        """Positions of the impermissible words, by the text for which they are named."""
        return {id_: positions for id_, positions in self._read_texts("blocked") if positions is not None}

    @cached_property
    def rationales(self) -> dict[str, Rationale]:
        """The words that somebody marked, by text."""
        return read_rationales(self.job.input("corpus"))

    @cached_property
    def frequency(self) -> dict[str, npt.NDArray[np.int64]]:
        """How often the training split has each word of the texts in which somebody marked words, by text."""
        return count_words(self.job.input("corpus"))

    @cached_property
    def occurrences(self) -> npt.NDArray[np.int64]:
        """How often the training split has the word of each row of the embedding; none where models have no such."""
        paths = self.job.inputs.get("vocabulary", [])
        counts = [read_table(path, VOCABULARY)["train_count"].to_numpy() for path in paths]
        return np.concatenate([np.empty(0, np.int64), *counts])

    @property
    def tokens(self) -> dict[str, list[str]]:
        """The words of the texts, by text."""
        return dict(self._read_texts("tokens"))

    def _offer(self, run: AuditedRun | None) -> dict[str, Callable[[], Any]]:
        """Offer what a parameter may be called, and where it is had from."""
        settings, inputs = self.settings, self.job.inputs
        known = {"report": self.job.report, **settings.sections}
        if len(settings.sections) == 1:
            (values,) = settings.sections.values()
            known |= {"settings": values, **values}
        offered: dict[str, Callable[[], Any]] = {name: partial(getattr, self, name) for name in FACTS}
        offered |= {name: partial(known.__getitem__, name) for name in known}
        offered |= {
            name: partial(read_frame, self.job.input(name), artefact(declared))
            for name, declared in settings.after.items()
        }
        offered |= {name: partial(read_readout, inputs[name][0]) for name in ("base", "contrast") if inputs.get(name)}
        if run:
            offered["selection"] = lambda: run.selection
            offered["evidence"] = lambda: self.evidence[run.hierarchical]
        return offered

    def call(self, *first: Any, run: AuditedRun | None = None) -> Any:
        """Call the function with `first` and with what its further parameters ask.

        Raises AuditError where it has a parameter that nothing is offered for.
        """
        offered, arguments = self._offer(run), {}
        for name in list(self.parameters)[len(first) :]:
            if name in offered:
                value, kind = offered[name](), self.hints.get(name)
                if isinstance(kind, type) and issubclass(kind, Section):
                    value = kind.model_validate(value)
                arguments[name] = value
            elif self.parameters[name].default is inspect.Parameter.empty:
                raise AuditError(
                    f"{self.settings.target}: nothing is offered for its parameter {name!r} (offered: "
                    f"{', '.join(offered)}); see stages/audits.py, and `settings` and `after` of its entry in "
                    "plan/audits.yaml"
                )
        return self.function(*first, **arguments)

    @cached_property
    def searched_lambdas(self) -> dict[tuple[int, int], float]:
        """The lambdas that searches by continuation used, by seed and step; step 0 is the chosen one."""
        rows = [row for path in self.job.inputs["search"] for row in read_table(path, SEARCH).to_pylist()]
        chosen = {(row["seed"], 0): row["lambda"] for row in rows if row["chosen"]}
        return {(row["seed"], row["step"]): row["lambda"] for row in rows} | chosen

    def find_lambda(self, run: AuditedRun) -> float | None:
        """Find the lambda of a run, None where it is no consistent adversary."""
        return run.lambda_ if run.searched is None else self.searched_lambdas[run.seed, run.searched]

    def find_lack(self, run: AuditedRun, readout: Readout | None = None) -> str:
        """Say what the audit needs and a run, or its texts, have not; "" where they have all. Without a readout, only
        what is known before one is read.
        """
        needs, model, dataset = self.settings.needs, run.model, self.settings.dataset
        unmarked = "marks" in needs and not (self.evidence[False] or self.rationales)
        settings = self.settings
        lacks = {
            f"a network that can be run again, and of {model} only readouts are given": (
                "network" in needs and not (settings.architectures or settings.classifiers)
            ),
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
                    "states" in needs and bool(settings.classifiers or readout.several)
                ),
                f"several heads of attention, and {model} has one": "heads" in needs and readout.several is None,
            }
        return next((reason for reason, lacking in lacks.items() if lacking), "")

    def refuses(self, run: AuditedRun, readout: Readout | None = None) -> bool:
        """Find whether a run lacks something, and keep the reason for the file."""
        if lack := self.find_lack(run, readout):
            self.reasons.append(f"needs {lack}")
        return bool(lack)

    def label(self, run: AuditedRun, columns: Columns) -> pa.Table:
        """Return what the function says of a run, as rows of the audit's file."""
        identity = {"model": run.model, "lambda": self.find_lambda(run), "seed": run.seed, "other": run.other}
        return label_columns(self.kind, {"dataset": self.settings.dataset, **identity}, columns)

    def ask(self) -> Iterator[pa.Table]:
        """Ask the whole suite, or one run after another, in one part or in several; as rows of the audit's file."""
        takes, inputs = self.settings.takes, self.job.inputs
        if takes == "suite":
            if self.refuses(self.settings.runs[0]):
                return
            yield label_columns(self.kind, {"dataset": self.settings.dataset}, self.call())
            return
        read_against = lru_cache(1)(read_readout)
        paths = inputs["readouts"]
        for run, path, other in zip(self.settings.runs, paths, inputs.get("against", paths), strict=True):
            texts, against = 0, [read_against(other)] if takes == "readout_pair" else []
            if self.refuses(run):
                continue
            for part in read_readouts(path) if takes == "batch" else [read_readout(path)]:
                if self.refuses(run, part):
                    break
                yield self.label(run, self.call(*against, part, run=run))
                texts += len(part)
            lambda_ = self.find_lambda(run)
            shown = "" if lambda_ is None else f", lambda {lambda_:.3g}"
            earlier = "" if run.other is None else f" against {run.other}"
            self.job.report(f"{run.model}{shown}, seed {run.seed}{earlier}: {texts} texts")

    def write(self, rows: Iterable[pa.Table]) -> None:
        """Write the audit's file, with the reason where it has no rows."""
        path, tables = self.job.output(self.settings.audit), iter(rows)
        first = next(tables, None)
        if first is None:
            write_reason(path, self.kind, self.job.provenance, self.reasons[0])
        else:
            write_batches(path, self.kind, chain([first], tables), self.job.provenance)


def write_reason(path: Path, kind: Artefact, provenance: Provenance, reason: str) -> None:
    """Write a file without rows, whose provenance says why."""
    told = replace(provenance, settings={**provenance.settings, "reason": reason})
    write_batches(path, kind, [kind.schema.empty_table()], told)


def split_audits(job: Job[AuditsJob]) -> Iterator[AuditRunner]:
    """Yield the audits of a job, one after another."""
    for gathered in job.settings.audits:
        asked = gathered.audit
        inputs = {name: [job.inputs[name][place] for place in places] for name, places in gathered.inputs.items()}
        provenance = Provenance("audit", asked.model_dump(mode="json"), gathered.code)
        yield AuditRunner(Job(asked, inputs, job.outputs, provenance, job.report, job.threads))


def write_unasked(job: Job[AuditsJob]) -> None:
    """Write the files without rows."""
    for unasked in job.settings.unasked:
        told = replace(job.provenance, settings=unasked.model_dump())
        write_reason(job.output(unasked.audit), artefact(unasked.columns), told, unasked.reason)


def run(job: Job[AuditsJob]) -> None:
    """Make all audits, one after another."""
    write_unasked(job)
    for runner in split_audits(job):
        torch.set_num_threads(runner.settings.threads)
        job.report(runner.settings.audit)
        runner.write(runner.ask())
