"""Scores of two classes and of many, against what they are defined as."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.scores import accuracy, f1, macro_f1, roc_auc


@st.composite
def predicted(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Labels and predictions, (N,), and distributions, (N, classes), some of them equal; classes may be missing."""
    count, classes = draw(st.integers(1, 60)), draw(st.integers(2, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    used = draw(st.integers(1, classes))
    labels, predictions = random.integers(0, used, count), random.integers(0, draw(st.integers(1, classes)), count)
    shares = random.dirichlet(np.ones(classes), count).round(draw(st.sampled_from([1, 2, 17])))
    return labels, predictions, shares.astype(draw(st.sampled_from([np.float32, np.float64]))), classes


def rank_pairs(positive: np.ndarray, scores: np.ndarray) -> float:
    """Return the share of pairs of a positive and another text whose scores have the right order; equal ones: half."""
    pairs = np.sign(scores[positive][:, None] - scores[~positive])
    return float((pairs.mean() + 1) / 2)


def score_class(number: int, labels: np.ndarray, predictions: np.ndarray) -> float:
    """Compute F1 from precision and recall; 0 where one of them is undefined or both are 0."""
    hits = (labels == number) & (predictions == number)
    if not hits.any():
        return 0.0
    precision, recall = hits.sum() / (predictions == number).sum(), hits.sum() / (labels == number).sum()
    return float(2 * precision * recall / (precision + recall))


@given(predicted())
def test_scores_are_what_they_are_defined_as(drawn: tuple[np.ndarray, np.ndarray, np.ndarray, int]) -> None:
    labels, predictions, shares, classes = drawn
    positive = [labels == number for number in range(1 if classes == 2 else 0, classes)]
    areas = [
        rank_pairs(own, shares[:, -1 if classes == 2 else at])
        for at, own in enumerate(positive)
        if own.any() and not own.all()
    ]
    assert roc_auc(labels, shares) == pytest.approx(fmean(areas) if areas else np.nan, nan_ok=True)
    macro = fmean(score_class(number, labels, predictions) for number in np.union1d(labels, predictions))
    assert macro_f1(labels, predictions) == pytest.approx(macro)
    own = score_class(1, labels, predictions) if classes == 2 else macro
    assert f1(labels, predictions, classes) == pytest.approx(own)
    assert accuracy(labels, predictions) == pytest.approx(sum(labels == predictions) / len(labels))
