"""Leave-one-out: against texts written without the token, one by one, for every encoder and task."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from small_networks import ENCODERS, model_of, predict_alone, random_texts, split_of

from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.audits.shared_states import Recurrence, share_states
from attention_audit.divergence import tvd
from attention_audit.model.encoders import BiLSTM, VectorEncoder

LENGTHS = [4, 1, 20, 7, 4, 2, 7, 3, 7]
TEXTS = random_texts(LENGTHS)
QUERIES = random_texts([3, 1, 2, 5, 3, 2, 4, 1, 2], seed=1)
CANDIDATES = [[0, 1], [2], [0, 1, 2], [1, 2], [], [0, 2], [0, 1], [1, 2], [0, 1, 2]]
KINDS = [(encoder, "additive", False) for encoder in (*ENCODERS, "none")] + [("bilstm", "dot", False)]
KINDS += [(encoder, attention, True) for encoder in ("bilstm", "affine", "conv") for attention in ("additive", "dot")]


def texts_of(pair):
    pairs = {"queries": QUERIES, "candidates": CANDIDATES} if pair else {}
    return split_of(TEXTS, **pairs)


def singly(model, member, pair):
    """Distances, falls and flips of each deletion in one text, each text a batch of its own."""
    text, pairs = TEXTS[member], {"queries": QUERIES[member], "candidates": CANDIDATES[member]} if pair else {}
    written = [text, *(text[:at] + text[at + 1 :] for at in range(1, len(text) - 1))]
    before, *after = (predict_alone(model, each, **pairs) for each in written)
    chosen = before.argmax()
    return (
        [tvd(predicted, before).item() for predicted in after],
        [(before - predicted)[chosen].item() for predicted in after],
        [bool(predicted.argmax() != chosen) for predicted in after],
    )


@pytest.mark.parametrize(("encoder", "attention", "pair"), KINDS)
def test_every_deletion_equals_encoding_the_shortened_text_alone(encoder, attention, pair):
    model = model_of(encoder, pair, attention)
    found = leave_one_out(model, texts_of(pair))
    for member, (scores, falls, flips) in enumerate(zip(found.distances, found.falls, found.flips, strict=True)):
        if LENGTHS[member] > 1:
            distances, expected, changed = singly(model, member, pair)
            assert_allclose(scores, distances, rtol=1e-9, atol=1e-12)
            assert_allclose(falls, expected, rtol=1e-9, atol=1e-12)
            assert flips.tolist() == changed


class Places(VectorEncoder):
    """The vectors, each times the number of its place, so that a deletion moves all states behind it."""

    def __init__(self, architecture, size):
        super().__init__()
        self.width = size

    def forward(self, vectors, lengths):
        return vectors * torch.arange(1, vectors.shape[1] + 1)[:, None]

    def summary(self, states, lengths):
        return states[:, 0]


class Sharper(BiLSTM):
    """A BiLSTM whose states are doubled."""

    def _read(self, *texts):
        left, right, position = super()._read(*texts)
        return 2 * left, 2 * right, position


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("encoder", ["conv", "bilstm"])
def test_an_encoder_that_is_not_known_reads_every_shortened_text_anew(encoder, pair, monkeypatch):
    monkeypatch.setattr("attention_audit.model.encoders.Convolution", Places)
    monkeypatch.setattr("attention_audit.model.encoders.BiLSTM", Sharper)
    model = model_of(encoder, pair)
    assert share_states(model.encoder, torch.zeros(1, 6, 5).double(), torch.tensor([4])) is None
    for member, scores in enumerate(leave_one_out(model, texts_of(pair)).distances):
        if LENGTHS[member] > 1:
            assert_allclose(scores, singly(model, member, pair)[0], rtol=1e-9, atol=1e-12)
            assert scores.any()


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("states", [1, 40])
def test_how_much_is_done_together_changes_nothing(encoder, states, monkeypatch):
    model, split = model_of(encoder), split_of(TEXTS)
    expected = leave_one_out(model, split).falls
    monkeypatch.setattr("attention_audit.audits.leave_one_out.STATES", states)
    for ours, theirs in zip(leave_one_out(model, split).falls, expected, strict=True):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_the_only_token_of_a_text_is_not_deleted():
    found = leave_one_out(model_of("bilstm"), split_of(TEXTS))
    assert found.distances[1].tolist() == found.falls[1].tolist() == [0.0]
    assert found.flips[1].tolist() == [False]
    assert np.flatnonzero(found.predicted < 0).tolist() == [1]


def test_some_texts_in_any_order():
    model, split = model_of("bilstm"), split_of(TEXTS)
    everything = leave_one_out(model, split).falls
    for member, scores in enumerate(leave_one_out(model, split, np.array([8, 2, 3])).falls):
        expected = everything[member] if member in (8, 2, 3) else np.zeros(split.lengths[member])
        assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pair", [False, True])
def test_the_model_is_as_before(pair):
    model = model_of("bilstm", pair=pair)
    before = dict(model.named_modules())
    leave_one_out(model, texts_of(pair))
    assert dict(model.named_modules()) == before
    assert model.training


@pytest.mark.parametrize(("remember", "steps"), [(-4.0, (0, 0.6)), (6.0, (1, 1))])
def test_a_forgotten_token_is_not_followed_further(remember, steps, monkeypatch):
    text = [2, *np.random.default_rng(1).integers(4, 30, 80).tolist(), 3]
    monkeypatch.setitem(globals(), "TEXTS", [text])
    model = model_of("bilstm")
    for lstm in (model.encoder.forwards, model.encoder.backwards):
        with torch.no_grad():
            lstm.bias_ih_l0[4:8] += remember
    taken = []
    step = Recurrence.take_step

    def counted(self, inputs, hidden, cell):
        taken.append(hidden[..., 0].numel())
        step(self, inputs, hidden, cell)

    monkeypatch.setattr(Recurrence, "take_step", counted)
    (found,) = leave_one_out(model, split_of([text])).distances
    assert_allclose(found, singly(model, 0, pair=False)[0], rtol=1e-8, atol=1e-13)
    # but for the 81 of the text itself, each way
    share = (sum(taken) - 2 * 81) / (80 * 79)
    assert steps[0] <= share <= steps[1]


def test_texts_read_as_sentences_are_refused():
    with pytest.raises(ValueError, match="flat texts"):
        leave_one_out(model_of("affine"), split_of(TEXTS[:1], sentences=[[0, 2]]))
