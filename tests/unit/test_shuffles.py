"""Shuffles imposed on a readout: by hand, text by text with loops, and against the audits of the map itself."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_audit.audits.contributions import contributions
from attention_audit.audits.flipping_sets import ranked_sets
from attention_audit.audits.permutation import orders, permutation
from attention_audit.audits.settings import Erasure, Permutation
from attention_audit.audits.shuffles import shuffles
from attention_audit.batching import stream
from attention_audit.columns.audits import SHUFFLES
from attention_audit.readout import Readout
from attention_audit.stages.audits import labelled

MakeReadout = Callable[..., Readout]
Floats = npt.NDArray[np.float64]
ERASURE, PERMUTATION = Erasure(seed=3), Permutation(seed=8)


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def by_text(columns: dict[str, Any], name: str) -> Floats:
    """A column as (1 + shuffles, texts)."""
    return np.asarray(columns[name]).reshape(1 + max(columns["shuffle"]), -1)


def drawn(id_: str, items: int, purpose: str, seed: int, count: int) -> npt.NDArray[np.int64]:
    """Random orders of the items of a text, (count, items)."""
    return stream(purpose, id_, seed).permuted(np.tile(np.arange(items), (count, 1)), axis=1)


def test_a_map_of_two_words_by_hand(random_readout: MakeReadout) -> None:
    """The logit of class 1 is .9 x 3 - .1 x 1 = 2.6, and with the weights exchanged .1 x 3 - .9 x 1 = -.6."""
    readout = replace(
        random_readout([2]),
        attention=[np.array([0.9, 0.1], np.float32)],
        contribution=[np.array([[3], [-1]], np.float32)],
        bias=np.zeros((1, 1), np.float32),
    )
    columns = shuffles(readout, ERASURE, PERMUTATION)
    exchanged = np.array([False, *(drawn("text-0", 2, "permutation", 8, 10)[:, 0] == 1)])
    assert 1 < exchanged.sum() < 10
    assert columns["shuffle"].tolist() == list(range(11))
    assert columns["id"] == ["text-0"] * 11
    assert (columns["items"] == 2).all()
    assert (columns["prediction"] == np.where(exchanged, 0, 1)).all()
    expected = {
        "tvd": (0, sigmoid(2.6) - sigmoid(-0.6)),
        # without the heavy word the light one decides, for the other class
        "by_weight": (1 / 2, 1 / 2),
        "smallest": (1 / 2, 1 / 2),
        "lead": (0.9 * 3, 0.9 * 1),
        "fall": (sigmoid(2.6) - sigmoid(-1), sigmoid(0.6) - sigmoid(-3)),
    }
    for name, (own, other) in expected.items():
        assert columns[name] == pytest.approx(np.where(exchanged, other, own), abs=1e-6), name
    # the heavy word first: it flips; the light one first: nothing does, as without both words the classes tie
    heavy_first = drawn("text-0", 2, "random order", 3, 10)[:, 0] == exchanged[1:]
    assert columns["random"][1:] == pytest.approx(np.where(heavy_first, 1 / 2, np.nan), nan_ok=True)
    own_first = drawn("text-0", 2, "random order", 3, 10)[:, 0] == 0
    assert columns["random"][0] == pytest.approx(np.where(own_first, 1 / 2, 1).mean())


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


@pytest.mark.parametrize("outputs", [1, 3])
def test_shuffles_are_the_naive_loops(random_readout: MakeReadout, outputs: int) -> None:
    lengths = [6, 1, 4, 2, 7, 5, 3, 6]
    readout = random_readout(lengths, outputs, seed=5)
    columns = shuffles(readout, ERASURE, PERMUTATION)
    found = {name: by_text(columns, name) for name in columns if name != "id"}
    assert columns["id"] == readout.ids * 11
    for i, (id_, items) in enumerate(zip(readout.ids, lengths, strict=True)):
        values, bias = readout.contribution[i].astype(float), readout.bias[i].astype(float)
        if outputs == 1:
            values, bias = np.pad(values, [(0, 0), (1, 0)]), np.pad(bias, (1, 0))
        whole, random = list(range(items)), drawn(id_, items, "random order", 3, 10).tolist()
        own = readout.attention[i].astype(float)
        before = softmax(own @ values + bias)
        orders = [np.arange(items), *drawn(id_, items, "permutation", 8, 10)]
        for shuffle, order in enumerate(orders):
            row = {name: column[shuffle, i] for name, column in found.items()}
            weights = own[order]
            logits = linear(weights, values, bias)
            p = softmax(logits(whole) if items > 1 else values[0] * weights[0] + bias)
            m = int(p.argmax())
            by_weight = falling(weights, items)
            top = by_weight[0]
            assert row["prediction"] == m
            assert row["tvd"] == pytest.approx(np.abs(p - before).sum() / 2, abs=1e-7)
            assert row["by_weight"] == pytest.approx(share_until_flip(logits, by_weight), nan_ok=True)
            assert row["smallest"] == pytest.approx(fewest(logits, items), nan_ok=True)
            others = np.delete(p, m) / np.delete(p, m).sum()
            lead = weights[top] * (values[top, m] - others @ np.delete(values[top], m))
            assert row["lead"] == pytest.approx(lead, abs=1e-6)
            fall = p[m] - softmax(logits(by_weight[1:]))[m] if items > 1 else math.nan
            assert row["fall"] == pytest.approx(fall, abs=1e-6, nan_ok=True)
            shares = [share_until_flip(logits, erased) for erased in random]
            if shuffle:
                expected = shares[shuffle - 1]
            else:
                expected = math.nan if math.isnan(row["smallest"]) else float(np.nan_to_num(shares, nan=1.0).mean())
            assert row["random"] == pytest.approx(expected, nan_ok=True)
    # there is something of each kind
    assert 0 < np.isnan(found["smallest"]).mean() < 1
    assert 0 < (found["prediction"] != found["prediction"][0]).mean() < 1


def test_the_map_itself_and_its_shuffles_are_those_of_the_other_audits(
    random_readout: MakeReadout, random_heads: MakeReadout
) -> None:
    for readout in (random_readout([9, 2, 30, 14], 3), random_heads([9, 3, 12, 6], marks=1)):
        columns = shuffles(readout, ERASURE, PERMUTATION)
        sets, exact = ranked_sets(readout, ERASURE.seed), contributions(readout)
        ranking = np.array(sets["ranking"])
        for name, other in (("by_weight", "attention"), ("smallest", "smallest")):
            np.testing.assert_array_equal(by_text(columns, name)[0], sets["fraction_removed"][ranking == other])
        np.testing.assert_array_equal(by_text(columns, "fall")[0], exact["top_fall"])
        if readout.several is None:
            # c_t / (1 - p_m)
            added = np.array([of_text[0] for of_text in exact["top_contributions"]])
            sure = readout.probabilities.max(1).astype(np.float64)
            assert by_text(columns, "lead")[0] == pytest.approx(added / (1 - sure), rel=1e-4)
        assert (by_text(columns, "prediction")[0] == readout.predictions).all()
        count = len(by_text(columns, "tvd")) - 1
        moved = permutation(readout, Permutation(permutations=count, seed=8), 8)
        assert by_text(columns, "tvd")[1:].mean(0) == pytest.approx(moved["mean_tvd"], abs=1e-6)
        assert moved["mean_tvd"].max() > 0.01


@settings(max_examples=30)
@given(st.integers(0, 1000), st.sampled_from([1, 2, 5]))
def test_shuffles_of_equal_weights_change_nothing(seed: int, outputs: int) -> None:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 9, 5)
    logits = np.zeros((5, max(2, outputs)), np.float32)
    readout = Readout(
        [f"text-{i}" for i in range(5)],
        *np.zeros((2, 5), np.int64),
        logits,
        [np.full(items, 1 / items, np.float32) for items in lengths],
        [random.normal(0, 2, (items, outputs)).astype(np.float32) for items in lengths],
        random.normal(size=(5, outputs)).astype(np.float32),
    )
    columns = shuffles(readout, ERASURE, PERMUTATION)
    assert (columns["tvd"] == 0).all()
    for name in ("prediction", "by_weight", "smallest", "lead", "fall"):
        own, *others = by_text(columns, name)
        for other in others:
            np.testing.assert_array_equal(other, own)


def passed(readout: Readout, i: int, weights: Floats) -> Callable[[list[int]], Floats]:
    """The logits of a text of a Transformer, of which some items are kept, each head by itself: weights (L, H)."""
    attending = readout.attending
    assert attending is not None
    below = torch.from_numpy(attending.below[i : i + 1])

    def logits(kept: list[int]) -> Floats:
        mass = weights[kept].sum(0)
        heads: Iterator[Floats] = (
            weights[kept, h] @ attending.values[i][kept, h] / mass[h]
            if kept
            else np.zeros(attending.values[i].shape[2])
            for h in range(weights.shape[1])
        )
        context = torch.from_numpy(np.concatenate([*heads])[None]).float()
        return attending.tail.passed(context, below)[0].double().numpy()

    return logits


@pytest.mark.parametrize("marks", [True, False])
def test_all_heads_are_shuffled_alike_and_pass_the_tail(random_heads: MakeReadout, marks: bool) -> None:
    """Text by text, with two marks at the end of each, which move or stay."""
    lengths = [7, 3, 5, 8, 6]
    readout = random_heads(lengths, marks=2, seed=6)
    assert readout.several is not None
    columns = shuffles(readout, ERASURE, Permutation(seed=8, marks=marks))
    found = {name: by_text(columns, name) for name in columns if name != "id"}
    assert len(found["tvd"]) == 4
    assert np.isnan(found["lead"]).all()
    for i, (id_, items) in enumerate(zip(readout.ids, lengths, strict=True)):
        own, words = readout.several.weights[i].astype(float), items - 2
        before = softmax(passed(readout, i, own)([*range(items)]))
        moving = items if marks else words
        shuffled = drawn(id_, moving, "permutation", 8, 3)
        random = drawn(id_, words, "random order", 3, 10).tolist()
        for shuffle, order in enumerate([np.arange(moving), *shuffled]):
            row = {name: column[shuffle, i] for name, column in found.items()}
            weights = np.concatenate([own[order], own[moving:]])
            logits = passed(readout, i, weights)
            p = softmax(logits([*range(items)]))
            m = int(p.argmax())
            by_weight = falling(weights.mean(1), words)
            assert row["prediction"] == m
            assert row["tvd"] == pytest.approx(np.abs(p - before).sum() / 2, abs=1e-5)
            assert row["by_weight"] == pytest.approx(share_until_flip(logits, by_weight), nan_ok=True)
            fall = p[m] - softmax(logits(by_weight[1:]))[m] if words > 1 else math.nan
            assert row["fall"] == pytest.approx(fall, abs=1e-5, nan_ok=True)
            shares = [share_until_flip(logits, [*erased, *range(words, items)]) for erased in random]
            expected = shares[shuffle - 1] if shuffle else float(np.nan_to_num(shares, nan=1.0).mean())
            if shuffle or not math.isnan(row["smallest"]):
                assert row["random"] == pytest.approx(expected, nan_ok=True)
            # the fewest that a search finds: no fewer than there are, no more than by weight
            least = fewest(logits, items)
            if math.isnan(row["smallest"]):
                assert math.isnan(row["by_weight"])
            else:
                assert least <= row["smallest"] <= np.nan_to_num(row["by_weight"], nan=1.0)
    assert 0 < (found["prediction"] != found["prediction"][0]).mean() < 1


def test_the_expansion_of_heads_is_that_at_the_weights_imposed(random_heads: MakeReadout) -> None:
    """There, and only there, the logits are the sum of what the items add."""
    for texts in random_heads([5, 7, 7], seed=6).batches(torch.float64):
        (order,) = orders(texts, ["text-0", "text-1", "text-2"], 1, 8)
        shuffled = texts.rearranged(order)
        (imposed,) = texts.scores(texts.permuted(order[None]))
        for by, close in ((shuffled, True), (texts, False)):
            logits = (shuffled.attention[..., None] * by.contribution).sum(1) + by.bias
            assert torch.allclose(logits, imposed, atol=1e-4) == close


def test_the_columns_are_those_declared(random_readout: MakeReadout, random_heads: MakeReadout) -> None:
    identity = {"dataset": "chorus", "model": "base", "lambda": None, "seed": 1, "other": None}
    for readout, rows in ((random_readout([3, 1, 4]), 33), (random_heads([3, 4]), 8)):
        table = labelled(SHUFFLES, identity, shuffles(readout, ERASURE, PERMUTATION))
        assert len(table) == rows
        for field in table.schema:
            assert field.nullable or not table[field.name].null_count
