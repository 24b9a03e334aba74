"""Jain & Wallace's adversary: its gradient against autograd, its choice by hand, its finds on texts that allow them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from readouts import make_readout

from attention_audit.audits.instance_adversary import compute_gradient, find_furthest, instance_adversary
from attention_audit.audits.settings import InstanceAdversary
from attention_audit.divergence import LN2, jsd, tvd
from attention_audit.padded import Head, PaddedReadout

SETTINGS = InstanceAdversary(restarts=4)


def padded(attention, contribution, bias, **pairs):
    """Texts of one length."""
    texts, length = attention.shape
    return PaddedReadout(np.arange(texts), attention, contribution, bias, torch.full((texts,), length), **pairs)


def random_texts(outputs, head):
    """Three texts of six words; with a head, pairs of four classes, of which the first text may not have class 2."""
    torch.manual_seed(1)
    contribution = torch.randn(3, 6, outputs, dtype=torch.float64)
    bias = torch.randn(3, outputs, dtype=torch.float64)
    base = torch.randn(3, 6, dtype=torch.float64).softmax(-1)
    if not head:
        return padded(base, contribution, bias)
    above = Head(torch.randn(4, outputs, dtype=torch.float64), torch.randn(4, dtype=torch.float64))
    candidates = torch.ones(3, 4, dtype=torch.bool)
    candidates[0, 2] = False
    return padded(base, contribution, bias, head=above, candidates=candidates)


@pytest.mark.parametrize(("outputs", "head"), [(1, False), (3, False), (1, True), (5, True)])
@pytest.mark.parametrize("restarts", [1, 4])
def test_gradient_is_autograds(outputs, head, restarts):
    texts = random_texts(outputs, head)
    logits = torch.randn(restarts, *texts.attention.shape, dtype=torch.float64, requires_grad=True)
    target = texts.predict(texts.attention[None])
    attention = logits.softmax(-1)
    hinge = (tvd(texts.predict(attention), target) - SETTINGS.margin).clamp(min=0)
    loss = (SETTINGS.penalty * hinge - jsd(attention, texts.attention)).sum()
    loss = loss - jsd(attention[:, None], attention[None]).sum() / restarts**2
    (expected,) = torch.autograd.grad(loss, logits)
    ours = compute_gradient(logits.detach(), texts, target, SETTINGS)
    torch.testing.assert_close(ours, expected, rtol=1e-9, atol=1e-10)


def test_furthest_keeps_to_epsilon_and_falls_back_on_the_base():
    # logit = a_0, so the prediction is sigmoid(a_0)
    contribution = torch.tensor([[[1.0], [0.0], [0.0]]]).double()
    bias = torch.zeros(1, 1).double()
    base = torch.tensor([[0.5, 0.5, 0.0]]).double()
    same, further, off = [0.5, 0.4, 0.1], [0.5, 0.0, 0.5], [0.0, 0.0, 1.0]
    found = torch.tensor([same, further, off]).double()[:, None]
    weights, divergence, _, admissible = find_furthest(padded(base, contribution, bias), found, epsilon=0.01)
    assert weights[0].tolist() == further
    assert divergence.item() == pytest.approx(LN2 / 2)
    assert admissible.item() == 2
    weights, divergence, _, admissible = find_furthest(padded(base, contribution, bias), found[2:], epsilon=0.01)
    assert (weights == base).all()
    assert divergence.item() == 0
    assert admissible.item() == 0


def test_finds_far_weights_where_words_are_interchangeable():
    """With equal contributions any attention predicts alike, so the furthest is ln 2 away but for what is left on
    the base's words."""
    readout = make_readout([8, 8, 12])
    attention = [np.eye(len(a), dtype=np.float32)[0] for a in readout.attention]
    contribution = [np.ones_like(z) for z in readout.contribution]
    readout = replace(readout, attention=attention, contribution=contribution)
    found = instance_adversary(readout, InstanceAdversary(seed=0), lambda line: None)
    assert found["jsd"].min() > 0.6
    assert found["tvd"].max() < 1e-6
    assert (found["admissible"] == 5).all()


def test_every_find_is_within_epsilon_and_its_numbers_are_its_own():
    readout = make_readout([6, 20, 9, 13, 13], seed=3)
    settings = InstanceAdversary(steps=100, seed=0)
    found = instance_adversary(readout, settings, lambda line: None)
    for i, weights in enumerate(found["attention"]):
        assert len(weights) == len(readout.attention[i])
        assert weights.sum() == pytest.approx(1, abs=1e-5)
        score = weights @ readout.contribution[i][:, 0] + readout.bias[i, 0]
        change = abs(1 / (1 + np.exp(-score)) - readout.probabilities[i, 1])
        assert change == pytest.approx(found["tvd"][i], abs=1e-5)
        assert change <= settings.epsilon + 1e-5
        pair = torch.from_numpy(weights).double(), torch.from_numpy(readout.attention[i]).double()
        assert found["jsd"][i] == pytest.approx(jsd(*pair).item(), abs=1e-5)


def test_what_is_found_for_a_text_does_not_depend_on_other_texts():
    readout = make_readout([6, 20, 9, 13, 13], seed=3)
    settings = InstanceAdversary(steps=30, seed=0)
    together = instance_adversary(readout, settings, lambda line: None)
    for i, name in enumerate(readout.ids):
        alone = instance_adversary(readout.align([name]), settings, lambda line: None)
        assert alone["jsd"][0] == pytest.approx(together["jsd"][i], abs=1e-4)
        np.testing.assert_allclose(alone["attention"][0], together["attention"][i], atol=1e-3)
