"""Gradients against finite differences, and integrated gradients against what they must add up to."""

import numpy as np
import pytest
import torch
from small_networks import model_of, split_of
from torch import nn

from attention_audit.audits.gradients import (
    compute_gradients,
    compute_integrated_gradients,
    compute_log_odds,
    get_vectors,
    run_on,
)
from attention_audit.model.tail import probabilities

# the second text has a word twice, and two texts share words
TEXTS = [[2, 4, 5, 6, 7, 3], [2, 8, 5, 8, 3], [2, 5, 3], [2, 6, 4, 8, 9, 5, 7, 3]]
LENGTHS = [4, 3, 1, 6]
PAIRS = {
    "queries": [[2, 4, 3], [2, 5, 6, 3], [2, 9, 3], [2, 7, 3]],
    "candidates": [[0, 2], [1, 2], [0, 1], []],
}
KINDS = [("bilstm", False, 2), ("bilstm", False, 3), ("affine", False, 2), ("conv", False, 2), ("bilstm", True, 3)]


def texts_of(pair=False):
    return split_of(TEXTS, **PAIRS if pair else {})


def predicted(model, batch, vectors, attention):
    """Probabilities of all classes, under weights of the model's own or these."""
    handle = model.attention.register_forward_hook(lambda _, __, own: own if attention is None else attention)
    with torch.no_grad():
        output = run_on(model, batch, vectors)
    handle.remove()
    return probabilities(output.logits)


@pytest.mark.parametrize("attached", [False, True])
@pytest.mark.parametrize(("encoder", "pair", "classes"), KINDS)
def test_gradients_are_finite_differences(encoder, pair, classes, attached):
    model, split, step = model_of(encoder, pair, classes=classes), texts_of(pair), 1e-5
    found = compute_gradients(model, split, attached=attached)
    for member, length in enumerate(LENGTHS):
        batch = split.batch(np.array([member]))
        vectors = get_vectors(model, batch)
        attention = None if attached else model(batch).attention.detach()
        chosen = predicted(model, batch, vectors, attention).argmax()
        slopes = []
        for token in range(1, length + 1):
            # one-hot: more or less of this word at this place
            up, down = vectors.clone(), vectors.clone()
            up[0, token] *= 1 + step
            down[0, token] *= 1 - step
            ends = (predicted(model, batch, end, attention)[0, chosen] for end in (up, down))
            slopes.append(abs(next(ends) - next(ends)).item() / (2 * step))
        np.testing.assert_allclose(found[member], np.array(slopes) / sum(slopes), rtol=1e-5, atol=1e-8)


def test_certain_predictions_have_the_same_shares():
    """A probability that rounds to 1 has no gradient of its own."""
    model, split = model_of(classes=2).float(), texts_of()
    before = compute_gradients(model, split)
    nn.init.constant_(model.decoder.bias, 200.0)
    for ours, theirs in zip(compute_gradients(model, split), before, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_tokens_that_move_nothing_have_zeros():
    model = model_of("affine")
    nn.init.zeros_(model.decoder.weight)
    assert [scores.tolist() for scores in compute_gradients(model, texts_of())] == [[0.0] * n for n in LENGTHS]


def test_log_odds_by_hand():
    three = torch.tensor([[1.0, 3.0, 3.0 - np.log(2)]]).double().log_softmax(-1)
    p = three.exp().max().item()
    assert compute_log_odds(three).item() == pytest.approx(np.log(p / (1 - p)))
    assert compute_log_odds(torch.tensor([[-2.5]])).item() == -2.5


def test_a_lone_candidate_has_no_gradient():
    logits = torch.tensor([[1.0, 0.5], [2.0, -np.inf]], requires_grad=True)
    odds = compute_log_odds(logits)
    (slope,) = torch.autograd.grad(odds.sum(), logits)
    assert odds[1] == 0
    assert slope.tolist() == [[1.0, -1.0], [0.0, 0.0]]


@pytest.mark.parametrize("attached", [False, True])
def test_the_model_is_as_before(attached):
    model, split = model_of("bilstm"), texts_of()
    compute_gradients(model, split, attached=attached)
    assert model.training
    assert all(parameter.grad is None for parameter in model.parameters())
    weights = model(split.batch(np.arange(4))).attention
    assert weights.requires_grad


@pytest.mark.parametrize(("encoder", "pair", "classes"), KINDS)
def test_integrated_gradients_add_up_to_the_gain(encoder, pair, classes):
    model, split = model_of(encoder, pair, classes=classes).eval(), texts_of(pair)
    members = np.array([3, 0, 1])
    batch = split.batch(members)
    vectors = get_vectors(model, batch)
    nothing = vectors.clone()
    for row, member in enumerate(members):
        nothing[row, 1 : 1 + LENGTHS[member]] = 0
    whole, start = (predicted(model, batch, ends, None) for ends in (vectors, nothing))
    gain = (whole - start).gather(1, whole.argmax(1, keepdim=True)).squeeze(1)
    found = compute_integrated_gradients(model, split, 400, members)
    assert [found[member].sum() for member in members] == pytest.approx(gain.tolist(), rel=1e-3, abs=1e-4)


def test_integrated_gradients_of_a_linear_model_are_its_terms():
    """Log odds are a mean of words here, so what a word brings is its term's share of them, with its sign."""
    model = model_of("none", attention="uniform", classes=2).float()
    terms = (model.embedding.weight @ model.decoder.weight[0]).detach().numpy()
    bias = model.decoder.bias.item()
    for text, scores in zip(TEXTS, compute_integrated_gradients(model, texts_of(), 20, np.arange(4)), strict=True):
        brought = terms[text[1:-1]]
        sign = np.sign(brought.mean() + bias)
        shares = scores / np.abs(scores).sum()
        np.testing.assert_allclose(shares, sign * brought / np.abs(brought).sum(), rtol=1e-4)
