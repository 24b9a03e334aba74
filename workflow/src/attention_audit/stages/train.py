"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of a model, the head of one of
pairs and the tail of a Transformer, which are empty for other models.

Training and reading out share a process, since the imports of another would cost more than reading most models out.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import write_weights
from attention_audit.columns.files import HEAD, HISTORY, READOUT
from attention_audit.errors import add_place
from attention_audit.model.batch import Split, require_part
from attention_audit.model.network import Network, predict_split
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.readout import Readout, build_head_columns
from attention_audit.scores import accuracy, roc_auc
from attention_audit.training.loop import TrainingResult, fit, measure_loss
from attention_audit.training.settings import TrainSettings

from .job import Job
from .loading import build_model, build_split, prepare_device, read_material
from .network_readout import take_classifier, take_head, take_maps, take_readout


class ModelFiles(NamedTuple):
    """The files of one of the models that a job makes. tail: of a Transformer classifier, empty of other models."""

    weights: Path
    history: Path
    readouts: list[Path]
    tail: Path | None = None


def sort_by_model(outputs: Mapping[str, list[Path]]) -> list[ModelFiles]:
    """Sort the outputs of a job by the model in their paths: <model>/seed<seed>.<kind>, <model>/seed<seed>/<split>."""
    readouts = [[*paths] for _, paths in groupby(outputs["readouts"], key=lambda path: path.parent.parent.name)]
    columns = [outputs["weights"], outputs["history"], readouts, *filter(None, [outputs.get("tail")])]
    return [ModelFiles(*files) for files in zip(*columns, strict=True)]


def score_model(model: Network, split: Split, measure: Literal["roc_auc", "accuracy"]) -> float:
    """Score a model by its ROC-AUC or accuracy on a split; NaN where it predicts no numbers any more."""
    predicted = predict_split(model, split)
    if not np.isfinite(predicted).all():
        return math.nan
    return roc_auc(split.labels, predicted) if measure == "roc_auc" else accuracy(split.labels, predicted.argmax(1))


def write_history(path: Path, trained: TrainingResult, provenance: Provenance) -> None:
    """Write how a training went, a row an epoch."""
    rows = [epoch._asdict() | {"selected": epoch.epoch == trained.selected} for epoch in trained.history]
    write_table(path, HISTORY, pa.Table.from_pylist(rows, schema=HISTORY.schema), provenance)


class Trainer:
    """What trainings and searches have in common: the texts of a job, the splits that a model is trained on, and how
    models are built, trained and written.
    """

    def __init__(self, job: Job[Any]) -> None:
        self.settings: TrainSettings = job.settings
        settings, self.provenance, self.report = self.settings, job.provenance, job.report
        self.device = prepare_device(settings.device, settings.threads)
        liar = settings.objective.kind == "deception"
        self.material = read_material(job.inputs, settings.architecture, liar, settings.anonymised)
        for name, texts in self.material.splits.items():
            if texts.pieces is not None:
                job.report(texts.pieces.describe(name))
        # each readout is named after the split that it holds
        reference = {path.stem: path for path in job.inputs.get("reference", [])}
        self.splits = {
            name: build_split(texts, self.device, reference.get(name), settings.special_tokens)
            for name, texts in self.material.splits.items()
        }

    def build(self, start: Path | None = None) -> Network:
        """Build the model, with the first weights of its seed or with those of a file."""
        return build_model(self.material, self.settings.architecture, self.settings.seed, start).to(self.device)

    def train(self, model: Network, report: Callable[[str], None]) -> TrainingResult:
        """Train a model that has the first weights of its seed.

        Raises AuditError, naming data set, model and seed, where the loss or the score is no number any more.
        """
        settings, recipe = self.settings, self.settings.optimisation
        texts = np.bincount(self.material.splits["train"].labels, minlength=self.material.classes)
        sizes = texts.tolist() if recipe.class_weights else None
        loss = partial(measure_loss, objective=settings.objective, sizes=sizes)
        selected = recipe.choose_split(settings.objective)
        score = (
            None if selected == "train" else partial(score_model, split=self.splits[selected], measure=recipe.measure)
        )
        lambda_ = "" if settings.objective.lambda_ is None else f", lambda {settings.objective.lambda_:g}"
        with add_place(f"{settings.dataset}, {settings.model}, seed {settings.seed}{lambda_}"):
            return fit(
                model,
                self.splits["train"],
                loss,
                recipe,
                epochs=settings.epochs,
                seed=settings.seed,
                report=report,
                score=score,
                patience=settings.patience,
            )

    def keep(self, model: Network, trained: TrainingResult, files: ModelFiles) -> None:
        """Write a training, and read its model out; the model has its weights then."""
        self.write(files, trained)
        model.load_state_dict(trained.weights)
        self.read_out(model, files.readouts, files.tail)

    def write(self, files: ModelFiles, trained: TrainingResult) -> None:
        """Write the weights and the history of a training."""
        write_weights(files.weights, trained.weights, self.provenance)
        write_history(files.history, trained, self.provenance)

    def write_nothing(self, files: ModelFiles) -> None:
        """Write the files of a model that this data set has not, and another one of the run has: without rows."""
        self.write(files, TrainingResult({}, [], 0))
        if files.tail:
            write_weights(files.tail, {}, self.provenance)
        for path in files.readouts:
            write_table(path, READOUT, READOUT.schema.empty_table(), self.provenance)

    def read_out(self, model: Network, paths: Sequence[Path], tail: Path | None = None) -> None:
        """Write the readouts of a model, one a split, whose file has its name.

        tail: of a Transformer classifier, of which what its heads attend to, and further maps, are kept of the test
        split alone; empty of other models. Raises AuditError where the tail and the model disagree.
        """
        tensors: dict[str, Tensor] = {}
        for path in paths:
            texts, kind = self.material.splits[path.stem], READOUT
            readouts: Iterable[Readout]
            if not isinstance(model, FineTuned):
                readouts = [take_readout(model, self.splits[path.stem], texts.ids)]
            else:
                pieces = require_part(texts.pieces, "pieces")
                readouts = take_maps(model.eval(), pieces, texts.ids, texts.labels)
                if path.stem == "test":
                    classes = range(self.material.classes)
                    readout = take_classifier(model, pieces, texts.ids, texts.labels, classes, maps=self.settings.maps)
                    readouts = [readout]
                    kind, tensors = readout.kind, readout.attending.tail.pack() if readout.attending else {}
            write_batches(path, kind, (table for part in readouts for table in part.tables()), self.provenance)
        if tail is not None:
            write_weights(tail, tensors, self.provenance)

    def tell(self) -> None:
        """Say how many texts each split has and, with a GPU, how much of its memory was in use at most."""
        self.report(f"{', '.join(f'{name} {len(split)}' for name, split in self.splits.items())} texts")
        if self.device.type == "cuda":
            self.report(f"peak GPU memory {torch.cuda.max_memory_allocated(self.device) / 2**20:.0f} MiB")


def run(job: Job[TrainSettings]) -> None:
    """Train the model, and read it out on every split that is asked for."""
    trainer = Trainer(job)
    model = trainer.build()
    (files,) = sort_by_model(job.outputs)
    trainer.keep(model, trainer.train(model, job.report), files)
    for head in job.outputs.get("head", []):
        write_table(head, HEAD, build_head_columns(take_head(model)), job.provenance)
    trainer.tell()
