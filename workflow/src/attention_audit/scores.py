"""Scores of predictions against gold labels. Training selects epochs by them, and tables show them.

The values equal those of scikit-learn bit by bit; importing scikit-learn would cost every training and every audit two
seconds.
"""

import math
from statistics import fmean

import numpy as np
import numpy.typing as npt

from attention_audit.arrays import Flags, Integers


def _area(positive: Flags, scores: npt.NDArray[np.floating]) -> float:
    """Area under the ROC curve, from (N,), (N,); at least one text is positive, and at least one is not."""
    order = np.argsort(-scores, kind="stable")
    # texts of equal scores are one step of the curve
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = positive[order].cumsum(dtype=np.float64)[last]
    misses = 1 + last - hits
    corner = (np.diff(misses, 2) != 0) | (np.diff(hits, 2) != 0)
    kept = np.concatenate(([True], corner, [True])) if len(last) > 2 else np.full(len(last), True)
    false, true = (np.append(0.0, counts[kept]) for counts in (misses, hits))
    return float(np.trapezoid(true / true[-1], false / false[-1]))


def roc_auc(labels: Integers, probabilities: npt.NDArray[np.floating]) -> float:
    """Area under the ROC curve, from (N,), (N, C).

    Of two classes, the positive one's; of more, the mean of each class against the rest. The mean is over the classes
    that occur in `labels`, since a small split may lack some. NaN where all labels are the same.
    """
    classes = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    areas = [
        _area(labels == number, probabilities[:, number])
        for number in classes
        if 0 < np.count_nonzero(labels == number) < len(labels)
    ]
    return float(fmean(areas)) if areas else math.nan


def _f1_of(number: int, labels: Integers, predictions: Integers) -> float:
    """F1 of one class, 0 where it occurs neither in `labels` nor in `predictions`."""
    named = np.count_nonzero(labels == number) + np.count_nonzero(predictions == number)
    return 2 * np.count_nonzero((labels == number) & (predictions == number)) / named if named else 0.0


def macro_f1(labels: Integers, predictions: Integers) -> float:
    """F1 as the mean over the classes that occur in `labels` or in `predictions`, from (N,), (N,)."""
    numbers = np.union1d(labels, predictions).tolist()
    return float(np.mean([_f1_of(number, labels, predictions) for number in numbers]))


def f1(labels: Integers, predictions: Integers, classes: int) -> float:
    """F1 as in the papers, from (N,), (N,): of two classes, the positive one's; of more, `macro_f1`.

    0 where it is undefined.
    """
    return _f1_of(1, labels, predictions) if classes == 2 else macro_f1(labels, predictions)


def accuracy(labels: Integers, predictions: Integers) -> float:
    """Share of correct predictions, from (N,), (N,)."""
    return float(np.mean(labels == predictions))
