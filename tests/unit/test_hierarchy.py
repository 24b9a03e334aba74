"""Flat and hierarchical attention networks against slow ones that go text by text and sentence by sentence."""

from functools import partial
from itertools import chain, product

import numpy as np
import pytest
import torch
from networks import make_classifier, run_packed
from small_networks import split_of
from torch import nn

from attention_audit.model.encoders import BiLSTM

DOCUMENTS = [[[4, 5, 6], [7]], [[8, 9, 4, 5, 6]], [[5], [6, 6], [7, 8, 9, 4, 5, 6, 7, 8, 9, 4, 5]]]


def split_documents(documents, hierarchical=True, **further):
    if hierarchical:
        further["sentences"] = [np.cumsum([0, *map(len, document)])[:-1] for document in documents]
    return split_of([[2, *chain(*document), 3] for document in documents], **further)


model_of = partial(make_classifier, classes=3)


def attend(attention, states):
    """Weights and context of one sequence of states, (L, H), by a loop over its items."""
    weights = torch.stack([attention.score(attention.affine(h).tanh()) for h in states])[:, 0].softmax(0)
    return weights, sum(w * h for w, h in zip(weights, states, strict=True))


def pooled(encoder, attention, vectors):
    """Weights and context of one sequence of vectors, (L, E)."""
    return attend(attention, encoder(vectors[None], torch.tensor([len(vectors)]))[0])


def read_packed(model, document):
    """Weights and context of a text between its marks, which PyTorch's own bidirectional LSTM reads packed."""
    ids = torch.tensor([[2, *chain(*document), 3]])
    lstm = nn.LSTM(5, 4, bidirectional=True)
    states = run_packed(model.encoder, lstm, model.embedding(ids), torch.tensor(ids.shape[1:]))
    return attend(model.attention, states[0, 1:-1])


def read_slowly(model, document, hierarchical):
    """Logits of one text, and weights of its sentences or words."""
    network = model.encoder
    if isinstance(network, BiLSTM):
        weights, context = read_packed(model, document)
        return model.decoder(context), weights
    vectors = [model.embedding(torch.tensor(sentence)) for sentence in document]
    if hierarchical:
        vectors = [pooled(network.words.encoder, network.attention, sentence)[1][None] for sentence in vectors]
    weights, context = pooled(network.encoder, model.attention, torch.cat(vectors))
    return model.decoder(context), weights


@pytest.mark.parametrize(
    ("encoder", "hierarchical"), [("bilstm", False), *product(["bigru", "conv", "none", "affine"], [False, True])]
)
def test_a_network_equals_the_loop_over_sentences_and_texts_and_a_flat_one_reads_no_marks(encoder, hierarchical):
    model = model_of(encoder, hierarchical=hierarchical)
    output = model(split_documents(DOCUMENTS, hierarchical).batch(np.arange(3)))
    slow = [read_slowly(model, document, hierarchical) for document in DOCUMENTS]
    torch.testing.assert_close(output.logits, torch.stack([logits for logits, _ in slow]))
    assert output.attention.shape == (3, max(len(weights) for _, weights in slow))
    for row, (_, weights) in enumerate(slow):
        torch.testing.assert_close(output.attention[row, : len(weights)], weights)
        assert not output.attention[row, len(weights) :].any()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    ours = torch.autograd.grad(output.logits.square().sum(), parameters)
    theirs = torch.autograd.grad(sum(logits.square().sum() for logits, _ in slow), parameters)
    for mine, reference in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, reference, rtol=1e-4, atol=1e-6)


def test_attention_that_a_split_carries_is_by_sentence():
    batch = split_documents(DOCUMENTS, attention=[[0.25, 0.75], [1.0], [0.5, 0.0, 0.5]]).batch(np.array([2, 0]))
    assert batch.attention.tolist() == [[0.5, 0, 0.5], [0.25, 0.75, 0]]


def test_a_hierarchy_refuses_a_split_without_boundaries():
    batch = split_documents(DOCUMENTS, hierarchical=False).batch(np.arange(3))
    with pytest.raises(ValueError, match="the model needs a split that carries sentence boundaries"):
        model_of("none", hierarchical=True)(batch)


@pytest.mark.parametrize("place", ["words", "sentences", "convolution", "decoder", "logits"])
def test_dropout_acts_in_training_alone(place):
    dropping = model_of("conv", hierarchical=True, dropout={place: 0.5})
    plain = model_of("conv", hierarchical=True)
    batch = split_documents(DOCUMENTS * 5).batch(np.arange(15))
    assert not dropping(batch).logits.equal(plain(batch).logits)
    assert dropping.eval()(batch).logits.equal(plain(batch).logits)


@pytest.mark.parametrize("hierarchical", [False, True])
@pytest.mark.parametrize("encoder", ["bigru", "conv", "none"])
def test_the_authors_first_weights(encoder, hierarchical):
    torchs = dict(model_of(encoder, hierarchical=hierarchical).named_parameters())
    for name, weight in model_of(encoder, hierarchical=hierarchical, initialisation="xavier").named_parameters():
        if "bias_" in name or name == "decoder.bias":
            assert not weight.any()
        elif "weight_hh" in name:
            torch.testing.assert_close(weight.t() @ weight, torch.eye(4))
        elif "weight_ih" in name or name == "decoder.weight":
            bound = (6 / sum(weight.shape)) ** 0.5
            assert 0.7 * bound < weight.abs().max() <= bound
        else:
            assert weight.equal(torchs[name])
