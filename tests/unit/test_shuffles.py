"""Shuffles imposed on a readout: by hand, text by text with loops, and against the audits of the map itself."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from readouts import make_heads, make_readout
from test_heads import naive, without

from attention_audit.arrays import Floats, Integers
from attention_audit.audits.batches import draw_orders
from attention_audit.audits.contributions import shuffles
from attention_audit.audits.settings import Erasure, Permutation
from attention_audit.batching import stream
from attention_audit.readout import Readout

ERASURE, PERMUTATION = Erasure(seed=3), Permutation(seed=8)


def by_text(columns: dict[str, Any], name: str) -> Floats:
    """A column as (1 + shuffles, texts)."""
    return np.asarray(columns[name]).reshape(1 + max(columns["shuffle"]), -1)


def drawn(id_: str, items: int, purpose: str, seed: int, count: int) -> Integers:
    """Random orders of the items of a text, (count, items)."""
    return stream(purpose, id_, seed).permuted(np.tile(np.arange(items), (count, 1)), axis=1)


def share_until_flip(logits: Callable[[list[int]], Floats], order: list[int]) -> float:
    """The share of the items erased in an order when another class is predicted; NaN where that never happens."""
    first = int(logits(order).argmax())
    flips = (k for k in range(1, len(order) + 1) if int(logits(order[k:]).argmax()) != first)
    return next(flips, math.nan) / len(order)


def fewest(logits: Callable[[list[int]], Floats], items: int) -> float:
    """The share of the items in the smallest set without which another class is predicted; of all sets."""
    whole = list(range(items))
    first = int(logits(whole).argmax())
    for count in range(items):
        if any(int(logits(list(kept)).argmax()) != first for kept in combinations(whole, items - count)):
            return count / items
    return 1.0 if int(logits([]).argmax()) != first else math.nan


def softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum())


def falling(weights: Floats, words: int) -> list[int]:
    """Words by falling weight, then marks as they stand."""
    return [*map(int, np.argsort(-weights[:words], kind="stable")), *range(words, len(weights))]


def linear(weights: Floats, values: Floats, bias: Floats) -> Callable[[list[int]], Floats]:
    """The logits of a text of which some items are kept and renormalised: (L,), (L, C), (C,)."""
    return lambda kept: weights[kept] @ values[kept] / weights[kept].sum() + bias if kept else bias


def check_row(
    row: dict[str, Any], logits: Callable[[list[int]], Floats], before: Floats, weights: Floats, words: int, id_: str
) -> tuple[Floats, list[int]]:
    """A text under one set of weights, whose map is (L,), is that of loops; returns its prediction and order."""
    items = len(weights)
    p, by_weight = softmax(logits([*range(items)])), falling(weights, words)
    m = int(p.argmax())
    assert row["prediction"] == m
    assert row["tvd"] == pytest.approx(np.abs(p - before).sum() / 2, abs=1e-5)
    assert row["by_weight"] == pytest.approx(share_until_flip(logits, by_weight), nan_ok=True)
    fall = p[m] - softmax(logits(by_weight[1:]))[m] if words > 1 else math.nan
    assert row["fall"] == pytest.approx(fall, abs=1e-5, nan_ok=True)
    random = drawn(id_, words, "random order", 3, 10).tolist()
    shares = [share_until_flip(logits, [*erased, *range(words, items)]) for erased in random]
    expected = shares[row["shuffle"] - 1] if row["shuffle"] else float(np.nan_to_num(shares, nan=1.0).mean())
    if not row["shuffle"] and math.isnan(row["smallest"]):
        expected = math.nan
    assert row["random"] == pytest.approx(expected, nan_ok=True)
    return p, by_weight


@pytest.mark.parametrize("outputs", [1, 3])
def test_shuffles_are_the_naive_loops(outputs: int) -> None:
    lengths = [6, 1, 4, 2, 7, 5, 3, 6]
    readout = make_readout(lengths, outputs, seed=5)
    columns = shuffles(readout, ERASURE, PERMUTATION)
    found = {name: by_text(columns, name) for name in columns if name != "id"}
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
            m = int(p.argmax())
            others = np.delete(p, m) / np.delete(p, m).sum()
            lead = own[order][top] * (values[top, m] - others @ np.delete(values[top], m))
            assert row["lead"] == pytest.approx(lead, abs=1e-6)
    # there is something of each kind
    assert 0 < np.isnan(found["smallest"]).mean() < 1
    assert 0 < (found["prediction"] != found["prediction"][0]).mean() < 1


def passed(readout: Readout, i: int, weights: Floats) -> Callable[[list[int]], Floats]:
    """The logits of a text of a Transformer, of which some items are kept, each head by itself: weights (L, H)."""
    return lambda kept: np.log(naive(readout, i, without(weights, [*{*range(len(weights))} - {*kept}])))


@pytest.mark.parametrize("marks", [True, False])
def test_all_heads_are_shuffled_alike_and_pass_the_tail(marks: bool) -> None:
    """Text by text, with two marks at the end of each, which move or stay."""
    lengths = [7, 3, 5, 8, 6]
    readout = make_heads(lengths, marks=2, seed=6)
    assert readout.several is not None
    columns = shuffles(readout, ERASURE, Permutation(seed=8, marks=marks))
    found = {name: by_text(columns, name) for name in columns if name != "id"}
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


def test_the_expansion_of_heads_is_that_at_the_weights_imposed() -> None:
    """There, and only there, the logits are the sum of what the items add."""
    for texts in make_heads([5, 7, 7], seed=6).batches(torch.float64):
        (order,) = draw_orders(texts, ["text-0", "text-1", "text-2"], 1, 8)
        shuffled = texts.reorder(order)
        (imposed,) = texts.compute_scores(texts.permute(order[None]))
        for by, close in ((shuffled, True), (texts, False)):
            logits = (shuffled.attention[..., None] * by.contribution).sum(1) + by.bias
            assert torch.allclose(logits, imposed, atol=1e-4) == close
