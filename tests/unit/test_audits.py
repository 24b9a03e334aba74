"""The audits on readouts, by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from readouts import make_readout

from attention_audit.audits.attention_maps import Reading, choose_texts, list_words
from attention_audit.audits.comparison import compare_maps, consistency
from attention_audit.audits.performance import performance, predictions
from attention_audit.audits.plausibility import evidence_mass
from attention_audit.audits.settings import AttentionMaps
from attention_audit.divergence import LN2
from attention_audit.errors import AuditError
from attention_audit.readout import Readout


def two_texts(attention: list[list[float]], positive: list[float]) -> Readout:
    """Two texts, a and b, with these weights and probabilities of class 1."""
    probabilities = np.array([[1 - p, p] for p in positive], dtype=np.float32)
    return Readout(
        ["a", "b"],
        np.array([1, 0]),
        probabilities.argmax(1),
        probabilities,
        [np.array(weights, dtype=np.float32) for weights in attention],
        [np.zeros((len(weights), 1), dtype=np.float32) for weights in attention],
        np.zeros((2, 1), dtype=np.float32),
    )


BASE = two_texts([[1, 0], [0.5, 0.25, 0.25]], [0.9, 0.4])
OTHER = two_texts([[0.5, 0.5], [0.5, 0.25, 0.25]], [0.3, 0.4]).align(["b", "a"])
FIRST = 0.5 * math.log(4 / 3) + 0.25 * (math.log(2 / 3) + math.log(2))
"""The JSD of the first text."""


def test_comparison_by_hand() -> None:
    columns = compare_maps(BASE, OTHER, permutations=20, seed=1)
    assert columns["id"] == ["a", "b"]
    assert columns["jsd"].tolist() == pytest.approx([FIRST, 0], abs=1e-12)
    assert columns["tvd"].tolist() == pytest.approx([0.6, 0], abs=1e-6)
    assert columns["decision_flip"].tolist() == [True, False]
    # of equal weights the earlier counts
    assert columns["same_top"].tolist() == [True, True]
    assert columns["base_prediction"].tolist() == [1, 0]
    assert columns["base_max_attention"].tolist() == [1, 0.5]
    # weights that are alike are the same in any order; of the others, a third of the orders has the first one first
    assert columns["chance_jsd"][0] == pytest.approx(FIRST, abs=1e-9)
    swapped = 0.5 * ((0.5 * math.log(0.5 / 0.375) + 0.25 * math.log(0.25 / 0.375)) * 2)
    assert 0 < columns["chance_jsd"][1] < swapped


def test_the_top_item_may_differ() -> None:
    turned = two_texts([[0, 1], [0.25, 0.25, 0.5]], [0.9, 0.4])
    assert not compare_maps(BASE, turned, permutations=2, seed=1)["same_top"].any()


def test_consistency_is_the_mean_of_the_comparison() -> None:
    columns = consistency(BASE, OTHER, permutations=20, seed=1)
    # the base model predicts another class of each text
    assert columns["tvd"] == pytest.approx([0.3], abs=1e-6)
    assert columns["jsd"] == pytest.approx([FIRST / 2], abs=1e-9)


def test_predictions_are_those_of_the_readout() -> None:
    columns = predictions(two_texts([[1, 0], [0.5, 0.25, 0.25]], [0.4, 0.6]))
    assert columns["id"] == ["a", "b"]
    assert columns["label"].tolist() == [1, 0]
    assert columns["prediction"].tolist() == [0, 1]


def test_evidence_by_hand() -> None:
    readout = two_texts([[0.7, 0.3], [0.5, 0.2, 0.3]], [0.9, 0.4])
    columns = evidence_mass(readout, {"b": [0, 2]})
    assert columns["id"] == ["b"]
    assert columns["label"].tolist() == [0]
    assert columns["evidence_mass"] == pytest.approx([0.8])
    assert columns["uniform_mass"] == pytest.approx([2 / 3])


def test_performance_by_hand() -> None:
    readout = make_readout([2] * 6)
    positive = np.array([0.9, 0.8, 0.7, 0.4, 0.2, 0.1])
    readout = replace(
        readout,
        labels=np.array([1, 0, 1, 1, 0, 0]),
        predictions=(positive > 0.5).astype(int),
        probabilities=np.stack([1 - positive, positive], 1).astype(np.float32),
    )
    # two of three positives found, one false; of nine pairs the order is wrong in two
    columns = performance(readout, "dev")
    assert columns["metric"] == ["f1", "accuracy", "roc_auc"]
    assert columns["value"] == pytest.approx([2 / 3, 4 / 6, 7 / 9])
    assert (columns["selection"], columns["classes"]) == (["dev"] * 3, [2] * 3)


def test_performance_of_many_classes_is_the_macro_average() -> None:
    readout = make_readout([2] * 4, outputs=3)
    probabilities = np.eye(3, dtype=np.float32)[[0, 1, 2, 1]]
    readout = replace(
        readout, labels=np.array([0, 1, 2, 2]), predictions=probabilities.argmax(1), probabilities=probabilities
    )
    columns = performance(readout, "test")
    values = dict(zip(columns["metric"], columns["value"], strict=True))
    assert values["f1"] == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)
    assert values["accuracy"] == 0.75
    assert columns["classes"] == [3] * 3


def test_maps_choose_asked_texts_then_a_typical_one_then_the_furthest_right_ones() -> None:
    readout = make_readout([12] * 8)
    predictions = np.array([0, 1] * 4)
    labels = predictions.copy()
    labels[7] = 0  # wrong, so never automatic
    readout = replace(readout, predictions=predictions, labels=labels)
    moved = np.arange(8) / 10
    chosen = choose_texts(readout, [moved], AttentionMaps(automatic=3, instances=["text-1", "elsewhere"]))
    # text-3 is in the middle of those that are right; text-6 is of the other class
    assert chosen == ["text-1", "text-3", "text-6", "text-5"]


def test_maps_have_a_row_a_word_and_reading() -> None:
    base = two_texts([[1, 0], [0.5, 0.25, 0.25]], [0.9, 0.4])
    reading = Reading("base", base.attention, np.array([0.0, LN2]), base.probabilities)
    columns = list_words(base, ["b"], [reading, reading], {"b": ["x", "y", "z"]})
    assert columns["token"] == ["x", "y", "z"] * 2
    assert columns["position"] == [0, 1, 2] * 2
    assert columns["attention"] == [0.5, 0.25, 0.25] * 2
    assert set(columns["jsd"]) == {LN2}


def test_texts_are_matched_by_id() -> None:
    first, other = make_readout([3, 5, 4, 2]), make_readout([3, 5, 4, 2], seed=1)
    turned = compare_maps(first, other.align(other.ids[::-1]), 20, 5)
    for name, values in compare_maps(first, other, 20, 5).items():
        assert list(values) == list(turned[name])


def test_a_missing_text_is_named() -> None:
    with pytest.raises(AuditError, match="text 'text-2' is missing"):
        compare_maps(make_readout([3, 4, 5]), make_readout([3, 4]), 2, 5)


@given(st.integers(0, 50))
def test_a_map_is_no_further_from_itself_than_from_its_shuffles(seed: int) -> None:
    readout = make_readout([6], seed=seed)
    found = compare_maps(readout, readout, 10, seed)
    assert found["jsd"][0] == 0 <= found["chance_jsd"][0] <= LN2
