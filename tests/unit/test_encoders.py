"""Encoders of vectors against plain PyTorch ones, sequence by sequence and without padding."""

from functools import partial

import pytest
import torch
from networks import make_architecture, run_packed
from torch import nn
from torch.nn.functional import conv1d, pad

from attention_audit.batching import mark_lengths
from attention_audit.model.architecture import ENCODER_PARTS
from attention_audit.model.encoders import (
    BiGRU,
    TextEncoder,
    build_encoder,
)
from attention_audit.model.network import WordEncoder, build_reader

LENGTHS = torch.tensor([4, 1, 7, 2])


@pytest.fixture
def vectors():
    """Four sequences of vectors of width 5, numbers behind their ends too."""
    torch.manual_seed(1)
    return torch.randn(4, 7, 5)


architecture = partial(make_architecture, hidden=3)


def test_bigru_equals_a_packed_bidirectional_gru(vectors):
    ours = BiGRU(architecture("bigru"), 5)
    gru = nn.GRU(5, 3, batch_first=True, bidirectional=True)
    expected = run_packed(ours, gru, vectors.requires_grad_(), LENGTHS)
    inside = mark_lengths(LENGTHS, 7)
    states = ours(vectors, LENGTHS)
    torch.testing.assert_close(states[inside], expected[inside])
    inputs = [vectors, *ours.parameters()]
    for mine, theirs in zip(
        torch.autograd.grad(states[inside].square().sum(), inputs),
        torch.autograd.grad(expected.square().sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def test_convolutions_have_the_widths_that_are_asked_for_and_are_those_of_each_sequence_alone(vectors):
    encoder = build_encoder(architecture("conv", kernels=[1, 3, 5, 7]), 5)
    states = encoder(vectors, LENGTHS)
    assert encoder.width == 12
    for row, length in enumerate(LENGTHS.tolist()):
        alone = vectors[row, :length].t()
        sides = [
            conv1d(pad(alone, (reach, reach)), each.weight, each.bias) for reach, each in enumerate(encoder.filters)
        ]
        torch.testing.assert_close(states[row, :length], torch.cat(sides).t().clamp(min=0))


def test_the_declared_encoders_are_built_and_sum_up_queries_as_declared():
    for name, entry in ENCODER_PARTS.items():
        # a Transformer is an encoder of its own, and sums a query up as it reads it, together with its text
        if name != "transformer":
            encoder = build_reader(architecture(name))
            assert isinstance(encoder, TextEncoder if entry.marked else WordEncoder)
            assert hasattr(getattr(encoder, "encoder", encoder), "summary") == entry.paired


@pytest.mark.parametrize("given", [{"hierarchical": True}, {"dropout": {"words": 0.1}}])
def test_a_bilstm_is_neither_hierarchical_nor_drops_words(given):
    with pytest.raises(ValueError, match="bilstm reads a whole text between its marks"):
        architecture("bilstm", **given)
