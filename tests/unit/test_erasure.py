"""Erasure: against zeroing, renormalising and classifying again; its laws, and the smallest set against all sets."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from readouts import classify, make_readout, readout_of

from attention_audit.audits.contributions import ranked_sets, single_weight
from attention_audit.audits.erasure import batch_erasable, find_flips, find_share, reorder_votes, sum_remaining
from attention_audit.audits.rankings import RANKERS, TOPS, sort_falling
from attention_audit.audits.settings import Erasure
from attention_audit.batching import stream
from attention_audit.columns.audits import BINS, DRAWS
from attention_audit.divergence import jsd
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout

SEED = 3
LENGTHS = [7, 2, 12, 1, 3, 7, 30]


def naive(readout, text, erased):
    """Zero the weights, renormalise, run the classifier again."""
    attention = readout.attention[text].astype(np.float64)
    attention[list(erased)] = 0.0
    if attention.sum() > 0:
        attention /= attention.sum()
    return classify(attention @ readout.contribution[text].astype(np.float64) + readout.bias[text])


def by_ranking(readout, ranking):
    """The rows of one ranking, by id."""
    frame = pd.DataFrame(ranked_sets(readout, Erasure(seed=SEED)))
    return frame[frame["ranking"] == ranking].set_index("id")


def single(readout, ranking="attention", draw="corrected"):
    """The rows of one ranking and draw, by id."""
    frame = pd.DataFrame(single_weight(readout, Erasure(seed=SEED)))
    return frame[(frame["ranking"] == ranking) & (frame["draw"] == draw)].set_index("id")


def orders(readout):
    """The positions of every text in the order of every ranking."""
    found = {name: {} for name in RANKERS}
    for texts in batch_erasable(readout):
        for name, ranker in RANKERS.items():
            positions = sort_falling(ranker(texts, readout.ids, SEED), texts)
            for row, member in enumerate(texts.members.tolist()):
                found[name][member] = positions[row, : texts.lengths[row]].tolist()
    return found


def prefixes(texts, positions):
    """Predictions with the first k items of a ranking erased: (n, L) -> (n, L, C)."""
    return texts.predict(sum_remaining(reorder_votes(texts.votes, positions))).transpose(1, 2)


OUTPUTS = pytest.mark.parametrize("outputs", [1, 3, 8])


@OUTPUTS
def test_ranked_sets_are_the_naive_loops(outputs):
    readout = make_readout(LENGTHS, outputs, seed=outputs)
    for ranking, positions in orders(readout).items():
        frame = by_ranking(readout, ranking)
        assert frame.index.tolist() == [name for name, items in zip(readout.ids, LENGTHS, strict=True) if items > 1]
        for text, top in positions.items():
            if len(top) == 1:
                continue
            row, items = frame.loc[readout.ids[text]], len(top)
            full = naive(readout, text, [])
            chosen = full.argmax()
            sizes = [k for k in range(1, items + 1) if naive(readout, text, top[:k]).argmax() != chosen]
            assert row["items"] == items
            assert row["removed"] == (sizes[0] if sizes else -1)
            if sizes:
                assert row["fraction_removed"] == sizes[0] / items
            if ranking != "smallest":
                tops = [int(np.ceil(items * percent / 100)) for percent in BINS]
                without = [full[chosen] - naive(readout, text, top[:k])[chosen] for k in tops]
                alone = [full[chosen] - naive(readout, text, top[k:])[chosen] for k in tops]
                np.testing.assert_allclose(row["comprehensiveness_curve"], without, atol=1e-12)
                np.testing.assert_allclose(row["sufficiency_curve"], alone, atol=1e-12)
                assert row["comprehensiveness"] == pytest.approx(np.mean(without))
                assert row["sufficiency"] == pytest.approx(np.mean(alone))
            else:
                assert np.isnan(row[["comprehensiveness", "sufficiency"]].astype(float)).all()
                assert row["comprehensiveness_curve"] is row["sufficiency_curve"] is None


@OUTPUTS
def test_single_weights_are_the_naive_erasures(outputs):
    readout = make_readout(LENGTHS, outputs, seed=outputs)
    positions = orders(readout)
    drawn = [
        stream("other", name, SEED).integers(1, max(items, 2)) for name, items in zip(readout.ids, LENGTHS, strict=True)
    ]
    for ranking, draw in product(TOPS, DRAWS):
        frame = single(readout, ranking, draw)
        for text, name in enumerate(readout.ids):
            if readout.lengths[text] == 1:
                continue
            row, weights, top = frame.loc[name], readout.attention[text], positions[ranking][text]
            other = top[drawn[text]] if draw == "corrected" else drawn[text]
            full, without_top, without_other = (
                torch.from_numpy(naive(readout, text, erased)) for erased in ([], [top[0]], [other])
            )
            change = (jsd(full, without_top) - jsd(full, without_other)).item()
            assert row["delta_js"] == pytest.approx(change, abs=1e-12)
            assert row["delta_attention"] == pytest.approx(weights[top[0]] - weights[other], abs=1e-6)
            assert row["top_flips"] == (without_top.argmax() != full.argmax())
            assert row["other_flips"] == (without_other.argmax() != full.argmax())
            lost = full.max() - without_top[full.argmax()]
            assert row["top_fall"] == pytest.approx(lost.item(), abs=1e-12)


def test_all_weight_on_one_item_leaves_the_bias():
    row = by_ranking(readout_of([[0, 1, 0]], [[5, 2, 5]], [-1.0]), "attention").loc["text-0"]
    assert (row["removed"], row["fraction_removed"]) == (1, 1 / 3)
    fall = classify(np.array([1.0]))[1] - classify(np.array([-1.0]))[1]
    assert row["comprehensiveness_curve"] == pytest.approx([fall] * 5)
    assert row["sufficiency_curve"] == pytest.approx([0.0] * 5)


def test_the_smallest_set_may_be_everything_and_texts_of_one_item_have_no_other():
    readout = readout_of([[1], [1], [0.75, 0.25]], [[2], [0.5], [2, 2]], [-1.0])
    assert by_ranking(readout, "smallest")["removed"].to_dict() == {"text-2": 2}
    for ranking, draw in product(TOPS, DRAWS):
        assert single(readout, ranking, draw).index.tolist() == ["text-2"]
    assert [len(column) for column in single_weight(readout.align(["text-0"]), Erasure(seed=SEED)).values()] == [0] * 9


def test_what_hardly_weighs_decides_when_it_is_all_that_is_left():
    # total less erased would be noise: in float64, 1 + 4e-20 is 1; the weights left are 1/4 and 3/4
    readout = readout_of([[1, 1e-20, 3e-20]], [[0, 4, -4]], [0.0])
    remaining = 1 / (1 + np.exp(2))
    (texts,) = batch_erasable(readout)
    (text,) = prefixes(texts, torch.tensor([[0, 2, 1, 3]]))
    assert text[:, 1].tolist() == pytest.approx([0.5, remaining, 1 / (1 + np.exp(-4)), 0.5], abs=1e-6)
    even, alone = torch.tensor([[0.5, 0.5], [1 - remaining, remaining]]).double()
    assert single(readout)["delta_js"].tolist() == pytest.approx([jsd(even, alone).item()], abs=1e-6)


def test_a_saturated_prediction_still_ranks_by_gradient():
    # p_m = 1 in float64; the second item speaks most for the class
    readout = readout_of([[0.5, 0.25, 0.25]], [[100, 101, 99]], [0.0])
    (texts,) = batch_erasable(readout)
    assert texts.predicted[0, 1, 0] == 1
    assert sort_falling(texts.gradient, texts)[0].tolist() == [1, 0, 2, 3]


UNITS = 16
ANY_LENGTHS = st.lists(st.integers(1, 25), min_size=1, max_size=8)


@st.composite
def exact_texts(draw):
    """One text in small numbers that every sum holds exactly, with weights of 0 and ties between items and classes."""
    items, outputs = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    cuts = sorted(draw(st.lists(st.integers(0, UNITS), min_size=items - 1, max_size=items - 1)))
    weights = np.diff([0, *cuts, UNITS]) / UNITS
    numbers = st.integers(-3, 3)
    contribution = draw(st.lists(st.lists(numbers, min_size=outputs, max_size=outputs), min_size=items, max_size=items))
    bias = draw(st.lists(numbers, min_size=outputs, max_size=outputs))
    unused = np.zeros(1, np.int64)
    return Readout(
        ids=["text"],
        labels=unused,
        predictions=unused,
        probabilities=np.full((1, max(2, outputs)), np.nan, np.float32),
        attention=[weights.astype(np.float32)],
        contribution=[np.array(contribution, dtype=np.float32)],
        bias=np.array([bias], dtype=np.float32),
    )


def likeliest(readout, erased):
    """The likeliest classes of the only text, in fractions; several where they tie."""
    weights = [Fraction(float(weight)) for weight in readout.attention[0]]
    for position in erased:
        weights[position] = Fraction(0)
    mass = sum(weights) or Fraction(1)
    columns = zip(readout.contribution[0].T.tolist(), readout.bias[0].tolist(), strict=True)
    logits = [
        sum(weight * Fraction(value) for weight, value in zip(weights, column, strict=True)) / mass + Fraction(bias)
        for column, bias in columns
    ]
    logits = [Fraction(0), *logits] if len(logits) == 1 else logits
    return {label for label, logit in enumerate(logits) if logit == max(logits)}


def removed_of(readout):
    """How many items of the only text each ranking erases."""
    return dict(zip(RANKERS, ranked_sets(readout, Erasure(seed=SEED))["removed"].tolist(), strict=True))


def smallest_of_all(readout):
    """Items of the smallest set that changes the decision, by trying all; -1 where none does."""
    items, chosen = range(len(readout.attention[0])), likeliest(readout, [])
    sets = (erased for size in items for erased in combinations(items, size + 1))
    return next((len(erased) for erased in sets if chosen.isdisjoint(likeliest(readout, erased))), -1)


@given(exact_texts())
@settings(max_examples=400)
def test_the_smallest_set_is_the_smallest_of_all_sets(readout):
    chosen, removed = likeliest(readout, []), removed_of(readout)["smallest"]
    known = smallest_of_all(readout)
    # where several classes must be beaten, an upper bound is found
    assert removed == known if len(chosen) == 1 else removed == -1 or 0 < known <= removed


@given(exact_texts(), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_the_order_of_the_classes_changes_no_flip(readout, random):
    contribution, bias = readout.contribution[0], readout.bias
    if bias.shape[1] == 1:
        contribution, bias = (np.pad(values, ((0, 0), (1, 0))) for values in (contribution, bias))
    assume(len(likeliest(readout, [])) == 1)
    order = random.sample(range(bias.shape[1]), bias.shape[1])
    other = replace(readout, contribution=[contribution[:, order]], bias=bias[:, order])
    ours, theirs = map(removed_of, (readout, other))
    for name in ("random", "attention", "smallest"):
        assert ours[name] == theirs[name]
    for draw in DRAWS:
        one, two = (single(each, draw=draw)[["top_flips", "other_flips"]] for each in (readout, other))
        assert one.equals(two)


@given(exact_texts())
def test_a_ranking_ends_at_its_first_flip(readout):
    chosen, removed = likeliest(readout, []), removed_of(readout)
    for ranking, positions in orders(readout).items():
        ranked = positions[0]
        flips = (k for k in range(1, len(ranked) + 1) if chosen.isdisjoint(likeliest(readout, ranked[:k])))
        assert removed[ranking] == next(flips, -1)


@given(lengths=ANY_LENGTHS, outputs=st.sampled_from([1, 3, 8]))
@settings(max_examples=30)
def test_neighbours_change_no_texts_rows(lengths, outputs):
    readout = make_readout(lengths, outputs)
    for test in (ranked_sets, single_weight):
        together = pd.DataFrame(test(readout, Erasure(seed=0)))
        for name in readout.ids:
            alone = pd.DataFrame(test(readout.align([name]), Erasure(seed=0)))
            here = together[together["id"] == name].reset_index(drop=True)
            assert len(here) == len(alone)
            if len(here):
                pd.testing.assert_frame_equal(here, alone, check_exact=False, rtol=1e-9, atol=1e-12)


@given(st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=1, max_size=40), min_size=1, max_size=5))
def test_an_order_is_a_stable_sort_with_padding_behind(rows):
    width = max(map(len, rows)) + 1
    padded = torch.tensor([row + [9.0] * (width - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    texts = PaddedReadout(np.arange(len(rows)), padded, padded, padded, lengths)
    for row, ranked in zip(rows, sort_falling(padded, texts).tolist(), strict=True):
        # sorted keeps the order of equals, and so does its reverse
        assert ranked[: len(row)] == sorted(range(len(row)), key=row.__getitem__, reverse=True)
        assert sorted(ranked) == list(range(width))


def test_where_no_other_class_is_known_all_others_count_alike():
    # exp(-900) is 0 in float64
    contribution = np.array([[900.0, 0.0, -6.0], [900.0, 4.0, 2.0]], np.float32)
    probabilities = np.array([[1.0, 0.0, 0.0]], np.float32)
    readout = replace(
        make_readout([2], outputs=3), attention=[np.array([0.5, 0.5], np.float32)], contribution=[contribution],
        bias=np.zeros((1, 3), np.float32), probabilities=probabilities, predictions=probabilities.argmax(1),
    )  # fmt: skip
    (texts,) = batch_erasable(readout)
    assert texts.margin[0, :2].tolist() == pytest.approx([900 + 3, 900 - 3])


def test_the_only_item_of_a_text_can_flip_its_decision():
    flipping, staying = readout_of([[1.0]], [[5.0]], [-3.0]), readout_of([[1.0]], [[5.0]], [3.0])
    for readout, expected in ((flipping, 1), (staying, -1)):
        (texts,) = batch_erasable(readout)
        remaining = sum_remaining(texts.votes)
        assert find_flips(texts, remaining, torch.tensor([1])).tolist() == [expected]
        share = find_share(texts, torch.tensor([[0, 1]])).item()
        assert share == pytest.approx(1.0 if expected == 1 else np.nan, nan_ok=True)
