"""Texts and settings -> the trained weights of one seed: all of a training job that decides what the weights are."""

import math
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from attention_audit.errors import AuditError
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, predict_split
from attention_audit.scores import accuracy, roc_auc
from attention_audit.stages.loading import Material
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
    Objective,
    TrainSettings,
)


def selection_score(split: Split, measure: Literal["roc_auc", "accuracy"]) -> Score:
    """ROC-AUC or accuracy on a split; NaN where the model predicts no numbers any more."""
    labels = split.labels

    def score(model: Network) -> float:
        predicted = predict_split(model, split)
        if not np.isfinite(predicted).all():
            return math.nan
        return roc_auc(labels, predicted) if measure == "roc_auc" else accuracy(labels, predicted.argmax(1))

    return score


def loss_of(objective: Objective, labels: LabelLoss) -> Loss:
    """The loss of an objective. Raises ValueError for that of a search, whose steps have a lambda each."""
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
    loss, split = loss_of(settings.objective, labels), recipe.selected_on(settings.objective)
    score = None if split == "train" else selection_score(splits[split], recipe.measure)
    try:
        return fit(model, splits["train"], loss, recipe, settings.epochs, seed, report, score, settings.patience)
    except AuditError as error:
        lambda_ = settings.objective.lambda_
        told = "" if lambda_ is None else f", lambda {lambda_:g}"
        raise AuditError(f"{settings.dataset}, {settings.model}, seed {seed}{told}, {error}") from error
