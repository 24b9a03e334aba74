"""Scores of predictions against gold labels; they select epochs and fill the tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score


def roc_auc(labels: npt.NDArray[np.int64], probabilities: npt.NDArray[np.floating]) -> float:
    """Area under the ROC curve, (N,), (N, C): of the positive class, or the macro average of one against the rest."""
    if probabilities.shape[1] == 2:
        return float(roc_auc_score(labels, probabilities[:, 1]))
    shares = probabilities.astype(np.float64)
    return float(roc_auc_score(labels, shares / shares.sum(1, keepdims=True), multi_class="ovr"))


def f1(labels: npt.NDArray[np.int64], predictions: npt.NDArray[np.int64], classes: int) -> float:
    """F1, (N,), (N,): of the positive class of two, as in the papers, or the macro average; 0 where undefined."""
    return float(f1_score(labels, predictions, average="binary" if classes == 2 else "macro", zero_division=0))


def accuracy(labels: npt.NDArray[np.int64], predictions: npt.NDArray[np.int64]) -> float:
    """Share of right predictions, (N,), (N,)."""
    return float(accuracy_score(labels, predictions))
