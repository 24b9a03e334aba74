"""Scores of two classes and of many, against scikit-learn bit by bit, and by hand."""

import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from attention_audit.scores import accuracy, f1, roc_auc


def predictions_of(labels: np.ndarray, classes: int) -> np.ndarray:
    """Distributions that lean to the label, (N, classes)."""
    random = np.random.default_rng(classes)
    shares: np.ndarray = (random.dirichlet(np.ones(classes), len(labels)) + 0.2 * np.eye(classes)[labels]) / 1.2
    return shares


@pytest.mark.parametrize("classes", [2, 3, 20])
def test_roc_auc_is_scikit_learns_where_every_class_is_there(classes: int) -> None:
    labels = np.arange(200) % classes
    shares = predictions_of(labels, classes)
    expected = roc_auc_score(labels, shares[:, 1] if classes == 2 else shares, multi_class="ovr")
    assert roc_auc(labels, shares) == pytest.approx(expected, rel=1e-12)
    assert 0.6 < expected < 1


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


def test_roc_auc_averages_over_the_classes_that_are_there() -> None:
    """Class 0: of 2 x 2 pairs 3 are in order; class 2: all 4; class 1 has no text."""
    shares = np.array([[0.6, 0.2, 0.2], [0.3, 0.4, 0.3], [0.5, 0.1, 0.4], [0.1, 0.1, 0.8]])
    assert roc_auc(np.array([0, 0, 2, 2]), shares) == pytest.approx((3 / 4 + 1) / 2)


@pytest.mark.parametrize("classes", [2, 3])
def test_roc_auc_of_one_class_alone_is_undefined(classes: int) -> None:
    assert math.isnan(roc_auc(np.ones(4, np.int64), np.full((4, classes), 1 / classes)))


def test_f1_is_the_positive_classes_or_the_macro_average() -> None:
    """Two classes: precision 1/2, recall 1. Three: F1 of 2/3, 0 and 1."""
    assert f1(np.array([0, 1, 0]), np.array([1, 1, 0]), classes=2) == pytest.approx(2 / 3)
    assert f1(np.array([0, 1, 2]), np.array([0, 0, 2]), classes=3) == pytest.approx((2 / 3 + 0 + 1) / 3)


def test_accuracy_counts_what_is_right() -> None:
    assert accuracy(np.array([0, 7, 19, 3]), np.array([0, 7, 3, 3])) == 3 / 4
