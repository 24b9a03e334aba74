"""Kendall's tau, overlap of the highest tokens and agreement, by hand; and attributions word by word."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from readouts import make_readout
from scipy.stats import spearmanr
from small_networks import model_of, random_texts, split_of

from attention_audit.audits.attributed import AttributedTexts, Attributions
from attention_audit.audits.correlation import (
    agreement,
    attribution_stability,
    compute_tau,
    correlation,
    share_highest,
    word_attributions,
)
from attention_audit.audits.gradients import compute_gradients
from attention_audit.audits.settings import Agreement, Correlation, Deletion, Erasure
from attention_audit.batching import sample_indices


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([1, 2, 3, 4], [1, 2, 4, 3], 4 / 6),
        # five pairs in order and none out of it; the first has a tie among its six
        ([1, 1, 2, 3], [1, 2, 3, 4], 5 / (5 * 6) ** 0.5),
    ],
)
def test_tau_by_hand(first, second, expected):
    assert compute_tau(first, second)[0] == pytest.approx(expected)


def test_the_p_value_is_that_of_all_orders():
    # of the 24 orders of four tokens one agrees fully, and one not at all
    assert compute_tau([1, 2, 3, 4], [1, 2, 3, 4])[1] == pytest.approx(2 / 24)


@pytest.mark.parametrize(("first", "second"), [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0, 0, 0]), ([1], [2])])
def test_what_has_no_order_has_no_tau(first, second):
    assert np.isnan(compute_tau(first, second)).all()


@pytest.mark.parametrize(("top", "expected"), [(1, 0.0), (2, 0.5), (3, 1.0), (4, np.nan)])
def test_overlap_by_hand(top, expected):
    first, second = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.3, 0.1, 0.5, 0.1])
    assert share_highest(first, second, top) == pytest.approx(expected, nan_ok=True)


def test_of_equals_the_first_tokens_are_higher():
    assert share_highest(np.array([0.5, 0.5, 0.0]), np.zeros(3), 2) == 1


def attributed(readout, **scores):
    """A readout with attributions of its texts."""
    return Attributions(readout, scores, integrated=dict.fromkeys(range(len(readout)), np.zeros(3)))


def test_correlation_has_a_row_a_pair_and_text():
    attention = [np.array(weights, np.float32) for weights in ([0.2, 0.3, 0.5], [1.0])]
    readout = replace(make_readout([3, 1]), attention=attention, predictions=np.array([1, 0]))
    scores = {"gradient": np.array([1.0, 2, 3]), "gradient_attached": np.array([3.0, 2, 1]), "loo": np.ones(3)}
    texts = attributed(readout, **{name: [values, values[:1]] for name, values in scores.items()})
    columns = correlation(texts, Correlation(top_k=2))
    assert columns["pair"][::2] == columns["pair"][1::2]
    assert columns["pair"][::2] == [
        "attention~gradient",
        "attention~gradient_attached",
        "attention~loo",
        "gradient~loo",
    ]
    assert columns["id"] == ["text-0", "text-1"] * 4
    assert columns["prediction"] == [1, 0] * 4
    assert columns["tokens"] == [3, 1] * 4
    assert_allclose(columns["tau"][::2], [1, -1, np.nan, np.nan])
    assert np.isnan(columns["tau"][1::2]).all()
    assert np.isnan(columns["p"]).tolist() == np.isnan(columns["tau"]).tolist()
    assert_allclose(columns["top_k_overlap"][::2], [1, 0.5, 0.5, 0.5])
    assert np.isnan(columns["top_k_overlap"][1::2]).all()


def test_agreement_is_the_mean_over_texts_with_an_order():
    rising, swapped, flat = np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), np.zeros(3)
    readout = replace(make_readout([3] * 3), attention=[rising.astype(np.float32)] * 3)
    columns = agreement(attributed(readout, b=[rising, swapped, flat]))
    assert columns["first"] == ["attention", "attention", "b"]
    assert columns["second"] == ["b", "integrated_gradients", "integrated_gradients"]
    assert_allclose(columns["tau"], [(1 + 1 / 3) / 2, np.nan, np.nan])
    assert columns["texts"] == [2, 0, 0]


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(3, 5, [0, 1, 2]), (5, 5, [0, 1, 2, 3, 4]), (10, 4, [0, 2, 5, 7]), (0, 4, [])]
)
def test_a_sample_is_evenly_spread(count, most, expected):
    assert sample_indices(count, most).tolist() == expected


LENGTHS = [5, 1, 3, 8]
TEXTS = random_texts(LENGTHS, seed=1)
SAMPLE = Agreement(texts=2, steps=4)
"""Evenly spread, the texts 0 and 2."""


def read(**further):
    readout = make_readout(LENGTHS, outputs=3)
    return AttributedTexts(model_of(), split_of(TEXTS), readout, lambda line: None, SAMPLE, **further)


def by_text(columns, name):
    rows = zip(columns["id"], columns["attribution"], columns["scores"], strict=True)
    return {id_: scores for id_, attribution, scores in rows if attribution == name}


def test_every_word_has_the_values_that_the_audits_measure():
    texts = read()
    columns = word_attributions(texts.keep(["word_attributions"], marked=False), Deletion())
    assert {len(values) for values in columns.values()} == {4 + 4 + 2}
    assert [*map(len, texts.deletions.falls)] == LENGTHS
    chosen, gains = texts.integrated_gradients
    assert chosen.tolist() == [0, 2]
    expected = {
        "loo": texts.deletions.falls,
        "gradient": compute_gradients(texts.model, texts.split),
        "integrated_gradients": [gains[member] for member in chosen],
    }
    for name, scores in expected.items():
        found = by_text(columns, name)
        assert [*found] == (["text-0", "text-2"] if name == "integrated_gradients" else texts.readout.ids)
        for ours, theirs in zip(found.values(), scores, strict=True):
            assert_allclose(ours, theirs, rtol=1e-5)


def test_where_fewer_texts_are_asked_leave_one_out_is_known_of_the_sample():
    texts = read(deletion=Deletion(texts=3))
    columns = word_attributions(texts.keep(["word_attributions"], marked=False), Deletion(texts=3))
    assert [*by_text(columns, "loo")] == ["text-0", "text-2"]
    assert len(by_text(columns, "gradient")) == len(TEXTS)
    assert "deletions" not in vars(texts)


def test_another_training_orders_words_alike_or_not():
    split, readouts = split_of(TEXTS), [make_readout(LENGTHS, outputs=3, seed=seed) for seed in (2, 3)]
    both = [
        AttributedTexts(model_of(seed=seed), split, readout, lambda line: None, SAMPLE).keep(
            ["attribution_stability", "word_attributions"], marked=False
        )
        for seed, readout in enumerate(readouts, start=11)
    ]
    columns = attribution_stability(*both, Deletion(), Erasure())
    rows = {row[:2]: row[2] for row in zip(*(columns[name] for name in ("id", "map", "rho")), strict=True)}
    # the second text has one word, and integrated gradients are of the first and the third
    assert {id_ for id_, _ in rows} == {"text-0", "text-2", "text-3"}
    assert {id_ for id_, name in rows if name == "integrated_gradients"} == {"text-0", "text-2"}
    words = [word_attributions(attributions, Deletion()) for attributions in both]
    for name in ("loo", "integrated_gradients"):
        one, other = (by_text(columns, name)["text-2"] for columns in words)
        assert rows["text-2", name] == pytest.approx(spearmanr(one, other).statistic)
    # the product orders words as their exact contributions do
    exact = []
    for readout in readouts:
        predicted, z = readout.probabilities[2], readout.contribution[2]
        exact.append(readout.attention[2] * (z[:, predicted.argmax()] - z @ predicted))
    assert rows["text-2", "product"] == pytest.approx(spearmanr(*exact).statistic)


def test_of_many_equal_scores_the_earlier_count_as_higher():
    # so many that a sort which is not stable takes them in another order
    highest = np.tile([1.0, 0.0], 100)
    first_ten = np.isin(np.arange(200), np.arange(0, 20, 2)).astype(float)
    assert share_highest(highest, first_ten, 10) == 1
