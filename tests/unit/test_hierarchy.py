"""Flat and hierarchical attention networks against slow ones that go text by text and sentence by sentence."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from networks import make_classifier
from torch import Tensor, nn

from attention_audit.model.attention import Additive
from attention_audit.model.batch import Lists, Split
from attention_audit.model.network import Classifier

DOCUMENTS = [[[4, 5, 6], [7]], [[8, 9, 4, 5, 6]], [[5], [6, 6], [7, 8, 9, 4, 5, 6, 7, 8, 9, 4, 5]]]
CPU = torch.device("cpu")
ENCODERS = ["bigru", "conv", "none", "affine"]


def split_of(documents: list[list[list[int]]], hierarchical: bool = True, attention: Any = None) -> Split:
    words = [[word for sentence in document for word in sentence] for document in documents]
    starts = [np.cumsum([0, *map(len, document)])[:-1] for document in documents]
    sentences = Lists(np.concatenate(starts), np.array([len(document) for document in documents]))
    flat = np.concatenate([[2, *text, 3] for text in words])
    labels = [number % 2 for number in range(len(documents))]
    return Split(flat, list(map(len, words)), labels, CPU, attention, None, sentences if hierarchical else None)


model_of = partial(make_classifier, classes=3)


def pooled(encoder: nn.Module, attention: Additive, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Weights and context of one sequence of vectors, (L, E), by a loop over its items."""
    states = encoder(vectors[None], torch.tensor([len(vectors)]))[0]
    weights = torch.stack([attention.score(attention.affine(h).tanh()) for h in states])[:, 0].softmax(0)
    return weights, sum(w * h for w, h in zip(weights, states, strict=True))


def slow_hierarchy(model: Classifier, document: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Logits and weights of the sentences of one text."""
    hierarchy = model.encoder
    vectors = [
        pooled(hierarchy.words.encoder, hierarchy.attention, model.embedding(torch.tensor(sentence)))[1]
        for sentence in document
    ]
    weights, context = pooled(hierarchy.encoder, model.attention, torch.stack(vectors))
    return model.decoder(context), weights


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_hierarchy_equals_the_loop_over_sentences_and_texts(encoder: str) -> None:
    model = model_of(encoder, hierarchical=True)
    output = model(split_of(DOCUMENTS).batch(np.arange(3)))
    slow = [slow_hierarchy(model, document) for document in DOCUMENTS]
    torch.testing.assert_close(output.logits, torch.stack([logits for logits, _ in slow]))
    assert output.attention.shape == (3, 3)
    for row, (_, weights) in enumerate(slow):
        torch.testing.assert_close(output.attention[row, : len(weights)], weights)
        assert not output.attention[row, len(weights) :].any()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    ours = torch.autograd.grad(output.logits.square().sum(), parameters)
    theirs = torch.autograd.grad(sum(logits.square().sum() for logits, _ in slow), parameters)
    for mine, reference in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, reference, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_flat_network_equals_the_loop_over_texts_and_reads_no_marks(encoder: str) -> None:
    model = model_of(encoder, hierarchical=False)
    output = model(split_of(DOCUMENTS, hierarchical=False).batch(np.arange(3)))
    for row, document in enumerate(DOCUMENTS):
        text = torch.tensor([word for sentence in document for word in sentence])
        weights, context = pooled(model.encoder.encoder, model.attention, model.embedding(text))
        torch.testing.assert_close(output.attention[row, : len(text)], weights)
        assert not output.attention[row, len(text) :].any()
        torch.testing.assert_close(output.logits[row], model.decoder(context))


def test_attention_that_a_split_carries_is_by_sentence() -> None:
    batch = split_of(DOCUMENTS, attention=[[0.25, 0.75], [1.0], [0.5, 0.0, 0.5]]).batch(np.array([2, 0]))
    assert batch.attention.tolist() == [[0.5, 0, 0.5], [0.25, 0.75, 0]]


def test_a_hierarchy_refuses_a_split_without_boundaries() -> None:
    batch = split_of(DOCUMENTS, hierarchical=False).batch(np.arange(3))
    with pytest.raises(ValueError, match="the model needs a split that carries sentence boundaries"):
        model_of("none", hierarchical=True)(batch)


@pytest.mark.parametrize("place", ["words", "sentences", "convolution", "decoder", "logits"])
def test_dropout_acts_in_training_alone(place: str) -> None:
    dropping = model_of("conv", hierarchical=True, dropout={place: 0.5})
    plain = model_of("conv", hierarchical=True)
    batch = split_of(DOCUMENTS * 5).batch(np.arange(15))
    assert not dropping(batch).logits.equal(plain(batch).logits)
    assert dropping.eval()(batch).logits.equal(plain(batch).logits)


@pytest.mark.parametrize("hierarchical", [False, True])
@pytest.mark.parametrize("encoder", ["bigru", "conv", "none"])
def test_the_authors_first_weights(encoder: str, hierarchical: bool) -> None:
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
