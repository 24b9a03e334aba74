"""Classifiers that are fine-tuned here: their network against the library's own, and their training."""

from operator import attrgetter

import classifiers_on_disk
import numpy as np
import pytest
import torch
from classifiers_on_disk import FAMILIES, NAMES, TEXTS, impose_on_library

from attention_audit.model.attention import soften
from attention_audit.model.batch import Split
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.stages.network_readout import take_classifier, take_maps
from attention_audit.training.loop import make_optimizer, measure_loss, train_epoch
from attention_audit.training.settings import Recipe
from attention_audit.transformer.folder import find_family
from attention_audit.transformer.opening import open_tokenizer
from attention_audit.transformer.pieces import cut
from attention_audit.transformer.settings import MARK_ITEMS
from attention_audit.transformer.states import PieceTable

CPU = torch.device("cpu")
LABELS = np.array([2, 0, 2, 1])
ITEMS = np.array([len(text) for text in TEXTS]) + MARK_ITEMS


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request, tmp_path_factory):
    return classifiers_on_disk.save(tmp_path_factory.mktemp(request.param), request.param, ("a", "b"))


def opened(folder, even=False, seed=0):
    torch.manual_seed(seed)
    return FineTuned(folder, 3, even)


def pieces_of(folder):
    return cut(open_tokenizer(folder), NAMES, TEXTS, None, 40)


def split_of(folder, **carried):
    pieces = pieces_of(folder)
    rows = np.zeros(int((pieces.read + 2).sum()), np.int32)
    return Split(rows, pieces.read, LABELS, CPU, pieces=PieceTable(pieces, CPU), marks=MARK_ITEMS, **carried)


def gradients(model, logits):
    """Of the cross-entropy, by parameter; zeros where a parameter has no part in it."""
    model.zero_grad()
    torch.nn.functional.cross_entropy(logits, torch.from_numpy(LABELS)).backward()
    return {
        name: torch.zeros_like(weight) if weight.grad is None else weight.grad.clone()
        for name, weight in model.named_parameters()
    }


def test_own_attention_is_the_librarys(folder):
    model, batch = opened(folder).eval(), split_of(folder).batch(np.arange(4))
    ours = model(batch)
    theirs = model.model(
        input_ids=batch.pieces.ids,
        attention_mask=batch.pieces.mask.long(),
        output_attentions=True,
    )
    torch.testing.assert_close(ours.logits, theirs.logits, atol=1e-5, rtol=0)
    own, expected = gradients(model, model(batch).logits), gradients(model, theirs.logits)
    torch.testing.assert_close(own, expected, atol=1e-5, rtol=1e-4)
    rows = theirs.attentions[-1][:, :, 0].mean(1)
    for text, items in enumerate(ITEMS):
        words = [text_items for text_items in batch.pieces.items[text].tolist() if text_items >= 0]
        map_ = np.zeros(items)
        np.add.at(map_, words, rows[text, : len(words)].detach().numpy())
        np.testing.assert_allclose(ours.attention[text, :items].detach().numpy(), map_, atol=1e-6)
        assert not ours.attention[text, items:].any()


def test_uniform_weights_are_those_imposed_on_the_whole_library(folder):
    model, batch = opened(folder, even=True).eval(), split_of(folder).batch(np.arange(4))
    by_hand = torch.zeros(batch.pieces.ids.shape)
    for text, items in enumerate(batch.pieces.items.tolist()):
        for place, item in enumerate(items):
            if item >= 0:
                by_hand[text, place] = 1 / (ITEMS[text] * items.count(item))
    torch.testing.assert_close(batch.pieces.even, by_hand)
    ours = model(batch)
    own = gradients(model, ours.logits)
    with impose_on_library(model, by_hand[:, None]):
        theirs = model.compute_logits(batch.pieces)
        expected = gradients(model, theirs)
    torch.testing.assert_close(ours.logits, theirs, atol=1e-5, rtol=0)
    torch.testing.assert_close(own, expected, atol=1e-5, rtol=1e-4)
    for text, items in enumerate(ITEMS):
        np.testing.assert_allclose(ours.attention[text, :items].detach().numpy(), 1 / items, atol=1e-6)


def test_the_head_is_of_the_seed_and_the_encoder_is_not(folder):
    first, again, other = opened(folder), opened(folder), opened(folder, seed=1)
    head = find_family(folder).classifier
    for name, weight in first.model.state_dict().items():
        torch.testing.assert_close(weight, again.model.state_dict()[name])
        same = torch.equal(weight, other.model.state_dict()[name])
        assert same is not (name == f"{head}.weight")


def test_softening_multiplies_the_scores_of_the_first_token(folder):
    model, batch = opened(folder).eval(), split_of(folder).batch(np.array([2]))
    with torch.no_grad():
        own = model.read_attention(batch.pieces).weights[0, :, :]
    soften(model.attention, 0.25)
    softened = (own.log() * 0.25).softmax(-1)
    with torch.no_grad():
        torch.testing.assert_close(model.read_attention(batch.pieces).weights[0], softened, atol=1e-5, rtol=1e-4)
        map_ = np.zeros(ITEMS[2])
        np.add.at(map_, batch.pieces.items[0].numpy(), softened.mean(0).numpy())
        np.testing.assert_allclose(model(batch).attention[0].numpy(), map_, atol=1e-5)


@pytest.mark.parametrize("even", [False, True])
def test_a_training_step_lowers_the_loss_and_the_readout_is_the_network(folder, even):
    model, split = opened(folder, even), split_of(folder)
    recipe = Recipe(learning_rate=1e-3, decoupled=True, average=True, warmup=0.1, clip_norm=1.0, amsgrad=False)
    optimiser, random = make_optimizer(model, recipe), np.random.default_rng(0)
    model.train()
    losses = [train_epoch(model, split, measure_loss, optimiser, recipe, random) for _ in range(8)]
    assert losses[-1] < losses[0]
    model.eval()
    readout = take_classifier(model, pieces_of(folder), NAMES, LABELS, range(3))
    batch = split.batch(np.arange(4))
    with torch.no_grad():
        output = model(batch)
    np.testing.assert_allclose(readout.probabilities, output.logits.softmax(-1).numpy(), atol=1e-5)
    (maps,) = take_maps(model, pieces_of(folder), NAMES, LABELS)
    assert maps.attending is None
    for text, items in enumerate(ITEMS):
        np.testing.assert_allclose(readout.attention[text], output.attention[text, :items].numpy(), atol=1e-5)
        np.testing.assert_allclose(maps.attention[text], readout.attention[text], atol=1e-6)
        if even:
            np.testing.assert_allclose(readout.attention[text], 1 / items, atol=1e-6)


def test_a_split_carries_maps_of_words_and_marks(folder):
    maps = [np.arange(1, items + 1) / (items * (items + 1) / 2) for items in ITEMS]
    members = np.array([3, 0])
    batch = split_of(folder, attention=maps).batch(members)
    with torch.no_grad():
        assert opened(folder).eval()(batch).attention.shape == batch.attention.shape
    for row, member in zip(batch.attention, members, strict=True):
        np.testing.assert_allclose(row[: ITEMS[member]], maps[member], rtol=1e-6)
        assert not row[ITEMS[member] :].any()


def test_a_state_has_one_name_for_each_weight(folder):
    model = opened(folder)
    state = model.state_dict()
    assert len({weight.data_ptr() for weight in state.values()}) == len(state)
    assert {*state} == {f"model.{name}" for name in model.model.state_dict()}
    assert model.decoder is attrgetter(model.family.classifier)(model.model)
