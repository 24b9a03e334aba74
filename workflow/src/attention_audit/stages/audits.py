"""readouts (, corpus, other audits) -> audits of one model that need no network, one file each.

Those that it is not asked, or cannot be, have a file without rows, whose provenance says why.

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
from functools import cached_property, partial
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.artefacts.parquet import read_batches, read_frame, read_table, write_batches, write_table
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

Settings = AuditsJob

Columns = Mapping[str, Any]
"""Columns of an audit but for those that say what was audited."""


def read_rationales(corpus: Path, split: str = "test") -> dict[str, Rationale]:
    """What is marked in the texts of a split, by id; only texts in which somebody marked words, or none.

    Raises AuditError where the file is damaged.
    """
    found: dict[str, Rationale] = {}
    for table in read_batches(corpus, CORPUS, ["id", "split", "annotators", "marks", "scores"]):
        known = table.filter(pc.and_(pc.equal(table["split"], split), pc.is_valid(table["annotators"])))
        for row in known.to_pylist():
            marks = dict(zip(row["annotators"], row["marks"], strict=True))
            found[row["id"]] = Rationale(marks, row["scores"])
    return found


def word_counts(corpus: Path) -> dict[str, npt.NDArray[np.int64]]:
    """How often the training split has each word of the marked texts of the test split, by id; nothing where there is
    no training split.

    Raises AuditError where the file is damaged.
    """
    counts: Counter[str] = Counter()
    for table in read_batches(corpus, CORPUS, ["split", "tokens"]):
        tokens = table.filter(pc.equal(table["split"], "train"))["tokens"].combine_chunks().flatten()
        for row in pc.value_counts(tokens).to_pylist():
            counts[row["values"]] += row["counts"]
    if not counts:
        return {}
    found: dict[str, npt.NDArray[np.int64]] = {}
    for table in read_batches(corpus, CORPUS, ["id", "split", "annotators", "tokens"]):
        known = table.filter(pc.and_(pc.equal(table["split"], "test"), pc.is_valid(table["annotators"])))
        for id_, words in zip(known["id"].to_pylist(), known["tokens"].to_pylist(), strict=True):
            found[id_] = np.array([counts[word] for word in words], np.int64)
    return found


def sentences_of(positions: list[int], starts: list[int]) -> list[int]:
    """The sentences that hold any of these tokens, each once; `starts` are those of all sentences."""
    return sorted(set((np.searchsorted(starts, positions, side="right") - 1).tolist()))


def labelled(kind: Artefact, identity: Mapping[str, Any], columns: Columns) -> pa.Table:
    """Columns, which may have no row at all, as rows of `kind`, each with the identity of what was audited."""
    rows = len(next(iter(columns.values())))
    values = {name: [value] * rows for name, value in identity.items()} | dict(columns)
    arrays = [pa.array(values[field.name], field.type, from_pandas=True) for field in kind.schema]
    return pa.Table.from_arrays(arrays, schema=kind.schema)


class Asking:
    """One job: its audit's function, and all that it may be called with."""

    def __init__(self, job: Job[AuditJob]) -> None:
        self.job = job
        self.settings = job.settings
        self.kind = artefact(job.settings.columns)
        self.function: Callable[..., Any] = load(job.settings.target)
        self.parameters = inspect.signature(self.function).parameters
        self.hints = get_type_hints(self.function)

    def _section(self, parameter: str, values: dict[str, Any]) -> Any:
        annotated = self.hints.get(parameter)
        if isinstance(annotated, type) and issubclass(annotated, Section):
            return annotated.model_validate(values)
        return values

    def _texts(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Of every text its id and these columns, which are named in the order of the file."""
        for table in read_batches(self.job.input("corpus"), CORPUS, ["id", *columns]):
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)

    @cached_property
    def evidence(self) -> dict[bool, dict[str, list[int]]]:
        """Positions of the known evidence by text: of tokens (False), and of sentences (True)."""
        known = [row for row in self._texts("sentences", "evidence") if row[-1] is not None]
        sentences = {id_: sentences_of(positions, starts or [0]) for id_, starts, positions in known}
        return {False: {id_: positions for id_, _, positions in known}, True: sentences}

    @cached_property
    def blocked(self) -> dict[str, list[int]]:
        """Positions of the impermissible words, by the text for which they are named."""
        return {id_: positions for id_, positions in self._texts("blocked") if positions is not None}

    @cached_property
    def rationales(self) -> dict[str, Rationale]:
        """The words that somebody marked, by text."""
        return read_rationales(self.job.input("corpus"))

    @cached_property
    def frequency(self) -> dict[str, npt.NDArray[np.int64]]:
        """How often the training split has each word of the texts in which somebody marked words, by text."""
        return word_counts(self.job.input("corpus"))

    @cached_property
    def occurrences(self) -> npt.NDArray[np.int64]:
        """How often the training split has the word of each row of the embedding; none where models have no such."""
        paths = self.job.inputs.get("vocabulary", [])
        counts = [read_table(path, VOCABULARY)["train_count"].to_numpy() for path in paths]
        return np.concatenate([np.empty(0, np.int64), *counts])

    def tokens(self) -> dict[str, list[str]]:
        """The words of the texts, by text."""
        return dict(self._texts("tokens"))

    def _offered(self, run: AuditedRun | None) -> dict[str, Callable[[], Any]]:
        """What a parameter may be called, and where it is had from."""
        settings, inputs = self.settings, self.job.inputs
        offered: dict[str, Callable[[], Any]] = {"report": lambda: self.job.report, "tokens": self.tokens}
        offered |= {
            name: partial(getattr, self, name) for name in ("blocked", "rationales", "frequency", "occurrences")
        }
        offered |= {key: partial(self._section, key, values) for key, values in settings.sections.items()}
        if len(settings.sections) == 1:
            (values,) = settings.sections.values()
            offered["settings"] = partial(self._section, "settings", values)
            offered |= {name: partial(values.__getitem__, name) for name in values}
        offered |= {
            name: partial(read_frame, self.job.input(name), artefact(declared))
            for name, declared in settings.after.items()
        }
        offered |= {name: partial(read_readout, inputs[name][0]) for name in ("base", "contrast") if inputs.get(name)}
        if run:
            offered["selection"] = lambda: run.selection
            offered["evidence"] = lambda: self.evidence[run.hierarchical]
        return offered

    def called(self, *first: Any, run: AuditedRun | None = None) -> Any:
        """What the function returns for `first` and for what its further parameters ask.

        Raises AuditError where it has a parameter that nothing is offered for.
        """
        offered = self._offered(run)
        further = list(self.parameters)[len(first) :]
        missing = [
            name for name in further if name not in offered and self.parameters[name].default is inspect.Parameter.empty
        ]
        if missing:
            raise AuditError(
                f"{self.settings.target}: nothing is offered for its parameter {missing[0]!r} (offered: "
                f"{', '.join(offered)}); see stages/audits.py, and `settings` and `after` of its entry in "
                "plan/audits.yaml"
            )
        return self.function(*first, **{name: offered[name]() for name in further if name in offered})

    @cached_property
    def sought(self) -> dict[tuple[int, int], float]:
        """The lambdas that searches by continuation used, by seed and step; step 0 is the chosen one."""
        rows = [row for path in self.job.inputs["search"] for row in read_table(path, SEARCH).to_pylist()]
        chosen = {(row["seed"], 0): row["lambda"] for row in rows if row["chosen"]}
        return {(row["seed"], row["step"]): row["lambda"] for row in rows} | chosen

    def lambda_of(self, run: AuditedRun) -> float | None:
        """The lambda of a run, None where it is no consistent adversary."""
        return run.lambda_ if run.searched is None else self.sought[run.seed, run.searched]

    def identity(self, run: AuditedRun) -> dict[str, Any]:
        """The columns that say what was audited."""
        return {
            "dataset": self.settings.dataset,
            "model": run.model,
            "lambda": self.lambda_of(run),
            "seed": run.seed,
            "other": run.other,
        }

    def columns_of_runs(self) -> Iterator[tuple[AuditedRun, Columns]]:
        """What the function says of every run, in one part or in several."""
        paths = self.job.inputs["readouts"]
        others = self.job.inputs.get("against", paths)
        against: dict[str, Readout] = {}
        for run, path, other in zip(self.settings.runs, paths, others, strict=True):
            texts = 0
            if self.settings.takes == "batch":
                for part in read_readouts(path):
                    yield run, self.called(part, run=run)
                    texts += len(part)
            else:
                readout = read_readout(path)
                texts = len(readout)
                if self.settings.takes == "readout_pair":
                    if str(other) not in against:
                        against = {str(other): read_readout(other)}
                    yield run, self.called(against[str(other)], readout, run=run)
                else:
                    yield run, self.called(readout, run=run)
            lambda_ = self.lambda_of(run)
            shown = "" if lambda_ is None else f", lambda {lambda_:.3g}"
            earlier = "" if run.other is None else f" against {run.other}"
            self.job.report(f"{run.model}{shown}, seed {run.seed}{earlier}: {texts} texts")

    def labelled(self, run: AuditedRun, columns: Columns) -> pa.Table:
        """What the function says of a run, as rows of the audit's file."""
        return labelled(self.kind, self.identity(run), columns)

    def rows(self) -> Iterator[pa.Table]:
        """What the function says of the whole suite, or of one run after another, as rows of the audit's file."""
        if self.settings.takes == "suite":
            yield labelled(self.kind, {"dataset": self.settings.dataset}, self.called())
        else:
            yield from (self.labelled(run, columns) for run, columns in self.columns_of_runs())

    def write(self, rows: Iterable[pa.Table]) -> None:
        """Write the audit's file."""
        write_batches(self.job.output(self.settings.audit), self.kind, rows, self.job.provenance)


def split_audits(job: Job[AuditsJob]) -> Iterator[Asking]:
    """The audits of a job, one after another."""
    for gathered in job.settings.audits:
        asked = gathered.audit
        inputs = {name: [job.inputs[name][place] for place in places] for name, places in gathered.inputs.items()}
        outputs = {asked.audit: job.outputs[asked.audit]}
        provenance = Provenance("audit", asked.model_dump(mode="json"), gathered.code)
        yield Asking(Job(asked, inputs, outputs, provenance, job.report, job.threads))


def write_unasked(job: Job[AuditsJob]) -> None:
    """Write the files without rows."""
    for unasked in job.settings.unasked:
        kind, provenance = artefact(unasked.columns), replace(job.provenance, settings=unasked.model_dump())
        write_table(job.output(unasked.audit), kind, kind.schema.empty_table(), provenance)


def run(job: Job[AuditsJob]) -> None:
    """Make all audits, one after another."""
    write_unasked(job)
    for asking in split_audits(job):
        torch.set_num_threads(asking.settings.threads)
        job.report(asking.settings.audit)
        asking.write(asking.rows())
