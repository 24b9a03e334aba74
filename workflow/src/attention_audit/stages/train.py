"""corpus, vocabulary (, readouts of another model) -> weights, history and readouts of a model, the head of one of
pairs and the tail of a Transformer, which are empty for other models.

Training and reading out share a process, since the imports of another would cost more than reading most models out.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.weights import write_weights
from attention_audit.columns.files import HEAD, HISTORY, READOUT
from attention_audit.errors import AuditError
from attention_audit.jobs.train import SearchJob, TrainJob
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, predict_split
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.readout import Readout, head_columns
from attention_audit.scores import accuracy, roc_auc
from attention_audit.stages.job import Job
from attention_audit.stages.loading import Material, build_model, build_split, prepare_device, read_material
from attention_audit.stages.reading_classifiers import take_classifier, take_maps
from attention_audit.stages.reading_out import take_head, take_readout
from attention_audit.training.loop import (
    ConsistentAdversary,
    Deception,
    Diversity,
    LabelLoss,
    Loss,
    Score,
    Trained,
    fit,
)
from attention_audit.training.settings import (
    AdversaryObjective,
    DeceptionObjective,
    DiversityObjective,
    MaskedSettings,
    Objective,
    TrainSettings,
)

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
        write_table(history, HISTORY, pa.Table.from_pylist(rows, schema=HISTORY.schema), self.provenance)

    def write_nothing(self, files: "ModelFiles") -> None:
        """Write the files of a model that this data set has not, and another one of the run has: without rows."""
        self.write(files.weights, files.history, Trained({}, [], 0))
        if files.tail:
            write_weights(files.tail, {}, self.provenance)
        for path in files.readouts:
            write_table(path, READOUT, READOUT.schema.empty_table(), self.provenance)

    def read_out(
        self, model: Network, paths: Sequence[Path], tail: Path | None = None, maps: Sequence[str] = ()
    ) -> None:
        """Write the readouts of a model, one a split, whose file has its name.

        tail: of a Transformer classifier, of which what its heads attend to is kept of the test split alone; empty of
        other models. maps: further ones of it, on the test split. Raises AuditError where the tail and the model
        disagree.
        """
        tensors: dict[str, Tensor] = {}
        for path in paths:
            texts, kind = self.material.splits[path.stem], READOUT
            readouts: Iterable[Readout]
            if not isinstance(model, FineTuned):
                readouts = [take_readout(model, self.splits[path.stem], texts.ids)]
            elif texts.pieces is None:
                raise ValueError("a classifier is read out from pieces")
            elif path.stem != "test":
                readouts = take_maps(model.eval(), texts.pieces, texts.ids, texts.labels)
            else:
                classes = range(self.material.classes)
                about = texts.pieces, texts.ids, texts.labels, classes
                readout = take_classifier(model.eval(), *about, maps=maps)
                readouts = [readout]
                kind, tensors = readout.kind, readout.attending.tail.tensors() if readout.attending else {}
            write_batches(path, kind, (table for part in readouts for table in part.tables()), self.provenance)
        if tail is not None:
            write_weights(tail, tensors, self.provenance)

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


def make_score(split: Split, measure: Literal["roc_auc", "accuracy"]) -> Score:
    """Make a score of a model: its ROC-AUC or accuracy on a split; NaN where it predicts no numbers any more."""
    labels = split.labels

    def score(model: Network) -> float:
        predicted = predict_split(model, split)
        if not np.isfinite(predicted).all():
            return math.nan
        return roc_auc(labels, predicted) if measure == "roc_auc" else accuracy(labels, predicted.argmax(1))

    return score


def make_loss(objective: Objective, labels: LabelLoss) -> Loss:
    """Make the loss of an objective. Raises ValueError for that of a search, whose steps have a lambda each."""
    match objective:
        case DiversityObjective():
            return Diversity(labels, objective.weight)
        case DeceptionObjective():
            return Deception(labels, objective.lambda_)
        case AdversaryObjective():
            if objective.lambda_ is None:
                raise ValueError("an adversary is trained with a lambda")
            return ConsistentAdversary(objective.lambda_)
    return labels


def train(
    model: Network,
    settings: TrainSettings,
    material: Material,
    splits: Mapping[str, Split],
    report: Callable[[str], None],
) -> Trained:
    """Train a model that has the first weights of its seed.

    Raises AuditError, naming data set, model and seed, where the loss or the score is no number any more.
    """
    recipe, seed = settings.optimisation, settings.seed
    labels = LabelLoss(material.class_sizes if recipe.class_weights else None)
    loss, split = make_loss(settings.objective, labels), recipe.selected_on(settings.objective)
    score = None if split == "train" else make_score(splits[split], recipe.measure)
    try:
        return fit(model, splits["train"], loss, recipe, settings.epochs, seed, report, score, settings.patience)
    except AuditError as error:
        lambda_ = settings.objective.lambda_
        told = "" if lambda_ is None else f", lambda {lambda_:g}"
        raise AuditError(f"{settings.dataset}, {settings.model}, seed {seed}{told}, {error}") from error


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
