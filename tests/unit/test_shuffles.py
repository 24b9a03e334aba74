"""Permuted weights, and shuffles imposed on a readout: by hand, and text by text with loops."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
from readouts import make_heads, make_readout
from small_networks import model_of, split_of
from test_heads import naive, without

from attention_audit.audits.attributed import AttributedTexts
from attention_audit.audits.batches import draw_orders
from attention_audit.audits.contributions import shuffles
from attention_audit.audits.correlation import conicity
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Erasure, Permutation
from attention_audit.batching import stream
from attention_audit.divergence import jsd, tvd
from attention_audit.model.attention import measure_conicity
from attention_audit.padded import Head

ERASURE, PERMUTATION = Erasure(seed=3), Permutation(seed=8)


def by_text(columns):
    """The columns but the first, each as (1 + shuffles, texts)."""
    shape = 1 + max(columns["shuffle"]), -1
    return {name: np.reshape(values, shape) for name, values in columns.items() if name != "id"}


def drawn(id_, items, purpose, seed, count):
    """Random orders of the items of a text, (count, items)."""
    return stream(purpose, id_, seed).permuted(np.tile(np.arange(items), (count, 1)), axis=1)


def share_until_flip(logits, order):
    """The share of the items erased in an order when another class is predicted; NaN where that never happens."""
    first = logits(order).argmax()
    flips = (k for k in range(1, len(order) + 1) if logits(order[k:]).argmax() != first)
    return next(flips, math.nan) / len(order)


def fewest(logits, items):
    """The share of the items in the smallest set without which another class is predicted; of all sets."""
    whole = list(range(items))
    first = logits(whole).argmax()
    for count in range(items):
        if any(logits(list(kept)).argmax() != first for kept in combinations(whole, items - count)):
            return count / items
    return 1.0 if logits([]).argmax() != first else math.nan


def softmax(logits):
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def falling(weights, words):
    """Words by falling weight, then marks as they stand."""
    return [*np.argsort(-weights[:words], kind="stable"), *range(words, len(weights))]


def linear(weights, values, bias):
    """The logits of a text of which some items are kept and renormalised: (L,), (L, C), (C,)."""
    return lambda kept: weights[kept] @ values[kept] / weights[kept].sum() + bias if kept else bias


def check_row(row, logits, before, weights, words, id_):
    """A text under one set of weights, whose map is (L,), is that of loops; returns its prediction and order."""
    items = len(weights)
    p, by_weight = softmax(logits([*range(items)])), falling(weights, words)
    m = p.argmax()
    assert row["prediction"] == m
    assert row["tvd"] == pytest.approx(np.abs(p - before).sum() / 2, abs=1e-5)
    assert row["by_weight"] == pytest.approx(share_until_flip(logits, by_weight), nan_ok=True)
    fall = p[m] - softmax(logits(by_weight[1:]))[m] if words > 1 else math.nan
    assert row["fall"] == pytest.approx(fall, abs=1e-5, nan_ok=True)
    random = drawn(id_, words, "random order", 3, 10).tolist()
    shares = [share_until_flip(logits, [*erased, *range(words, items)]) for erased in random]
    expected = shares[row["shuffle"] - 1] if row["shuffle"] else np.nan_to_num(shares, nan=1.0).mean()
    if not row["shuffle"] and math.isnan(row["smallest"]):
        expected = math.nan
    assert row["random"] == pytest.approx(expected, nan_ok=True)
    return p, by_weight


@pytest.mark.parametrize("outputs", [1, 3])
def test_shuffles_are_the_naive_loops(outputs):
    lengths = [6, 1, 4, 2, 7, 5, 3, 6]
    readout = make_readout(lengths, outputs, seed=5)
    columns = shuffles(readout, ERASURE, PERMUTATION)
    found = by_text(columns)
    assert columns["id"] == readout.ids * 11
    for i, (id_, items) in enumerate(zip(readout.ids, lengths, strict=True)):
        values, bias = readout.contribution[i].astype(float), readout.bias[i].astype(float)
        if outputs == 1:
            values, bias = np.pad(values, [(0, 0), (1, 0)]), np.pad(bias, (1, 0))
        own = readout.attention[i].astype(float)
        before = softmax(own @ values + bias)
        for shuffle, order in enumerate([np.arange(items), *drawn(id_, items, "permutation", 8, 10)]):
            row = {name: column[shuffle, i] for name, column in found.items()}
            logits = linear(own[order], values, bias)
            p, (top, *_) = check_row(row, logits, before, own[order], items, id_)
            assert row["smallest"] == pytest.approx(fewest(logits, items), nan_ok=True)
            m = p.argmax()
            others = np.delete(p, m) / np.delete(p, m).sum()
            lead = own[order][top] * (values[top, m] - others @ np.delete(values[top], m))
            assert row["lead"] == pytest.approx(lead, abs=1e-6)
    # there is something of each kind
    assert 0 < np.isnan(found["smallest"]).mean() < 1
    assert 0 < (found["prediction"] != found["prediction"][0]).mean() < 1


def passed(readout, i, weights):
    """The logits of a text of a Transformer, of which some items are kept, each head by itself: weights (L, H)."""
    return lambda kept: np.log(naive(readout, i, without(weights, [*{*range(len(weights))} - {*kept}])))


@pytest.mark.parametrize("marks", [True, False])
def test_all_heads_are_shuffled_alike_and_pass_the_tail(marks):
    """Text by text, with two marks at the end of each, which move or stay."""
    lengths = [7, 3, 5, 8, 6]
    readout = make_heads(lengths, marks=2, seed=6)
    found = by_text(shuffles(readout, ERASURE, Permutation(seed=8, marks=marks)))
    assert len(found["tvd"]) == 4
    assert np.isnan(found["lead"]).all()
    for i, (id_, items) in enumerate(zip(readout.ids, lengths, strict=True)):
        own, words = readout.several.weights[i].astype(float), items - 2
        before = softmax(passed(readout, i, own)([*range(items)]))
        moving = items if marks else words
        for shuffle, order in enumerate([np.arange(moving), *drawn(id_, moving, "permutation", 8, 3)]):
            row = {name: column[shuffle, i] for name, column in found.items()}
            weights = np.concatenate([own[order], own[moving:]])
            logits = passed(readout, i, weights)
            check_row(row, logits, before, weights.mean(1), words, id_)
            # the fewest that a search finds: no fewer than there are, no more than by weight
            if math.isnan(row["smallest"]):
                assert math.isnan(row["by_weight"])
            else:
                assert fewest(logits, items) <= row["smallest"] <= np.nan_to_num(row["by_weight"], nan=1.0)
    assert 0 < (found["prediction"] != found["prediction"][0]).mean() < 1


def test_the_expansion_of_heads_is_that_at_the_weights_imposed():
    """There, and only there, the logits are the sum of what the items add."""
    for texts in make_heads([5, 7, 7], seed=6).batches(torch.float64):
        (order,) = draw_orders(texts, ["text-0", "text-1", "text-2"], 1, 8)
        shuffled = texts.reorder(order)
        (imposed,) = texts.compute_scores(texts.permute(order[None]))
        for by, close in ((shuffled, True), (texts, False)):
            logits = (shuffled.attention[..., None] * by.contribution).sum(1) + by.bias
            assert torch.allclose(logits, imposed, atol=1e-4) == close


@pytest.mark.parametrize("outputs", [1, 3])
def test_all_statistics_are_of_the_same_permutations(outputs):
    """One after another, permutation by permutation, with the published generator."""
    readout = make_readout([7, 3, 1], outputs, seed=4)
    found = permutation(readout, Permutation(permutations=15, seed=8))
    for i, name in enumerate(readout.ids):
        weights, values = readout.attention[i].astype(float), readout.contribution[i].astype(float)
        copies = np.tile(np.arange(len(weights)), (15, 1))
        places = stream("permutation", name, 8).permuted(copies, axis=1)
        assert (stream("permutation", name, 8).permuted(weights[copies], axis=1) == weights[places]).all()
        logits = [weights[order] @ values + readout.bias[i] for order in [np.arange(len(weights)), *places]]
        both = np.pad(logits, [(0, 0), (int(outputs == 1), 0)])
        before, *after = torch.tensor(both).softmax(-1)
        moved = [tvd(p, before).item() for p in after]
        assert found["median_tvd"][i] == pytest.approx(np.median(moved), abs=1e-9)
        assert found["mean_tvd"][i] == pytest.approx(np.mean(moved), abs=1e-9)
        assert found["flips"][i] == pytest.approx(np.mean([p.argmax() != before.argmax() for p in after]))
        apart = [jsd(torch.tensor(weights), torch.tensor(weights[order])).item() for order in places]
        assert found["chance_jsd"][i] == pytest.approx(np.mean(apart), abs=1e-9)


def test_a_pairs_head_and_candidates_are_used():
    """With one candidate the prediction is certain; with a head that reads nothing it never moves."""
    readout = make_readout([6, 6], outputs=2)
    three = np.full((2, 3), 1 / 3, np.float32)
    telling = Head(torch.tensor([[5.0, 0], [0, 5], [0, 0]]), torch.zeros(3))
    candidates = [np.array([1], np.int32), np.array([0, 1, 2], np.int32)]
    pairs = replace(readout, probabilities=three, head=telling, candidates=candidates)
    columns = permutation(pairs, PERMUTATION)
    assert columns["chance_jsd"].min() > 0
    assert (columns["median_tvd"] > 0).tolist() == [False, True]
    silent = replace(pairs, head=Head(torch.zeros(3, 2), torch.zeros(3)))
    assert permutation(silent, PERMUTATION)["median_tvd"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("states", "expected"),
    [([[1, 0], [0, 1]], 0.5**0.5), ([[2, 2], [1, 1]], 1), ([[1, 0], [-1, 0]], 0), ([[0, 0], [0, 0]], 0)],
    ids=["right angle", "one way", "opposite", "zeros"],
)
def test_conicity_by_hand(states, expected):
    padded = torch.tensor([[*states, [7, -9]]]).double()
    assert measure_conicity(padded, torch.tensor([[True, True, False]])).tolist() == pytest.approx([expected])


def test_conicity_of_a_split_is_text_by_text():
    model, split = model_of(), split_of([[2, 4, 5, 6, 3], [2, 7, 3]])
    readout = replace(make_readout([3, 1]), ids=["a", "b"])
    columns = conicity(AttributedTexts(model, split, readout, print))
    states = model(split.batch(np.array([0]))).states[0].detach().numpy()
    middle = states.mean(0)
    cosines = states @ middle / np.linalg.norm(states, axis=1) / np.linalg.norm(middle)
    assert columns["id"] == ["a", "b"]
    assert columns["conicity"] == pytest.approx([cosines.mean(), 1])
    assert columns["magnitude"] == pytest.approx([np.abs(cosines).mean(), 1])
    assert model.training
