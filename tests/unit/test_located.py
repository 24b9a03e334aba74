"""Words deleted from the input: by hand, and against texts written without them one by one."""

from collections.abc import Callable
from math import ceil

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_networks import model_of, random_texts, split_of
from torch import nn

from attention_audit.audits import located as module
from attention_audit.audits.attributed import Attributed
from attention_audit.audits.flipping_sets import ranked_sets
from attention_audit.audits.leave_one_out import deleting, leave_one_out
from attention_audit.audits.located import FURTHER, falls, located, rank, sizes
from attention_audit.audits.rankings import BY_STATES, list_scores
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.model.tail import probabilities
from attention_audit.readout import Readout

MakeReadout = Callable[..., Readout]
LENGTHS = [12, 1, 2, 12, 7, 21]
TEXTS = random_texts(LENGTHS)
QUERIES = random_texts([3, 1, 2, 5, 3, 2], seed=1)
KINDS = [("bilstm", False), ("affine", False), ("conv", False), ("bigru", False), ("bilstm", True), ("affine", True)]


def texts_of(pair: bool = False) -> Split:
    return split_of(TEXTS, **{"queries": QUERIES} if pair else {})


def naively(model: Network, member: int, order: npt.NDArray[np.int64], pair: bool) -> list[float]:
    """What the predicted class loses at each size, each text a batch of its own."""
    text = TEXTS[member]
    words = len(text) - 2
    predicted = []
    for count in (0, 1, *(ceil(words * share / 100) for share in (5, 10, 20, 50))):
        gone = {1 + place for place in order[:count].tolist()}
        written = [word for place, word in enumerate(text) if place not in gone]
        batch = split_of([written], **{"queries": [QUERIES[member]]} if pair else {}).batch(np.array([0]))
        predicted.append(probabilities(model(batch).logits.detach())[0])
    chosen = int(predicted[0].argmax())
    return [float(predicted[0][chosen] - after[chosen]) for after in predicted[1:]]


def test_sizes_by_hand() -> None:
    assert sizes(np.array([2, 3, 10, 21, 100])).tolist() == [
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 2],
        [1, 1, 1, 2, 5],
        [1, 2, 3, 5, 11],
        [1, 5, 10, 20, 50],
    ]


@given(st.integers(2, 5000))
def test_a_word_goes_and_a_word_stays(length: int) -> None:
    (counts,) = sizes(np.array([length]))
    assert counts[0] == 1
    assert ((counts >= 1) & (counts < length)).all()
    assert (np.diff(counts[1:]) >= 0).all()


def test_falls_by_hand() -> None:
    """A mean of words without an encoder: the log odds are half the mean of the values 8, -2, 4, 6, 0 and so on."""
    model = model_of("none", attention="uniform", classes=2).float()
    values = torch.tensor([8.0, -2, 4, 6, 0, 2, -4, 10, -6, 2])
    nn.init.constant_(model.decoder.bias, 0.0)
    nn.init.constant_(model.decoder.weight, 0.1)
    with torch.no_grad():
        model.embedding.weight[4:14] = values[:, None]
    text = [2, *range(4, 14), 3]
    split = split_of([text])
    order = np.array([7, 0, 3, 2, 5, 9, 4, 1, 6, 8])
    (found,) = falls(model, split, leave_one_out(model, split), np.array([0]), [order])
    # sums 20, then without 10; without 10 and 8; without 10, 8, 6, 4, 2: over 10, 9, 8 and 5 words
    odds = np.array([20 / 10, 10 / 9, 10 / 9, 10 / 9, 2 / 8, -10 / 5])
    p = 1 / (1 + np.exp(-odds / 2))
    np.testing.assert_allclose(found, p[0] - p[1:], rtol=1e-6)


@pytest.mark.parametrize(("encoder", "pair"), KINDS)
def test_falls_are_those_of_texts_written_without_the_words(encoder: str, pair: bool) -> None:
    model = model_of(encoder, pair).eval()
    split = texts_of(pair)
    members = np.array([5, 0, 2, 3, 4, 0, 5])
    orders = [np.random.default_rng(row).permutation(LENGTHS[member]) for row, member in enumerate(members)]
    found = falls(model, split, leave_one_out(model, split), members, orders)
    for ours, member, order in zip(found, members, orders, strict=True):
        np.testing.assert_allclose(ours, naively(model, member, order, pair), rtol=1e-8, atol=1e-12)


def test_the_same_words_are_deleted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, split = model_of("affine").eval(), texts_of()
    read: list[int] = []

    def spied(model: Network, split: Split, members: npt.NDArray[np.int64], gone: npt.NDArray[np.bool_]) -> object:
        read.append(len(members))
        return deleting(model, split, members, gone)

    monkeypatch.setattr(module, "deleting", spied)
    first, second = np.arange(12), np.array([1, 0, 2, *range(11, 2, -1)])
    found = falls(model, split, leave_one_out(model, split), np.array([0, 3, 0, 0]), [first, first, first, second])
    # 12 words: k = 1, 1, 2, 3, 6; the second order has the first's two and three words, and another six
    assert read == [3 + 3 + 1]
    assert found[0].tolist() == found[2].tolist()
    assert found[3, 2:4].tolist() == found[0, 2:4].tolist()
    assert found[3, 4] != found[0, 4]


def test_rankings_by_states_are_those_of_erasure(random_readout: MakeReadout) -> None:
    readout = random_readout([7, 2, 4, 20], outputs=3)
    further = {"loo": [np.random.default_rng(n).normal(size=n) for n in (7, 2, 4, 20)]}
    orders, erased = rank(readout, list_scores(readout, 5) | further)
    assert orders["attention"][3].tolist() == np.argsort(-readout.attention[3], kind="stable").tolist()
    assert orders["loo"][2].tolist() == np.argsort(-further["loo"][2]).tolist()
    sets = ranked_sets(readout, 5)
    for name in BY_STATES:
        np.testing.assert_array_equal(erased[name], sets["fraction_removed"][np.array(sets["ranking"]) == name])


def test_of_pairs_the_gradient_goes_through_the_head(random_pairs: MakeReadout) -> None:
    readout = random_pairs([6, 9])
    orders, erased = rank(readout, list_scores(readout, 5))
    assert np.isnan([*erased.values()]).all()
    (texts,) = readout.batches(torch.float64)
    weights = texts.attention.clone().requires_grad_()
    texts.predict(weights[None])[0].max(1).values.sum().backward()
    assert weights.grad is not None
    for text, length in enumerate([6, 9]):
        slopes = weights.grad[text, :length].numpy()
        assert orders["gradient"][text].tolist() == np.argsort(-slopes).tolist()
        assert orders["product"][text].tolist() == np.argsort(-slopes * readout.attention[text]).tolist()


@pytest.mark.parametrize("pair", [False, True])
def test_located_has_a_row_a_ranking_and_text(
    pair: bool, random_readout: MakeReadout, random_pairs: MakeReadout
) -> None:
    model, split = model_of("bilstm", pair), texts_of(pair)
    readout = (random_pairs if pair else random_readout)(LENGTHS, outputs=3)
    texts = Attributed(model, split, readout, lambda line: None)
    columns = located(texts, Agreement(texts=3, steps=4), Erasure(), Deletion())
    ids = [f"text-{member}" for member in (0, 2, 3, 4, 5)]
    # of the sample 0, 2, 4 all have two words or more
    assert columns["id"] == ids * 5 + ["text-0", "text-2", "text-4"]
    assert columns["ranking"] == [name for name in (*BY_STATES, "loo") for _ in ids] + ["integrated_gradients"] * 3
    assert columns["words"].tolist() == [12, 2, 12, 7, 21] * 5 + [12, 2, 7]
    assert np.isnan(columns["fraction_removed"]).all() == pair
    deletions, (_, gains) = texts.deletions, texts.integrated(Agreement(texts=3, steps=4))
    further = dict(zip(FURTHER, (deletions.falls, gains), strict=True))
    orders, _ = rank(readout, list_scores(readout, Erasure().seed) | further)
    model.eval()
    for name, ranking, lost, flips in zip(
        *(columns[key] for key in ("id", "ranking", "falls", "top_flips")), strict=True
    ):
        member = int(name.removeprefix("text-"))
        order = orders[ranking][member]
        np.testing.assert_allclose(lost, naively(model, member, order, pair), rtol=1e-8, atol=1e-12)
        assert flips == deletions.flips[member][order[0]]
    assert max(lost[0] for lost, ranking in zip(columns["falls"], columns["ranking"], strict=True)) == max(
        fall.max() for fall in deletions.falls
    )


def test_a_sample_of_the_texts_is_asked_as_all_would_be(random_readout: MakeReadout) -> None:
    model, split = model_of("bilstm"), texts_of()
    readout = random_readout(LENGTHS, outputs=3)
    settings = Agreement(texts=1, steps=4), Erasure()
    every, some = (
        located(Attributed(model, split, readout, lambda line: None), *settings, Deletion(texts=most))
        for most in (None, 3)
    )
    # evenly spread, 0, 2 and 4; the sample of integrated gradients is among them
    assert dict.fromkeys(some["id"]) == dict.fromkeys(["text-0", "text-2", "text-4"])
    keys = list(zip(every["id"], every["ranking"], strict=True))
    for place, key in enumerate(zip(some["id"], some["ranking"], strict=True)):
        whole = keys.index(key)
        np.testing.assert_allclose(some["falls"][place], every["falls"][whole], rtol=1e-9, atol=1e-13)
        assert some["top_flips"][place] == every["top_flips"][whole]
        np.testing.assert_equal(some["fraction_removed"][place], every["fraction_removed"][whole])
