"""Erasure: every quantity against zeroing, renormalising and classifying again, and its edge cases by hand."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import pytest
import torch
from readouts import classify, make_readout, readout_of

from attention_audit.arrays import Floats
from attention_audit.audits.contributions import ranked_sets, single_weight
from attention_audit.audits.erasure import ErasableTexts, batch_erasable, reorder_votes, sum_remaining
from attention_audit.audits.rankings import RANKERS, TOPS, sort_falling
from attention_audit.batching import stream
from attention_audit.columns.audits import BINS, DRAWS
from attention_audit.divergence import jsd
from attention_audit.readout import Readout

SEED = 3
LENGTHS = [7, 2, 12, 1, 3, 7, 30]


def naive(readout: Readout, text: int, erased: Sequence[int]) -> Floats:
    """Zero the weights, renormalise, run the classifier again."""
    attention = readout.attention[text].astype(np.float64)
    attention[list(erased)] = 0.0
    if attention.sum() > 0:
        attention /= attention.sum()
    return classify(attention @ readout.contribution[text].astype(np.float64) + readout.bias[text])


def by_ranking(readout: Readout, ranking: str, seed: int = SEED) -> pd.DataFrame:
    """The rows of one ranking, by id."""
    frame = pd.DataFrame(ranked_sets(readout, seed))
    return frame[frame["ranking"] == ranking].set_index("id")


def single(readout: Readout, ranking: str = "attention", draw: str = "corrected") -> pd.DataFrame:
    """The rows of one ranking and draw, by id."""
    frame = pd.DataFrame(single_weight(readout, SEED))
    return frame[(frame["ranking"] == ranking) & (frame["draw"] == draw)].set_index("id")


def orders(readout: Readout) -> dict[str, dict[int, list[int]]]:
    """The positions of every text in the order of every ranking."""
    found: dict[str, dict[int, list[int]]] = {name: {} for name in RANKERS}
    for texts in batch_erasable(readout):
        for name, ranker in RANKERS.items():
            positions = sort_falling(ranker(texts, readout.ids, SEED), texts)
            for row, member in enumerate(texts.members.tolist()):
                found[name][member] = positions[row, : int(texts.lengths[row])].tolist()
    return found


def prefixes(texts: ErasableTexts, positions: torch.Tensor) -> torch.Tensor:
    """Predictions with the first k items of a ranking erased: (n, L) -> (n, L, C)."""
    return texts.predict(sum_remaining(reorder_votes(texts.votes, positions))).transpose(1, 2)


def only(readout: Readout) -> ErasableTexts:
    """The texts of a readout as one batch."""
    (texts,) = batch_erasable(readout)
    return texts


OUTPUTS = pytest.mark.parametrize("outputs", [1, 3, 8])


@OUTPUTS
def test_ranked_sets_are_the_naive_loops(outputs: int) -> None:
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
def test_single_weights_are_the_naive_erasures(outputs: int) -> None:
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


def test_all_weight_on_one_item_leaves_the_bias() -> None:
    row = by_ranking(readout_of([[0, 1, 0]], [[5, 2, 5]], [-1.0]), "attention").loc["text-0"]
    assert (row["removed"], row["fraction_removed"]) == (1, 1 / 3)
    fall = classify(np.array([1.0]))[1] - classify(np.array([-1.0]))[1]
    assert row["comprehensiveness_curve"] == pytest.approx([fall] * 5)
    assert row["sufficiency_curve"] == pytest.approx([0.0] * 5)


def test_the_smallest_set_may_be_everything_and_texts_of_one_item_have_no_other() -> None:
    readout = readout_of([[1], [1], [0.75, 0.25]], [[2], [0.5], [2, 2]], [-1.0])
    assert by_ranking(readout, "smallest")["removed"].to_dict() == {"text-2": 2}
    for ranking, draw in product(TOPS, DRAWS):
        assert single(readout, ranking, draw).index.tolist() == ["text-2"]
    assert [len(column) for column in single_weight(readout.align(["text-0"]), SEED).values()] == [0] * 9


def test_what_hardly_weighs_decides_when_it_is_all_that_is_left() -> None:
    # total less erased would be noise: in float64, 1 + 4e-20 is 1; the weights left are 1/4 and 3/4
    readout = readout_of([[1, 1e-20, 3e-20]], [[0, 4, -4]], [0.0])
    remaining = 1 / (1 + np.exp(2))
    (text,) = prefixes(only(readout), torch.tensor([[0, 2, 1, 3]]))
    assert text[:, 1].tolist() == pytest.approx([0.5, remaining, 1 / (1 + np.exp(-4)), 0.5], abs=1e-6)
    even, alone = torch.tensor([[0.5, 0.5], [1 - remaining, remaining]]).double()
    assert single(readout)["delta_js"].tolist() == pytest.approx([jsd(even, alone).item()], abs=1e-6)


def test_a_saturated_prediction_still_ranks_by_gradient() -> None:
    # p_m = 1 in float64; the second item speaks most for the class
    readout = readout_of([[0.5, 0.25, 0.25]], [[100, 101, 99]], [0.0])
    texts = only(readout)
    assert texts.predicted[0, 1, 0] == 1
    assert sort_falling(texts.gradient, texts)[0].tolist() == [1, 0, 2, 3]
