"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of a model, the head of one of
pairs and the tail of a Transformer, which are empty for other models.

Training and reading out share a process, since the imports of another would cost more than reading most models out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import torch

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.weights import write_weights
from attention_audit.columns.files import HEAD, HISTORY, READOUT
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.model.network import Network
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.readout import head_columns
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, build_split, prepare_device, read_material
from attention_audit.stages.reading_classifiers import take_classifier, take_maps, take_word_maps
from attention_audit.stages.reading_out import take_head, take_readout
from attention_audit.stages.training import train
from attention_audit.training.loop import Trained
from attention_audit.training.settings import MaskedSettings

Settings = TrainJob

JobT = TypeVar("JobT", TrainJob, SearchJob, MaskedSettings)


class Trainer:
    """What trainings and searches have in common: the texts of a job, the splits that a model is trained on, and how
    models are written.
    """

    def __init__(self, job: Job[JobT]) -> None:
        self.provenance = job.provenance
        self.device = prepare_device(job.settings.device, job.settings.threads)
        self.material = read_material(
            job.input("corpus"),
            job.input("vocabulary"),
            job.settings.architecture,
            job.settings.objective.kind == "deception",
            job.inputs,
            job.settings.anonymised,
        )
        for name, texts in self.material.splits.items():
            if texts.pieces is not None:
                job.report(texts.pieces.told(name))
        # each readout is named after the split that it holds
        reference = {path.stem: path for path in job.inputs.get("reference", [])}
        self.splits = {
            name: build_split(texts, self.device, reference.get(name), job.settings.special_tokens)
            for name, texts in self.material.splits.items()
        }

    def write(self, weights: Path, history: Path, trained: Trained) -> None:
        """Write the weights and the history of a training."""
        write_weights(weights, trained.weights, self.provenance)
        rows = [asdict(epoch) | {"selected": epoch.epoch == trained.selected} for epoch in trained.history]
        table = pa.Table.from_pylist(rows, schema=HISTORY.schema)
        write_table(history, HISTORY, table, self.provenance)

    def write_nothing(self, weights: Path, history: Path, readouts: Sequence[Path], tail: Path | None) -> None:
        """Write the files of a model that this data set has not, and another one of the run has: without rows."""
        for path in (weights, *([tail] if tail else [])):
            write_weights(path, {}, self.provenance)
        write_table(history, HISTORY, HISTORY.schema.empty_table(), self.provenance)
        for path in readouts:
            write_table(path, READOUT, READOUT.schema.empty_table(), self.provenance)

    def read_out(
        self, model: Network, paths: Sequence[Path], tail: Path | None = None, maps: Sequence[str] = ()
    ) -> None:
        """Write the readouts of a model, one a split, whose file has its name.

        tail: of a Transformer classifier; empty of other models. maps: further ones of it, on the test split.
        """
        if isinstance(model, FineTuned):
            self.read_out_heads(model, paths, tail, maps)
            return
        if tail is not None:
            write_weights(tail, {}, self.provenance)
        for path in paths:
            readout = take_readout(model, self.splits[path.stem], self.material.splits[path.stem].ids)
            write_batches(path, READOUT, readout.tables(), self.provenance)

    def read_out_heads(self, model: FineTuned, paths: Sequence[Path], tail: Path | None, maps: Sequence[str]) -> None:
        """Write the readouts of a classifier and its tail: what its heads attend to is kept of the test split alone.

        Raises AuditError where the tail and the model disagree.
        """
        model.eval()
        for path in paths:
            texts = self.material.splits[path.stem]
            if texts.pieces is None:
                raise ValueError("a classifier is read out from pieces")
            labels = np.asarray(texts.labels)
            if path.stem != "test":
                parts = take_maps(model, texts.pieces, texts.ids, labels)
                write_batches(path, READOUT, (table for part in parts for table in part.tables()), self.provenance)
                continue
            readout = take_classifier(model, texts.pieces, texts.ids, labels, range(self.material.classes))
            readout = replace(readout, maps=take_word_maps(model, texts.pieces, maps))
            write_batches(path, readout.kind, readout.tables(), self.provenance)
            if tail is not None and readout.attending is not None:
                write_weights(tail, readout.attending.tail.tensors(), self.provenance)

    def told(self, report: Callable[[str], None]) -> None:
        """Say how many texts each split has and, with a GPU, how much of its memory was in use at most."""
        report(f"{', '.join(f'{name} {len(split)}' for name, split in self.splits.items())} texts")
        if self.device.type == "cuda":
            report(f"peak GPU memory {torch.cuda.max_memory_allocated(self.device) / 2**20:.0f} MiB")


class ModelFiles(NamedTuple):
    """The files of one of the models that a job makes."""

    weights: Path
    history: Path
    readouts: list[Path]
    tail: Path | None


def by_model(outputs: Mapping[str, list[Path]]) -> list[ModelFiles]:
    """Sort the outputs of a job by the model in their paths: <model>/seed<seed>.<kind>, <model>/seed<seed>/<split>."""
    tails = outputs.get("tail", [None] * len(outputs["weights"]))
    read = {name: [*paths] for name, paths in groupby(outputs["readouts"], key=lambda path: path.parent.parent.name)}
    return [
        ModelFiles(weights, history, read[weights.parent.name], tail)
        for weights, history, tail in zip(outputs["weights"], outputs["history"], tails, strict=True)
    ]


def run(job: Job[TrainJob]) -> None:
    """Train the model, and read it out on every split that is asked for."""
    trainer, settings = Trainer(job), job.settings
    model = build_model(trainer.material, settings.architecture, settings.seed).to(trainer.device)
    trained = train(model, settings, trainer.material, trainer.splits, job.report)
    trainer.write(job.output("weights"), job.output("history"), trained)
    model.load_state_dict(trained.weights)
    (tail,) = job.outputs.get("tail", [None])
    trainer.read_out(model, job.outputs["readouts"], tail, settings.maps)
    for head in job.outputs.get("head", []):
        write_table(head, HEAD, head_columns(take_head(model)), job.provenance)
    trainer.told(job.report)
