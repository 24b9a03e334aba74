"""Scores of predictions against gold labels. Training selects epochs by them, and tables show them."""

import math
from statistics import fmean

import numpy as np

from attention_audit.arrays import Array, Integers


def roc_auc(labels: Integers, probabilities: Array) -> float:
    """Compute the area under the ROC curve, from (N,), (N, C).

    Of two classes, the positive one's; of more, the mean of each class against the rest. The mean is over the classes
    that occur in `labels`, since a small split may lack some. NaN where all labels are the same.

    The area is the share of the pairs of a text of the class and another one in which the former has the higher
    probability, where equal ones count half (Mann & Whitney 1947). By ranks that takes .07 ms a split of movies, where
    a curve by scikit-learn took 1.78.
    """
    from scipy.stats import rankdata

    classes = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    positive = {number: labels == number for number in classes}
    areas = []
    for number, mask in positive.items():
        texts, others = int(mask.sum()), int((~mask).sum())
        if texts and others:
            ranks = rankdata(probabilities[:, number])[mask].sum()
            areas.append((ranks - texts * (texts + 1) / 2) / (texts * others))
    return fmean(areas) if areas else math.nan


def macro_f1(labels: Integers, predictions: Integers) -> float:
    """Compute F1 as the mean over the classes that occur in `labels` or in `predictions`, from (N,), (N,); or as the
    mean over K labels, from rows of 0 and 1, (N, K), (N, K).
    """
    from sklearn.metrics import f1_score

    return float(f1_score(labels, predictions, average="macro", zero_division=0))


def micro_f1(labels: Integers, predictions: Integers) -> float:
    """Compute F1 over all labels of all texts together, from rows of 0 and 1, (N, K), (N, K); 0 where it is
    undefined.
    """
    from sklearn.metrics import f1_score

    return float(f1_score(labels.ravel(), predictions.ravel(), zero_division=0))


def compute_f1(labels: Integers, predictions: Integers, classes: int) -> float:
    """Compute F1 as in the papers, from (N,), (N,): of two classes, the positive one's; of more, `macro_f1`.

    0 where it is undefined.
    """
    from sklearn.metrics import f1_score

    if classes > 2:
        return macro_f1(labels, predictions)
    return float(f1_score(labels == 1, predictions == 1, zero_division=0))


def accuracy(labels: Integers, predictions: Integers) -> float:
    """Compute the share of correct predictions, from (N,), (N,)."""
    return float(np.mean(labels == predictions))
