"""The audits on readouts, and exact contributions: by hand, by autograd, and against scipy."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from readouts import make_heads, make_pairs, make_readout, readout_of
from scipy.stats import kendalltau

from attention_audit.audits.answers import Training
from attention_audit.audits.attention_maps import ModelReading, choose_texts, list_words
from attention_audit.audits.batches import draw_orders, permute_weights
from attention_audit.audits.comparison import compare_maps, consistency
from attention_audit.audits.contributions import compute_kendall, contributions
from attention_audit.audits.erasure import find_contributions
from attention_audit.audits.performance import performance, predictions
from attention_audit.audits.permutation import permutation
from attention_audit.audits.plausibility import evidence_mass
from attention_audit.audits.settings import AttentionMaps, AuditedTraining, Permutation
from attention_audit.divergence import LN2
from attention_audit.errors import AuditError
from attention_audit.padded import PaddedReadout
from attention_audit.readout import read_heads


def two_texts(attention, positive):
    """Two texts, a and b, with these weights and probabilities of class 1."""
    probabilities = np.array([[1 - p, p] for p in positive], np.float32)
    return replace(
        make_readout([*map(len, attention)]),
        ids=["a", "b"],
        labels=np.array([1, 0]),
        predictions=probabilities.argmax(1),
        probabilities=probabilities,
        attention=[np.array(weights, np.float32) for weights in attention],
    )


BASE = two_texts([[1, 0], [0.5, 0.25, 0.25]], [0.9, 0.4])
OTHER = two_texts([[0.5, 0.5], [0.5, 0.25, 0.25]], [0.3, 0.4]).align(["b", "a"])
FIRST = 0.5 * math.log(4 / 3) + 0.25 * (math.log(2 / 3) + math.log(2))
"""The JSD of the first text."""


def test_comparison_by_hand():
    columns = compare_maps(BASE, OTHER, Permutation(permutations=20, seed=1))
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


def test_the_top_item_may_differ():
    turned = two_texts([[0, 1], [0.25, 0.25, 0.5]], [0.9, 0.4])
    assert not compare_maps(BASE, turned, Permutation(permutations=2, seed=1))["same_top"].any()


def test_consistency_is_the_mean_of_the_comparison():
    columns = consistency(BASE, OTHER, Permutation(permutations=20, seed=1))
    # the base model predicts another class of each text
    assert columns["tvd"] == pytest.approx([0.3], abs=1e-6)
    assert columns["jsd"] == pytest.approx([FIRST / 2], abs=1e-9)


def test_predictions_are_those_of_the_readout():
    columns = predictions(two_texts([[1, 0], [0.5, 0.25, 0.25]], [0.4, 0.6]))
    assert columns["id"] == ["a", "b"]
    assert columns["label"].tolist() == [1, 0]
    assert columns["prediction"].tolist() == [0, 1]


def test_evidence_by_hand():
    readout = two_texts([[0.7, 0.3], [0.5, 0.2, 0.3]], [0.9, 0.4])
    columns = evidence_mass(readout, {"b": [0, 2]})
    assert columns["id"] == ["b"]
    assert columns["label"].tolist() == [0]
    assert columns["evidence_mass"] == pytest.approx([0.8])
    assert columns["uniform_mass"] == pytest.approx([2 / 3])


def test_performance_by_hand():
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


def test_performance_of_many_classes_is_the_macro_average():
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


def test_maps_choose_asked_texts_then_a_typical_one_then_the_furthest_right_ones():
    readout = make_readout([12] * 8)
    predictions = np.array([0, 1] * 4)
    labels = predictions.copy()
    labels[7] = 0  # wrong, so never automatic
    readout = replace(readout, predictions=predictions, labels=labels)
    moved = np.arange(8) / 10
    chosen = choose_texts(readout, [moved], AttentionMaps(automatic=3, instances=["text-1", "elsewhere"]))
    # text-3 is in the middle of those that are right; text-6 is of the other class
    assert chosen == ["text-1", "text-3", "text-6", "text-5"]


def test_maps_have_a_row_a_word_and_reading():
    training = Training(AuditedTraining(model="adversary", seed=3), lambda_=0.5)
    reading = ModelReading("base", training, BASE.attention, np.array([0.0, LN2]), BASE.probabilities)
    columns = list_words(BASE, ["b"], [reading, reading], {"b": ["x", "y", "z"]})
    assert columns["token"] == ["x", "y", "z"] * 2
    assert columns["position"] == [0, 1, 2] * 2
    assert columns["attention"] == [0.5, 0.25, 0.25] * 2
    assert set(columns["jsd"]) == {LN2}
    assert {*zip(columns["model"], columns["lambda"], columns["seed"], strict=True)} == {("adversary", 0.5, 3)}


def test_a_missing_text_is_named():
    with pytest.raises(AuditError, match="text 'text-2' is missing"):
        compare_maps(make_readout([3, 4, 5]), make_readout([3, 4]), Permutation(permutations=2, seed=5))


@given(st.integers(0, 50))
def test_a_map_is_no_further_from_itself_than_from_its_shuffles(seed):
    readout = make_readout([6], seed=seed)
    found = compare_maps(readout, readout, Permutation(permutations=10, seed=seed))
    assert found["jsd"][0] == 0 <= found["chance_jsd"][0] <= LN2


def text(attention, values):
    """One text of two classes; the logit of class 1 is sum a_t z_t."""
    return readout_of([attention], [values], [0.0])


def test_contributions_by_hand():
    """The logit is 0.5 x 2 - 0.25 x 1 + 0.25 x 4 = 1.75, so each word adds a_t z_t (1 - p)."""
    columns = contributions(text([0.5, 0.25, 0.25], [2, -1, 4]))
    p = 1 / (1 + math.exp(-1.75))
    assert columns["items"].tolist() == [3]
    assert columns["prediction"].tolist() == [1]
    # of equal weights the earlier word comes first
    assert columns["top_items"][0].tolist() == [0, 1, 2]
    assert columns["top_weights"][0].tolist() == [0.5, 0.25, 0.25]
    assert columns["top_contributions"][0] == pytest.approx(np.array([1, -0.25, 1]) * (1 - p))
    assert columns["against"] == pytest.approx([0.25])
    assert columns["magnitude"] == pytest.approx([2.25 * (1 - p)])
    # of |c| = 1, 1/4, 1 and a = 1/2, 1/4, 1/4: one of three pairs agrees, and each ties one
    assert columns["tau"] == pytest.approx([1 / 2])
    assert columns["overlap"].tolist() == [1]
    # without the first word the others weigh a half each: -1/2 + 2
    assert columns["top_fall"] == pytest.approx([p - 1 / (1 + math.exp(-1.5))])
    assert columns["top_flips"] == [False]


def test_a_top_word_may_speak_against_the_prediction():
    columns = contributions(text([0.6, 0.4], [-1, 3]))
    assert columns["against"] == pytest.approx([0.6])
    assert columns["top_fall"] == pytest.approx([1 / (1 + math.exp(-0.6)) - 1 / (1 + math.exp(-3))])
    assert columns["top_fall"][0] < 0
    # the same words speak the other way where the other class is predicted
    turned = contributions(text([0.6, 0.4], [1, -3]))
    for name in ("against", "top_fall", "tau"):
        assert turned[name] == pytest.approx(columns[name])
    assert turned["top_contributions"][0] == pytest.approx(columns["top_contributions"][0])


def test_a_text_of_one_word_has_nothing_to_erase_or_to_order():
    columns = contributions(text([1], [2]))
    assert columns["items"].tolist() == [1]
    assert np.isnan([*columns["tau"], *columns["top_fall"]]).all()
    assert columns["top_flips"] == [None]
    assert columns["overlap"].tolist() == [1]
    assert columns["top_items"][0].tolist() == [0]


@pytest.mark.parametrize("outputs", [1, 3, 8])
def test_each_text_has_its_own_numbers(outputs):
    """The definitions, text by text, with a gradient by autograd and tau by scipy."""
    readout = make_readout([7, 1, 12, 2, 30, 7], outputs, seed=outputs)
    columns = contributions(readout)
    assert columns["id"] == readout.ids
    for i, items in enumerate(readout.lengths):
        weights = torch.tensor(readout.attention[i], dtype=torch.float64, requires_grad=True)
        logits = weights @ torch.tensor(readout.contribution[i]).double() + torch.tensor(readout.bias[i]).double()
        logits = logits if outputs > 1 else torch.cat([logits.new_zeros(1), logits])
        (slope,) = torch.autograd.grad(logits.log_softmax(0).max(), weights)
        # p_m moves by p_m (z_tm - sum p_c z_tc), and its logarithm by what is in brackets
        exact, attention = (slope * weights).detach().numpy(), weights.detach().numpy()
        tau = kendalltau(attention, np.abs(exact)).statistic if items > 1 else np.nan
        assert columns["tau"][i] == pytest.approx(tau, nan_ok=True)
        k = min(5, int(items))
        tops = [np.argsort(-scores, kind="stable")[:k] for scores in (attention, np.abs(exact))]
        assert columns["overlap"][i] == pytest.approx(len(set(tops[0]) & set(tops[1])) / k)
        assert columns["against"][i] == pytest.approx(attention[exact < 0].sum())
        assert columns["top_items"][i].tolist() == tops[0].tolist()
        assert columns["top_weights"][i] == pytest.approx(attention[tops[0]])
        assert columns["top_contributions"][i] == pytest.approx(exact[tops[0]])


def test_contributions_keep_their_digits_where_the_prediction_is_all_but_certain():
    """At a logit of 60, 1 - p is 9e-27; and 1 - p, reckoned from p, would be 0."""
    values = torch.tensor([[[1.0], [-2.0]]]).double()
    half, bias = torch.tensor([[0.5, 0.5]]).double(), torch.tensor([[60.0]]).double()
    found = find_contributions(PaddedReadout(np.arange(1), half, values, bias, torch.tensor([2])))
    assert found[0].tolist() == pytest.approx([0.5 * math.exp(-59.5), -math.exp(-59.5)], rel=1e-9)
    three = torch.cat([torch.zeros(1, 2, 2), values], -1)
    shift = torch.tensor([[0.0, -1000.0, 60.0]]).double()
    same = find_contributions(PaddedReadout(np.arange(1), half, three, shift, torch.tensor([2])))
    torch.testing.assert_close(same, found)


def test_pairs_have_none():
    (texts,) = make_pairs([4]).batches(torch.float64)
    assert find_contributions(texts) is None


@given(st.integers(0, 1000))
def test_tau_is_scipys(seed):
    """With ties of all kinds."""
    random = np.random.default_rng(seed)
    one, other = random.integers(0, 4, (2, random.integers(1, 9))).astype(float)
    defined = np.ptp(one) > 0 and np.ptp(other) > 0
    expected = kendalltau(one, other).statistic if defined else np.nan
    assert compute_kendall([(one, other)]).tolist() == pytest.approx([expected], nan_ok=True)


@pytest.mark.parametrize("marks", [True, False])
def test_marks_of_a_transformer_are_permuted_only_where_that_is_asked(marks):
    """Words whose weights are all alike, so that nothing moves but by the two marks at the end of each text."""
    readout = make_heads(lengths := [7, 5, 6], marks=2, seed=6)
    weights = [np.tile([[0.05]] * (items - 2) + [[0.7], [0.1]], 3).astype(np.float32) for items in lengths]
    several = replace(readout.several, weights=[rows / rows.sum(0) for rows in weights])
    found = permutation(read_heads(readout.ids, readout.labels, several), Permutation(permutations=9, marks=marks))
    moved = [(found[name] > 1e-6).all() for name in ("median_tvd", "mean_tvd", "chance_jsd")]
    still = [(found[name] < 1e-6).all() for name in ("median_tvd", "mean_tvd", "chance_jsd")]
    assert (all(moved), all(still)) == (marks, not marks)


def test_permutations_are_counted_one_by_one():
    readout, settings = make_readout([6, 5, 7], seed=3), Permutation(permutations=7, seed=4)
    found = permutation(readout, settings)
    (texts,) = readout.batches(torch.float64)
    orders = draw_orders(texts, readout.ids, settings.permutations, settings.seed)
    for text, (weights, contribution, bias) in enumerate(
        zip(readout.attention, readout.contribution, readout.bias, strict=True)
    ):
        row = texts.members.tolist().index(text)
        shuffled = permute_weights(texts.attention, orders)[:, row, : len(weights)].numpy()
        before, *after = (1 / (1 + np.exp(-(each @ contribution + bias)[0])) for each in (weights, *shuffled))
        distances = [abs(each - before) for each in after]
        assert found["mean_tvd"][text] == pytest.approx(np.mean(distances), abs=1e-6)
        assert found["median_tvd"][text] == pytest.approx(np.median(distances), abs=1e-6)
        assert found["flips"][text] == np.mean([(each > 0.5) != (before > 0.5) for each in after])


def test_all_predicted_classes_count_alike_in_consistency():
    base = make_readout([4] * 30, outputs=3, seed=8)
    other = make_readout([4] * 30, outputs=3, seed=9)
    settings = Permutation(permutations=2, seed=1)
    moved = compare_maps(base, other, settings)["tvd"]
    means = [moved[base.predictions == number].mean() for number in np.unique(base.predictions)]
    assert np.mean(means) != pytest.approx(moved.mean(), abs=1e-4)
    assert consistency(base, other, settings)["tvd"] == pytest.approx([np.mean(means)])
