"""Scores of predictions against gold labels; they select epochs and fill the tables."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score


def roc_auc(labels: npt.NDArray[np.int64], probabilities: npt.NDArray[np.floating]) -> float:
    """Area under the ROC curve, (N,), (N, C): of the positive class of two, or the macro average, one against the rest.

    The average is over the classes that `labels` hold: a small split may lack some. NaN where all labels are the same.
    """
    classes = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    areas = [
        roc_auc_score(labels == number, probabilities[:, number])
        for number in classes
        if 0 < np.count_nonzero(labels == number) < len(labels)
    ]
    return float(fmean(areas)) if areas else math.nan


def f1(labels: npt.NDArray[np.int64], predictions: npt.NDArray[np.int64], classes: int) -> float:
    """F1, (N,), (N,): of the positive class of two, as in the papers, or the macro average; 0 where undefined.

    The average is over the classes that `labels` or `predictions` hold.
    """
    return float(f1_score(labels, predictions, average="binary" if classes == 2 else "macro", zero_division=0))


def accuracy(labels: npt.NDArray[np.int64], predictions: npt.NDArray[np.int64]) -> float:
    """Share of right predictions, (N,), (N,)."""
    return float(accuracy_score(labels, predictions))
