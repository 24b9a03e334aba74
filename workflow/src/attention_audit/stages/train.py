"""corpus, vocabulary (, readout of another model) -> weights and history, one pair a seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
import torch

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.weights import write_weights
from attention_audit.columns.training import HISTORY
from attention_audit.errors import AuditError
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import predict_split
from attention_audit.scores import accuracy, roc_auc
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_model, build_split, by_split, prepare_device, read_material
from attention_audit.training.loop import Trained, fit
from attention_audit.training.objective import ConsistentAdversary, LabelLoss, Objective
from attention_audit.training.settings import TrainSettings


def selection_score(split: Split, measure: Literal["roc_auc", "accuracy"]) -> Callable[[Network], float]:
    """ROC-AUC or accuracy on a split; NaN where the model predicts no numbers any more."""
    labels = split.labels

    def score(model: Network) -> float:
        predicted = predict_split(model, split)
        if not np.isfinite(predicted).all():
            return math.nan
        return roc_auc(labels, predicted) if measure == "roc_auc" else accuracy(labels, predicted.argmax(1))

    return score


def _report(job: Job, where: str, line: str) -> None:
    job.report(f"{where} {line}")


def run(job: Job) -> None:
    """Train the model with each of its seeds, one after another, and write what each ends with."""
    settings = TrainSettings.model_validate(job.settings)
    recipe = settings.optimisation
    device = prepare_device(settings)
    material = read_material(job.input("corpus"), job.input("vocabulary"), settings.architecture)
    references = by_split(job.inputs.get("reference", []))
    train = build_split(material.splits["train"], device, references.get("train"))
    objective: Objective
    if settings.lambda_ is not None:
        objective, score = ConsistentAdversary(settings.lambda_), None
    else:
        split = build_split(material.splits[recipe.selection], device, references.get(recipe.selection))
        objective = LabelLoss(material.class_sizes if recipe.class_weights else None)
        score = selection_score(split, recipe.measure)
    outputs = zip(settings.seeds, job.outputs["weights"], job.outputs["history"], strict=True)
    for number, (seed, weights, history) in enumerate(outputs, start=1):
        where = f"seed {seed} ({number}/{len(settings.seeds)})"
        model = build_model(material, settings.architecture, seed).to(device)
        try:
            trained = fit(
                model,
                train,
                objective,
                recipe,
                settings.epochs,
                seed,
                partial(_report, job, where),
                score,
                settings.patience,
            )
        except AuditError as error:
            lambda_ = "" if settings.lambda_ is None else f", lambda {settings.lambda_:g}"
            raise AuditError(f"{settings.dataset}, {settings.model}, seed {seed}{lambda_}, {error}") from error
        write_weights(weights, trained.weights, job.provenance, seed)
        write_table(history, HISTORY, history_columns(trained), job.provenance, seed)
    if device.type == "cuda":
        job.report(f"peak GPU memory {torch.cuda.max_memory_allocated(device) / 2**20:.0f} MiB")


def history_columns(trained: Trained) -> dict[str, list[float] | list[int] | list[bool]]:
    """Columns of columns.HISTORY."""
    return {
        "epoch": [epoch.epoch for epoch in trained.history],
        "loss": [epoch.loss for epoch in trained.history],
        "score": [epoch.score for epoch in trained.history],
        "selected": [epoch.epoch == trained.selected for epoch in trained.history],
    }
