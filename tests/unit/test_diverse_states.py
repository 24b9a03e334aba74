"""LSTMs whose states are made to differ: the orthogonal recurrence, the penalty of conicity, and the suite of both."""

import math

import numpy as np
import pytest
import torch
from networks import make_architecture
from small_networks import model_of, split_of
from torch import nn, tensor
from torch.nn.functional import cosine_similarity

from attention_audit.model.attention import measure_absolute_conicity, measure_conicity
from attention_audit.model.batch import Batch, MarkedBatch
from attention_audit.model.encoders import OrthogonalLSTM
from attention_audit.model.network import Output, build_reader
from attention_audit.training.loop import measure_loss
from attention_audit.training.settings import DiversityObjective

TEXTS = [[2, 5, 6, 7, 8, 3], [2, 4, 3], [2, 9, 4, 6, 3]]
"""Three texts between their marks, 2 and 3."""
NOTHING = torch.zeros(0)


def marked(texts=TEXTS):
    ids = nn.utils.rnn.pad_sequence([tensor(text) for text in texts], batch_first=True)
    return MarkedBatch(ids, tensor([len(text) - 2 for text in texts]))


def make_double(name, hidden=4):
    torch.manual_seed(0)
    return build_reader(make_architecture(name, hidden=hidden)).double(), nn.Embedding(10, 5).double()


def test_each_state_is_orthogonal_to_the_mean_of_those_before_it_and_follows_from_them():
    """Each state is found again from the LSTM's equations and an orthogonal projection by the pseudoinverse."""
    torch.manual_seed(1)
    lstm, words = OrthogonalLSTM(3, 6).double(), torch.randn(7, 2, 3).double() * 2
    states = lstm(words)[0].detach()
    weights = {name: value.detach() for name, value in lstm.cell.named_parameters()}
    for text in range(2):
        memory = torch.zeros(6).double()
        for step in range(7):
            last = states[step - 1, text] if step else torch.zeros(6).double()
            gates = weights["weight_ih"] @ words[step, text] + weights["weight_hh"] @ last
            enter, keep, candidate, leave = (gates + weights["bias_ih"] + weights["bias_hh"]).chunk(4)
            memory = keep.sigmoid() * memory + enter.sigmoid() * candidate.tanh()
            state = leave.sigmoid() * memory.tanh()
            if step:
                mean = states[:step, text].mean(0)
                state = state - mean[:, None] @ torch.linalg.pinv(mean[:, None]) @ state
                assert abs(float(cosine_similarity(states[step, text], mean, dim=0))) < 1e-3
            torch.testing.assert_close(states[step, text], state, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["lstm", "orthogonal_lstm", "orthogonal_bilstm"])
def test_padding_changes_neither_states_nor_summaries(name):
    encoder, embedding = make_double(name)
    together, ends = encoder(embedding, marked()), encoder.summary(embedding, marked())
    for place, text in enumerate(TEXTS):
        alone = marked([text])
        torch.testing.assert_close(together[place, : len(text) - 2], encoder(embedding, alone)[0])
        torch.testing.assert_close(ends[place], encoder.summary(embedding, alone)[0])


def test_an_lstm_is_pytorchs_between_its_marks():
    encoder, embedding = make_double("lstm")
    states, (end, _) = encoder.forwards(embedding(tensor(TEXTS[0]))[:, None])
    torch.testing.assert_close(encoder(embedding, marked())[0, :4], states[1:-1, 0])
    torch.testing.assert_close(encoder.summary(embedding, marked())[0], end[0, 0])


def test_both_directions_of_an_orthogonal_bilstm_are_orthogonal():
    encoder, embedding = make_double("orthogonal_bilstm", 6)
    text = [2, 5, 6, 7, 8, 9, 3]
    states = encoder(embedding, marked([text]))[0].detach()
    # the state of the mark that each direction begins with is the first
    left, right = (
        torch.cat([lstm(embedding(tensor([[mark]])))[0][0].detach(), part])
        for lstm, mark, part in (
            (encoder.forwards, 2, states[:, :6]),
            (encoder.backwards, 3, states[:, 6:].flip(0)),
        )
    )
    for side in (left, right):
        for place in range(1, len(side)):
            assert abs(float(cosine_similarity(side[place], side[:place].mean(0), dim=0))) < 1e-2


def test_conicity_and_its_magnitude_by_hand():
    # the mean of (3, 0), (-1, 0) is (1, 0), with which they have the cosines 1 and -1
    states, mask = tensor([[[3.0, 0.0], [-1.0, 0.0], [9.0, 9.0]]]), tensor([[True, True, False]])
    assert measure_conicity(states, mask).tolist() == [0]
    assert measure_absolute_conicity(states, mask).tolist() == [1]


def test_padding_adds_nothing_to_the_penalty():
    torch.manual_seed(2)
    batch = Batch(torch.ones(3, 6, dtype=torch.int64), tensor([4, 2, 1]), tensor([1, 0, 1]))
    states = torch.randn(3, 4, 3, dtype=torch.float64, requires_grad=True)
    output = Output(torch.zeros(3, 1).double(), NOTHING, states, NOTHING)
    loss = measure_loss(output, batch, DiversityObjective(weight=0.5))
    # a label's probability is 1/2; a single state is its own mean
    assert loss[2].item() == pytest.approx(math.log(2) + 0.5)
    loss.sum().backward()
    assert states.grad[:2][batch.mask[:2]].any(1).all()
    assert not states.grad[~batch.mask].any()


@pytest.mark.parametrize("name", ["lstm", "orthogonal_bilstm"])
def test_of_a_pair_the_states_of_the_text_are_penalised(name):
    model = model_of(name, pair=True).float()
    split = split_of([[2, 4, 5, 6, 3], [2, 7, 9, 3]], queries=[[2, 7, 3], [2, 8, 9, 3]])
    batch = split.batch(np.arange(2))
    output = model(batch)
    assert output.states.shape == (2, 3, model.encoder.width)
    penalty = (measure_loss(output, batch, DiversityObjective(weight=2.0)) - measure_loss(output, batch)).sum()
    torch.testing.assert_close(penalty, 2 * measure_absolute_conicity(output.states, batch.mask).sum())
    penalty.backward()

    def moved(part):
        return max(float(weight.grad.abs().max()) for weight in part.parameters() if weight.grad is not None)

    assert moved(model.query_encoder) < 1e-6
    assert moved(model.encoder) > 1e-3
