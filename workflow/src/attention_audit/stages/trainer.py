"""What trainings and searches have in common: their texts, weights that may be kept, and readouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from torch import Tensor

from attention_audit.artefacts.parquet import made_by, read_table, write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import weights_made_by, write_weights
from attention_audit.columns.readout import READOUT
from attention_audit.columns.training import HISTORY
from attention_audit.corpus.text import SPLITS
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.model.batch import Split
from attention_audit.model.fine_tuned import FineTuned
from attention_audit.model.network import Network
from attention_audit.stages.device import prepare_device
from attention_audit.stages.job import Job
from attention_audit.stages.loading import (
    build_split,
    by_split,
    of_transformer,
    read_material,
    values_checksum,
)
from attention_audit.stages.reading_classifiers import take_classifier, take_maps
from attention_audit.stages.reading_out import take_readout
from attention_audit.training.loop import Epoch, Trained

JobT = TypeVar("JobT", TrainJob, SearchJob)
KEPT = "weights of an earlier run, made of the same data with the same settings and code"


def history_columns(trained: Trained) -> dict[str, list[float] | list[int] | list[bool]]:
    """Columns of columns.training:HISTORY."""
    return {
        "epoch": [epoch.epoch for epoch in trained.history],
        "loss": [epoch.loss for epoch in trained.history],
        "score": [epoch.score for epoch in trained.history],
        "selected": [epoch.epoch == trained.selected for epoch in trained.history],
    }


def trained_of(rows: list[dict[str, Any]], weights: dict[str, Tensor]) -> Trained:
    """The training that these rows of columns.training:HISTORY and these weights are of."""
    (selected,) = (row["epoch"] for row in rows if row["selected"])
    return Trained(weights, [Epoch(row["epoch"], row["loss"], row["score"]) for row in rows], selected)


def reporter(job: Job[JobT], where: str) -> Callable[[str], None]:
    """What reports a line after saying where."""
    return lambda line: job.report(f"{where} {line}")


class Trainer:
    """The texts of a job, the files that its seeds are trained on, and what has been made of them before.

    Seeds are numbered from 1, in the order of the settings.
    """

    def __init__(self, job: Job[JobT]) -> None:
        self.inputs = job.inputs
        self.made = job.provenance
        self.code, self.marks = job.settings.training_code, job.settings.marks
        self.checksum = cache(values_checksum)  # several seeds may be trained on the same readouts
        self.device = prepare_device(job.settings)
        self.material = read_material(
            job.input("corpus"),
            job.input("vocabulary"),
            job.settings.architecture,
            job.settings.deceptive,
            of_transformer(job.inputs),
            job.settings.anonymised,
        )
        for name, texts in self.material.splits.items():
            if texts.pieces is not None:
                job.report(texts.pieces.told(name))
        self.reference: list[Path] | None = None
        self.splits: dict[str, Split] = {}

    def references(self, number: int) -> list[Path]:
        """The readouts that a seed is trained on, one a split; often none."""
        return self.inputs.get("reference", [])[len(SPLITS) * (number - 1) : len(SPLITS) * number]

    def provenance(self, number: int) -> Provenance:
        """What decides the weights of a seed: less code than decides readouts, and of the inputs only the values, so
        that a reference readout made again with the same values trains nothing.
        """
        inputs = {**self.inputs, "reference": self.references(number)}
        if "start" in inputs:
            inputs["start"] = inputs["start"][number - 1 : number]
        sums = {name: [self.checksum(path) for path in paths] for name, paths in inputs.items()}
        return replace(self.made, code=self.code, inputs=sums)

    def prepare(self, number: int) -> None:
        """Put the splits that a seed is trained on into `splits`."""
        reference = self.references(number)
        if reference == self.reference:
            return
        self.splits = {}  # frees the last ones first, since two of them may not fit
        by_name = by_split(reference)
        self.splits = {
            name: build_split(texts, self.device, by_name.get(name), self.marks)
            for name, texts in self.material.splits.items()
        }
        self.reference = reference

    def kept(self, number: int, seed: int, weights: Path, history: Path) -> Trained | None:
        """The training of an earlier run, where nothing has changed that decides its weights; else None."""
        provenance = self.provenance(number)
        if not made_by(history, HISTORY, provenance, seed):
            return None
        chosen = weights_made_by(weights, provenance, seed)
        return None if chosen is None else trained_of(read_table(history, HISTORY).to_pylist(), chosen)

    def keep(self, number: int, seed: int, weights: Path, history: Path, trained: Trained) -> None:
        """Write the weights and the history of a training."""
        provenance = self.provenance(number)
        write_weights(weights, trained.weights, provenance, seed)
        write_table(history, HISTORY, history_columns(trained), provenance, seed)

    def read_out(self, model: Network, seed: int, paths: list[Path], tail: Path | None = None) -> None:
        """Write the readouts of a model, one a split, whose file has its name.

        tail: of a Transformer classifier, which has one.
        """
        if isinstance(model, FineTuned):
            self.read_out_heads(model, seed, paths, tail)
            return
        for path in paths:
            readout = take_readout(model, self.splits[path.stem], self.material.splits[path.stem].ids)
            write_batches(path, READOUT, readout.tables(), self.made, seed)

    def read_out_heads(self, model: FineTuned, seed: int, paths: list[Path], tail: Path | None) -> None:
        """Write the readouts of a classifier and its tail: what its heads attend to is kept of the test split alone.

        Raises AuditError where the tail and the model disagree.
        """
        model.eval()
        for path in paths:
            texts = self.material.splits[path.stem]
            if texts.pieces is None or tail is None:
                raise ValueError("a classifier is read out from pieces, with a tail")
            labels = np.asarray(texts.labels)
            if path.stem != "test":
                maps = take_maps(model, texts.pieces, texts.ids, labels)
                write_batches(path, READOUT, (table for part in maps for table in part.tables()), self.made, seed)
                continue
            readout = take_classifier(model, texts.pieces, texts.ids, labels, range(self.material.classes))
            write_batches(path, readout.kind, readout.tables(), self.made, seed)
            if readout.attending is not None:
                write_weights(tail, readout.attending.tail.tensors(), self.made, seed)

    @property
    def texts(self) -> str:
        """How many texts each split has, as a line of the log."""
        return f"{', '.join(f'{name} {len(split)}' for name, split in self.splits.items())} texts"
