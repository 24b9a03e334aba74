"""Kinds of attention, and probabilities, by hand."""

import math

import numpy as np
import pytest
import torch
from networks import make_architecture, make_classifier
from small_networks import split_of
from torch import nn

from attention_audit.model.attention import PLACES, RandomAttention, build_attention
from attention_audit.model.batch import Batch, Sentences
from attention_audit.model.tail import probabilities

TEXTS = [[2, 4, 5, 6, 7, 3], [2, 8, 3], [2, 5, 5, 9, 3]]


@pytest.mark.parametrize(("name", "scale"), [("dot", 2), ("linear", 1)])
def test_dot_and_linear_attention_by_hand(name, scale):
    # scores h v / scale are 0, ln 2 and ln 3
    attention = build_attention(make_architecture(attention=name), 4)
    nn.init.ones_(attention.score.weight)
    states = torch.tensor([0.0, math.log(2), math.log(3), 9.0])[None, :, None].expand(1, 4, 4) * scale / 4
    batch = Batch(torch.zeros(1, 6), torch.tensor([3]), torch.zeros(1))
    torch.testing.assert_close(attention(states, batch), torch.tensor([[1 / 6, 2 / 6, 3 / 6, 0]]))


@pytest.mark.parametrize(
    ("attention", "expected"),
    [
        ("uniform", [[0.25] * 4, [1.0, 0, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0]]),
        # that of the split
        ("imposed", [[0.1, 0.2, 0.3, 0.4], [1.0, 0, 0, 0], [0.5, 0, 0.5, 0]]),
        # that of the places, whatever the words
        ("drawn", [[1 / 7, 2 / 7, 3 / 7, 1 / 7], [1.0, 0, 0, 0], [1 / 6, 2 / 6, 3 / 6, 0]]),
    ],
)
def test_attention_that_learns_nothing(attention, expected):
    model = make_classifier("affine", attention)
    if attention == "drawn":
        model.attention.scores = torch.tensor([1.0, 2.0, 3.0, 1.0]).log()
    split = split_of(TEXTS, attention=[[0.1, 0.2, 0.3, 0.4], [1.0], [0.5, 0.0, 0.5]])
    torch.testing.assert_close(model(split.batch(np.arange(3))).attention, torch.tensor(expected))
    assert not list(model.attention.parameters())


def test_drawn_scores_repeat_where_a_text_has_more_places():
    texts = Sentences(torch.ones(1, PLACES + 2, dtype=torch.long), torch.tensor([PLACES + 2]))
    weights = RandomAttention(make_architecture(), 4)(torch.zeros(1, PLACES + 2, 4), texts)[0]
    torch.testing.assert_close(weights[PLACES:], weights[:2])
    assert len(weights[:PLACES].unique()) > 0.9 * PLACES


def test_two_class_probabilities_are_the_sigmoid_and_its_complement():
    p = probabilities(torch.tensor([[0.0], [2.0]]))
    torch.testing.assert_close(p, torch.tensor([[0.5, 0.5], [1 - 0.8807971, 0.8807971]]))
    torch.testing.assert_close(probabilities(torch.zeros(1, 4)), torch.full((1, 4), 0.25))
