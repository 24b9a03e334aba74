"""Scores of two classes and of many, against scikit-learn bit by bit."""

import math
from statistics import fmean

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from attention_audit.scores import accuracy, f1, roc_auc


@st.composite
def predicted(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Labels and predictions, (N,), and distributions, (N, classes), some of them equal; classes may be missing."""
    count, classes = draw(st.integers(1, 60)), draw(st.integers(2, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    used = draw(st.integers(1, classes))
    labels, predictions = random.integers(0, used, count), random.integers(0, draw(st.integers(1, classes)), count)
    shares = random.dirichlet(np.ones(classes), count).round(draw(st.sampled_from([1, 2, 17])))
    return labels, predictions, shares.astype(draw(st.sampled_from([np.float32, np.float64]))), classes


@given(predicted())
def test_scores_are_scikit_learns_bit_by_bit(drawn: tuple[np.ndarray, np.ndarray, np.ndarray, int]) -> None:
    labels, predictions, shares, classes = drawn
    positive = [
        number for number in range(1 if classes == 2 else 0, classes) if 0 < (labels == number).sum() < len(labels)
    ]
    areas = [roc_auc_score(labels == number, shares[:, number]) for number in positive]
    area = roc_auc(labels, shares)
    assert area == fmean(areas) if areas else math.isnan(area)
    average = "binary" if classes == 2 else "macro"
    assert f1(labels, predictions, classes) == f1_score(labels, predictions, average=average, zero_division=0)
    assert accuracy(labels, predictions) == accuracy_score(labels, predictions)
