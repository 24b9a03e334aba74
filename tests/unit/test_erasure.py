"""Erasure: every quantity against zeroing, renormalising and classifying again, and its edge cases by hand."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import torch

from attention_audit.audits.erasure import ErasableTexts, distribution, erasable, left, reordered
from attention_audit.audits.flipping_sets import flipping_sets, other_ranks, single_weight
from attention_audit.audits.rankings import RANKERS, TOPS, falling, shuffled
from attention_audit.columns.audits import BINS, DRAWS
from attention_audit.divergence import jsd
from attention_audit.readout import Readout

MakeReadout = Callable[..., Readout]
Floats = npt.NDArray[np.float64]
SEED = 3
LENGTHS = [7, 2, 12, 1, 3, 7, 30]


def classify(logits: Floats) -> Floats:
    """The distribution of one text: a sigmoid of one output, else a softmax."""
    if len(logits) == 1:
        positive = 1 / (1 + np.exp(-logits[0]))
        return np.array([1 - positive, positive])
    exponential = np.exp(logits - logits.max())
    return exponential / exponential.sum()


def naive(readout: Readout, text: int, erased: Sequence[int]) -> Floats:
    """Zero the weights, renormalise, run the classifier again."""
    attention = readout.attention[text].astype(np.float64)
    attention[list(erased)] = 0.0
    if attention.sum() > 0:
        attention /= attention.sum()
    return classify(attention @ readout.contribution[text].astype(np.float64) + readout.bias[text])


def readout_of(attention: list[list[float]], contribution: list[Any], bias: list[float]) -> Readout:
    """Texts with these weights, contributions (one number an item for two classes, else one a class) and bias."""
    texts = range(len(attention))
    weights = [np.array(row, dtype=np.float32) for row in attention]
    values = [np.array(row, dtype=np.float32).reshape(len(row), -1) for row in contribution]
    shift = np.tile(np.array(bias, dtype=np.float32), (len(attention), 1))
    probabilities = np.array([classify(weights[i] @ values[i] + shift[i]) for i in texts], dtype=np.float32)
    predictions = probabilities.argmax(1)
    return Readout([f"text-{i}" for i in texts], predictions, predictions, probabilities, weights, values, shift)


def by_ranking(readout: Readout, ranking: str, seed: int = SEED) -> pd.DataFrame:
    """The rows of one ranking, by id."""
    frame = pd.DataFrame(flipping_sets(readout, seed))
    return frame[frame["ranking"] == ranking].set_index("id")


def single(readout: Readout, ranking: str = "attention", draw: str = "corrected") -> pd.DataFrame:
    """The rows of one ranking and draw, by id."""
    frame = pd.DataFrame(single_weight(readout, SEED))
    return frame[(frame["ranking"] == ranking) & (frame["draw"] == draw)].set_index("id")


def orders(readout: Readout) -> dict[str, dict[int, list[int]]]:
    """The positions of every text in the order of every ranking."""
    found: dict[str, dict[int, list[int]]] = {name: {} for name in RANKERS}
    for texts in erasable(readout):
        for name, ranker in RANKERS.items():
            positions = falling(ranker(texts, readout.ids, SEED), texts.lengths)
            for row, member in enumerate(texts.members.tolist()):
                found[name][member] = positions[row, : int(texts.lengths[row])].tolist()
    return found


def prefixes(texts: ErasableTexts, positions: torch.Tensor) -> torch.Tensor:
    """Predictions with the first k items of a ranking erased: (n, L) -> (n, L, C)."""
    return distribution(left(reordered(texts.votes, positions)), texts.bias).transpose(1, 2)


def only(readout: Readout) -> ErasableTexts:
    """The texts of a readout as one batch."""
    (texts,) = erasable(readout, positions=10**6)
    return texts


OUTPUTS = pytest.mark.parametrize("outputs", [1, 3, 8])


@OUTPUTS
def test_every_prefix_of_every_ranking_is_the_naive_erasure(random_readout: MakeReadout, outputs: int) -> None:
    readout = random_readout(LENGTHS, outputs, seed=outputs)
    for texts in erasable(readout, positions=20):
        for ranker in RANKERS.values():
            top = falling(ranker(texts, readout.ids, SEED), texts.lengths)
            predicted = prefixes(texts, top).numpy()
            for row, member in enumerate(texts.members.tolist()):
                for k in range(int(texts.lengths[row]) + 1):
                    expected = naive(readout, member, top[row, :k].tolist())
                    np.testing.assert_allclose(predicted[row, k], expected, atol=1e-12)


@OUTPUTS
def test_ranked_sets_are_the_naive_loops(random_readout: MakeReadout, outputs: int) -> None:
    readout = random_readout(LENGTHS, outputs, seed=outputs)
    for ranking, positions in orders(readout).items():
        frame = by_ranking(readout, ranking)
        for text, top in positions.items():
            row, items = frame.loc[readout.ids[text]], len(top)
            full = naive(readout, text, [])
            chosen = full.argmax()
            sizes = [k for k in range(1, items + 1) if naive(readout, text, top[:k]).argmax() != chosen]
            assert (row["prediction"], row["items"]) == (chosen, items)
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


@OUTPUTS
def test_single_weights_are_the_naive_erasures(random_readout: MakeReadout, outputs: int) -> None:
    readout = random_readout(LENGTHS, outputs, seed=outputs)
    positions, ranks = orders(readout), other_ranks(readout, SEED).tolist()
    for ranking, draw in product(TOPS, DRAWS):
        frame = single(readout, ranking, draw)
        for text, name in enumerate(readout.ids):
            if readout.lengths[text] == 1:
                continue
            row, weights, top = frame.loc[name], readout.attention[text], positions[ranking][text]
            other = top[ranks[text]] if draw == "corrected" else ranks[text]
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


@OUTPUTS
def test_the_gradient_is_autograds(random_readout: MakeReadout, outputs: int) -> None:
    readout = random_readout([6, 6, 6], outputs, seed=outputs)
    texts = only(readout)
    for row, slope in enumerate(texts.gradient):
        weights = torch.from_numpy(readout.attention[row]).double()
        weights = (weights / weights.sum()).requires_grad_()
        logits = weights @ torch.from_numpy(readout.contribution[row]).double() + torch.from_numpy(readout.bias[row])
        if outputs == 1:
            logits = torch.cat([torch.zeros(1), logits])
        (expected,) = torch.autograd.grad(logits.exp().max() / logits.exp().sum(), weights)
        torch.testing.assert_close(slope[:6], expected, rtol=1e-9, atol=1e-12)


def test_one_output_is_a_softmax_over_zero_and_its_logit(random_readout: MakeReadout) -> None:
    one = random_readout(LENGTHS, outputs=1)
    contribution = [np.hstack([np.zeros_like(z), z]) for z in one.contribution]
    bias = np.hstack([np.zeros_like(one.bias), one.bias])
    two = Readout(one.ids, one.labels, one.predictions, one.probabilities, one.attention, contribution, bias)
    for test in (flipping_sets, single_weight):
        pd.testing.assert_frame_equal(pd.DataFrame(test(one, SEED)), pd.DataFrame(test(two, SEED)))


@pytest.mark.parametrize("ranking", ["attention", "smallest"])
def test_a_tie_between_classes_is_no_flip_whichever_was_predicted(ranking: str) -> None:
    # without the first item, and without both, the classes have 0 each; in the last text, -1 beats 0 without it
    readout = readout_of([[0.5, 0.5]] * 4, [[1, 0], [-1, 0], [3, -1], [-3, 1]], [0.0])
    assert by_ranking(readout, ranking)["removed"].tolist() == [-1, -1, 1, 1]


def test_ties_between_items_go_to_the_lower_position() -> None:
    texts = only(readout_of([[0.25, 0.25, 0.25, 0.25], [0.2, 0.3, 0.2, 0.3]], [[1, 1, 1, 1]] * 2, [0.0]))
    assert falling(texts.attention, texts.lengths)[:, :4].tolist() == [[0, 1, 2, 3], [1, 3, 0, 2]]


def test_padding_is_ranked_behind_negative_scores() -> None:
    negative = torch.tensor([[-2.0, -1.0, 0.0], [-3.0, 5.0, 0.0]])
    assert falling(negative, torch.tensor([2, 2])).tolist() == [[1, 0, 2], [1, 0, 2]]


def test_all_weight_on_one_item_leaves_the_bias() -> None:
    row = by_ranking(readout_of([[0, 1, 0]], [[5, 2, 5]], [-1.0]), "attention").loc["text-0"]
    assert (row["removed"], row["fraction_removed"]) == (1, 1 / 3)
    fall = classify(np.array([1.0]))[1] - classify(np.array([-1.0]))[1]
    assert row["comprehensiveness_curve"] == pytest.approx([fall] * 5)
    assert row["sufficiency_curve"] == pytest.approx([0.0] * 5)


def test_items_of_weight_zero_change_nothing_until_they_are_all_that_is_left() -> None:
    # by gradient the items of weight 0 come first, then 0.75, then the one that speaks against the class
    readout = readout_of([[0, 0.75, 0, 0.25]], [[9, 1, 8, -1]], [0.0])
    (text,) = prefixes(only(readout), torch.tensor([[0, 2, 1, 3, 4]]))
    assert text[:, 1].tolist() == pytest.approx([1 / (1 + np.exp(-x)) for x in (0.5, 0.5, 0.5, -1, 0)])
    assert by_ranking(readout, "gradient")["removed"].tolist() == [3]
    assert by_ranking(readout, "attention")["removed"].tolist() == [1]
    # the first by gradient alone has no mass, so the bias decides
    (curve,) = by_ranking(readout, "gradient")["sufficiency_curve"]
    assert curve[0] == pytest.approx(1 / (1 + np.exp(-0.5)) - 0.5)


@pytest.mark.parametrize("ranking", RANKERS)
def test_a_decision_that_the_bias_shares_never_flips(ranking: str) -> None:
    row = by_ranking(readout_of([[0.6, 0.4]], [[1, 2]], [0.5]), ranking).loc["text-0"]
    assert row["removed"] == -1
    assert np.isnan(row["fraction_removed"])


def test_texts_of_one_item_have_no_other_but_can_be_erased() -> None:
    readout = readout_of([[1], [1], [0.75, 0.25]], [[2], [0.5], [2, 2]], [-1.0])
    frame = by_ranking(readout, "smallest")
    assert frame["removed"].tolist() == [1, -1, 2]
    assert frame["items"].tolist() == [1, 1, 2]
    for ranking, draw in product(TOPS, DRAWS):
        assert single(readout, ranking, draw).index.tolist() == ["text-2"]


def test_nothing_but_texts_of_one_item_gives_no_single_weights() -> None:
    columns = single_weight(readout_of([[1]], [[2]], [0.0]), SEED)
    assert [len(column) for column in columns.values()] == [0] * 9


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
    assert falling(texts.gradient, texts.lengths)[0].tolist() == [1, 0, 2, 3]


def test_the_smallest_set_may_lie_where_no_other_ranking_looks() -> None:
    """Without the last item class 2 wins; but the gradient sees class 1 alone, far ahead of class 2, and the last item
    says least against that."""
    readout = readout_of([[0.2] * 5], [[[0, -1, 1]] * 4 + [[0, -0.5, -50]]], [0.0, 0.0, 0.0])
    for ranking in TOPS:
        assert by_ranking(readout, ranking)["removed"].tolist() == [-1]
    smallest = by_ranking(readout, "smallest").loc["text-0"]
    assert smallest["removed"] == 1
    assert np.isnan([smallest["comprehensiveness"], smallest["sufficiency"]]).all()
    assert smallest["comprehensiveness_curve"] is smallest["sufficiency_curve"] is None


def test_the_smallest_set_may_be_all_that_weighs() -> None:
    # no item speaks against the decision, but the bias does; the item of weight 0 can stay
    readout = readout_of([[0.5, 0.0, 0.5]], [[3, 9, 3]], [-1.0])
    assert by_ranking(readout, "smallest")["removed"].tolist() == [2]
    assert by_ranking(readout, "gradient")["removed"].tolist() == [3]


def test_planted_evidence_goes_first() -> None:
    """One item of twenty speaks for the class, all others against it, and most attention lies elsewhere."""
    weights, values = [0.04] * 20, [-0.5] * 20
    weights[13], weights[4], values[13] = 0.1, 0.18, 20.0
    readout = readout_of([weights], [values], [0.0])
    removed = {ranking: by_ranking(readout, ranking)["removed"].item() for ranking in (*TOPS, "smallest")}
    assert removed == {"attention": 2, "gradient": 1, "product": 1, "smallest": 1}


@pytest.mark.parametrize(
    ("items", "sizes"), [(1, [1, 1, 1, 1, 1]), (20, [1, 1, 2, 4, 10]), (230, [3, 12, 23, 46, 115])]
)
def test_bins_hold_so_many_items_rounded_up(items: int, sizes: list[int]) -> None:
    """The first item alone speaks, and is the weaker the more are kept beside it."""
    values = [[2.0, 0.0]] + [[0.0, 0.0]] * (items - 1)
    (curve,) = by_ranking(readout_of([[1 / items] * items], [values], [0.0, 0.0]), "product")["sufficiency_curve"]
    full, *alone = (classify(np.array([2 / kept, 0.0]))[0] for kept in (items, *sizes))
    assert curve == pytest.approx(full - np.array(alone), abs=1e-6)


@pytest.mark.parametrize(
    ("draw", "expected"), [("corrected", [1 / 3, 1 / 3, 0, 1 / 3]), ("as_published", [0, 1 / 3, 1 / 3, 1 / 3])]
)
def test_the_corrected_draw_is_of_the_other_items_and_the_published_of_positions(
    draw: str, expected: list[float]
) -> None:
    """Its weight tells the item drawn; the one at position 2 is the top."""
    texts, weights = 2000, [0.1, 0.2, 0.4, 0.3]
    drawn = single(readout_of([weights] * texts, [[1, 2, 3, 4]] * texts, [0.0]), draw=draw)["delta_attention"]
    counts = Counter(round(weights[2] - value, 3) for value in drawn)
    # three standard errors of a share of a third
    assert [counts[weight] / texts for weight in weights] == pytest.approx(expected, abs=0.032)


@pytest.mark.parametrize("ranking", TOPS)
def test_the_published_draw_of_the_top_itself_is_no_difference(random_readout: MakeReadout, ranking: str) -> None:
    frame = single(random_readout([20] * 400, outputs=8), ranking, "as_published")
    same = frame["delta_attention"] == 0
    assert 0 < same.sum() < len(frame)
    assert (frame.loc[same, "delta_js"] == 0).all()
    assert (frame.loc[same, "top_flips"] == frame.loc[same, "other_flips"]).all()


def test_random_numbers_hang_on_seed_and_text_alone(random_readout: MakeReadout) -> None:
    readout = random_readout([20] * 30, outputs=4)
    some = ["text-17", "text-4", "text-29"]
    part = readout.aligned(some)
    random = by_ranking(readout, "random")
    pd.testing.assert_frame_equal(by_ranking(part, "random"), random.loc[some])
    pd.testing.assert_frame_equal(single(part), single(readout).loc[some])
    assert by_ranking(readout, "random", SEED + 1)["removed"].tolist() != random["removed"].tolist()
    assert other_ranks(readout, SEED + 1).tolist() != other_ranks(readout, SEED).tolist()


def test_a_shuffle_is_as_likely_to_begin_anywhere() -> None:
    texts = 2000
    readout = readout_of([[0.25] * 4] * texts, [[1, 1, 1, 1]] * texts, [0.0])
    shuffles = (falling(shuffled(batch, readout.ids, SEED), batch.lengths) for batch in erasable(readout))
    first = Counter(position for shuffle in shuffles for position in shuffle[:, 0].tolist())
    # three standard errors of a share of a quarter
    assert [first[position] / texts for position in range(4)] == pytest.approx([0.25] * 4, abs=0.029)
