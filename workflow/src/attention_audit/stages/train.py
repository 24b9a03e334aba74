"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of a model (, the head of one of
pairs, the tail of a Transformer).

Training and reading out share a process, since the imports of another would cost more than reading most models out.
They still have their own reasons to run again: weights whose settings, code and inputs are the same as before are kept,
so that a change in how models are read out trains nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import torch

from attention_audit.artefacts.parquet import made_by, read_table, write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.seal import values_checksum
from attention_audit.artefacts.weights import weights_made_by, write_weights
from attention_audit.columns.readout import HEAD, READOUT
from attention_audit.columns.training import HISTORY
from attention_audit.jobs.train import MaskedJob, SearchJob, TrainJob
from attention_audit.model.network import Network
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.readout import head_columns
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, build_split, prepare_device, read_material
from attention_audit.stages.reading_classifiers import take_classifier, take_maps, take_word_maps
from attention_audit.stages.reading_out import take_head, take_readout
from attention_audit.stages.training import train
from attention_audit.training.loop import Epoch, Trained

Settings = TrainJob

JobT = TypeVar("JobT", TrainJob, SearchJob, MaskedJob)
KEPT = "weights of an earlier run, made of the same data with the same settings and code"


class Trainer:
    """What trainings and searches have in common: the texts of a job, the splits that a model is trained on, and what
    has been made of them before.
    """

    def __init__(self, job: Job[JobT]) -> None:
        self.inputs = job.inputs
        self.made, self.seed = job.provenance, job.settings.seed
        self.code = job.settings.training_code
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
        reference = {path.stem: path for path in self.inputs.get("reference", [])}
        self.splits = {
            name: build_split(texts, self.device, reference.get(name), job.settings.special_tokens)
            for name, texts in self.material.splits.items()
        }

    @cached_property
    def provenance(self) -> Provenance:
        """What decides the weights: less code than decides readouts, and of the inputs only the values, so that a
        reference readout made again with the same values trains nothing.
        """
        sums = {name: [*map(values_checksum, paths)] for name, paths in self.inputs.items()}
        settings = {name: value for name, value in self.made.settings.items() if name != "maps"}
        return replace(self.made, settings=settings, code=self.code, inputs=sums)

    def kept(self, weights: Path, history: Path) -> Trained | None:
        """The training of an earlier run, where nothing has changed that decides its weights; else None."""
        if not made_by(history, HISTORY, self.provenance, self.seed):
            return None
        chosen = weights_made_by(weights, self.provenance, self.seed)
        if chosen is None:
            return None
        rows = read_table(history, HISTORY).to_pylist()
        (selected,) = (row["epoch"] for row in rows if row["selected"])
        return Trained(chosen, [Epoch(row["epoch"], row["loss"], row["score"]) for row in rows], selected)

    def keep(self, weights: Path, history: Path, trained: Trained) -> None:
        """Write the weights and the history of a training."""
        write_weights(weights, trained.weights, self.provenance, self.seed)
        rows = [asdict(epoch) | {"selected": epoch.epoch == trained.selected} for epoch in trained.history]
        table = pa.Table.from_pylist(rows, schema=HISTORY.schema)
        write_table(history, HISTORY, table, self.provenance, self.seed)

    def read_out(self, model: Network, paths: list[Path], tail: Path | None = None, maps: Sequence[str] = ()) -> None:
        """Write the readouts of a model, one a split, whose file has its name.

        tail: of a Transformer classifier, which has one. maps: further ones of it, on the test split.
        """
        if isinstance(model, FineTuned):
            self.read_out_heads(model, paths, tail, maps)
            return
        for path in paths:
            readout = take_readout(model, self.splits[path.stem], self.material.splits[path.stem].ids)
            write_batches(path, READOUT, readout.tables(), self.made, self.seed)

    def read_out_heads(self, model: FineTuned, paths: list[Path], tail: Path | None, maps: Sequence[str]) -> None:
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
                parts = take_maps(model, texts.pieces, texts.ids, labels)
                write_batches(path, READOUT, (table for part in parts for table in part.tables()), self.made, self.seed)
                continue
            readout = take_classifier(model, texts.pieces, texts.ids, labels, range(self.material.classes))
            readout = replace(readout, maps=take_word_maps(model, texts.pieces, maps))
            write_batches(path, readout.kind, readout.tables(), self.made, self.seed)
            if readout.attending is not None:
                write_weights(tail, readout.attending.tail.tensors(), self.made, self.seed)

    def told(self, report: Callable[[str], None]) -> None:
        """Say how many texts each split has and, with a GPU, how much of its memory was in use at most."""
        report(f"{', '.join(f'{name} {len(split)}' for name, split in self.splits.items())} texts")
        if self.device.type == "cuda":
            report(f"peak GPU memory {torch.cuda.max_memory_allocated(self.device) / 2**20:.0f} MiB")


def run(job: Job[TrainJob]) -> None:
    """Train the model, and read it out on every split that is asked for."""
    trainer, settings = Trainer(job), job.settings
    model = build_model(trainer.material, settings.architecture, settings.seed).to(trainer.device)
    weights, history = job.output("weights"), job.output("history")
    trained = trainer.kept(weights, history)
    if trained is None:
        trained = train(model, settings, trainer.material, trainer.splits, job.report)
        trainer.keep(weights, history, trained)
    else:
        job.report(KEPT)
    model.load_state_dict(trained.weights)
    (tail,) = job.outputs.get("tails", [None])
    trainer.read_out(model, job.outputs["readouts"], tail, settings.maps)
    for head in job.outputs.get("heads", []):
        write_table(head, HEAD, head_columns(take_head(model)), job.provenance, settings.seed)
    trainer.told(job.report)
