"""Permuted weights and alike states, by hand and by what must hold of them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from readouts import make_readout
from small_networks import model_of, split_of

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.correlation import conicity
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.batching import stream
from attention_audit.divergence import jsd, tvd
from attention_audit.model.attention import measure_conicity
from attention_audit.padded import Head

SETTINGS = Permutation()


@pytest.mark.parametrize("outputs", [1, 3])
def test_all_statistics_are_of_the_same_permutations(outputs: int) -> None:
    """One after another, permutation by permutation, with the published generator."""
    readout = make_readout([7, 3, 1], outputs, seed=4)
    settings = Permutation(permutations=15)
    found = permutation(readout, settings, 8)
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


def test_a_pairs_head_and_candidates_are_used() -> None:
    """With one candidate the prediction is certain; with a head that reads nothing it never moves."""
    readout = make_readout([6, 6], outputs=2)
    three = np.full((2, 3), 1 / 3, np.float32)
    telling = Head(torch.tensor([[5.0, 0], [0, 5], [0, 0]]), torch.zeros(3))
    candidates = [np.array([1], np.int32), np.array([0, 1, 2], np.int32)]
    pairs = replace(readout, probabilities=three, head=telling, candidates=candidates)
    columns = permutation(pairs, SETTINGS, 0)
    moved = columns["median_tvd"]
    assert columns["chance_jsd"].min() > 0
    assert moved[0] == 0
    assert moved[1] > 0
    silent = replace(pairs, head=Head(torch.zeros(3, 2), torch.zeros(3)))
    assert permutation(silent, SETTINGS, 0)["median_tvd"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("states", "expected"),
    [([[1, 0], [0, 1]], 0.5**0.5), ([[2, 2], [1, 1]], 1), ([[1, 0], [-1, 0]], 0), ([[0, 0], [0, 0]], 0)],
    ids=["right angle", "one way", "opposite", "zeros"],
)
def test_conicity_by_hand(states: list[list[float]], expected: float) -> None:
    padded = torch.tensor([[*states, [7, -9]]]).double()
    assert measure_conicity(padded, torch.tensor([[True, True, False]])).tolist() == pytest.approx([expected])


def test_conicity_of_a_split_is_text_by_text() -> None:
    model, split = model_of(), split_of([[2, 4, 5, 6, 3], [2, 7, 3]])
    readout = replace(make_readout([3, 1]), ids=["a", "b"])
    columns = conicity(Attributed(model, split, readout, print))
    states = model(split.batch(np.array([0]))).states[0].detach().numpy()
    middle = states.mean(0)
    cosines = states @ middle / np.linalg.norm(states, axis=1) / np.linalg.norm(middle)
    assert columns["id"] == ["a", "b"]
    assert columns["conicity"] == pytest.approx([cosines.mean(), 1])
    assert columns["magnitude"] == pytest.approx([np.abs(cosines).mean(), 1])
    assert model.training
