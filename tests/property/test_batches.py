"""However texts are cut into batches, each is there once, whole, and unchanged by its neighbours."""

from itertools import pairwise

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import make_classifier
from readouts import make_readout
from small_networks import CPU, random_texts

from attention_audit.batching import cut_runs, sort_into_runs
from attention_audit.model.batch import RaggedLists, Split
from attention_audit.stages.network_readout import take_readout
from attention_audit.training.loop import draw_batches

LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=30)
SENTENCES = st.lists(st.lists(st.integers(1, 20), min_size=1, max_size=6), min_size=1, max_size=12)
WORDS = 30


def split_of(lengths):
    random = np.random.default_rng(sum(lengths))
    attention = [random.dirichlet(np.ones(length)) for length in lengths]
    return Split(np.concatenate(random_texts(lengths)), lengths, [0] * len(lengths), CPU, attention)


def split_of_sentences(texts):
    """A split whose texts have sentences of these lengths, and words that count up."""
    lengths = [sum(sentences) for sentences in texts]
    starts = np.concatenate([np.cumsum([0, *sentences])[:-1] for sentences in texts])
    ids = np.concatenate([[2, *(4 + np.arange(length) % (WORDS - 4)), 3] for length in lengths])
    sentences = RaggedLists(np.array(starts), np.array([len(text) for text in texts]))
    return Split(ids, lengths, [0] * len(lengths), CPU, sentences=sentences)


def draw_members(data, texts):
    """Draw up to eight of these texts, some of them twice."""
    return np.array(data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, max_size=8)))


@given(LENGTHS, st.integers(1, 40), st.floats(0, 0.9), st.one_of(st.none(), st.integers(1, 200)), st.data())
def test_training_batches_are_a_partition_that_keeps_to_its_budget(lengths, size, noise, tokens, data):
    widths = np.array([data.draw(st.integers(1, length)) for length in lengths])
    random = np.random.default_rng(sum(lengths))
    cut = list(draw_batches(np.array(lengths), size, noise, random, widths, tokens))
    assert sorted(np.concatenate(cut)) == list(range(len(lengths)))
    assert all(len(members) <= size for members in cut)
    if tokens is None:
        assert sum(len(members) < size for members in cut) <= 1
    else:
        assert all(len(members) * widths[members].max() <= tokens or len(members) == 1 for members in cut)


@given(LENGTHS, st.integers(1, 40), st.integers(1, 200))
def test_runs_end_only_where_one_text_more_would_not_fit(lengths, texts, tokens):
    cut = [range(len(lengths))[run] for run in cut_runs(np.array(lengths), texts, tokens)]
    assert [place for run in cut for place in run] == list(range(len(lengths)))
    for run in cut[:-1]:
        more = [lengths[place] for place in (*run, run.stop)]
        assert len(more) > texts or len(more) * max(more) > tokens


@given(LENGTHS, st.integers(1, 200), st.floats(0, 1))
def test_a_run_ends_where_it_would_be_full_or_sparse(lengths, tokens, padding):
    cut = [*sort_into_runs(np.array(lengths), tokens, padding)]
    assert np.concatenate(cut).tolist() == np.argsort(lengths, kind="stable").tolist()
    widths = [np.array(lengths)[run] for run in cut]
    for own, (first, *_) in pairwise(widths):
        padded = (len(own) + 1) * first
        assert padded > tokens or (own.sum() >= tokens / 4 and own.sum() + first < (1 - padding) * padded)
    for own in widths:
        assert len(own) == 1 or len(own) * own[-1] <= tokens
        # without its last text it was too small to be sparse, or it is not sparse with it
        assert own[:-1].sum() < tokens / 4 or own.sum() >= (1 - padding) * len(own) * own[-1]


@given(SENTENCES, st.data())
def test_a_batch_holds_its_sentences_once_in_order(texts, data):
    split, members = split_of_sentences(texts), draw_members(data, texts)
    batch = split.batch(members)
    groups = batch.documents.groups
    rows = [row for g in groups for row in zip(g.words, g.lengths, strict=True)]
    sentences = [words[:length].tolist() for words, length in rows]
    assert len(sentences) == sum(len(texts[member]) for member in members)
    assert not any(words[length:].any() for words, length in rows)
    assert all(g.mask.sum(1).equal(g.lengths) for g in groups)
    assert batch.mask.sum(1).tolist() == batch.items.tolist() == [len(texts[member]) for member in members]
    assert all(g.lengths.max() <= max(8, 2 * g.lengths.min()) for g in groups)
    for row, member in enumerate(members):
        places = batch.documents.places[row, : len(texts[member])].tolist()
        assert [len(sentences[place]) for place in places] == texts[member]
        words = [word for place in places for word in sentences[place]]
        assert words == batch.words[row, : split.lengths[member]].tolist()


@given(LENGTHS, st.data())
def test_a_batch_holds_its_texts_and_zeros_behind(lengths, data):
    split, members = split_of(lengths), draw_members(data, lengths)
    batch = split.batch(members)
    assert batch.mask.sum(1).tolist() == batch.lengths.tolist() == [lengths[member] for member in members]
    alone = [split.batch(np.array([member])) for member in members]
    check_padding(batch.ids, [one.ids[0] for one in alone])
    check_padding(batch.attention, [one.attention[0] for one in alone])


def check_padding(padded, parts):
    """Check that each row holds its part, and zeros behind."""
    for row, part in zip(padded, parts, strict=True):
        np.testing.assert_array_equal(row[: len(part)], part)
        assert not row[len(part) :].any()


def check_neighbours(model, split, items):
    """Check that each text is read out as it is alone."""
    readout = take_readout(model, split, [str(i) for i in range(len(items))])
    assert readout.lengths.tolist() == items
    for i in range(len(items)):
        output = model(split.batch(np.array([i])))
        contributions = model.compute_contributions(output.states)[0].detach()
        np.testing.assert_allclose(readout.attention[i], output.attention[0].detach(), atol=1e-6)
        np.testing.assert_allclose(readout.contribution[i], contributions, rtol=1e-4, atol=1e-6)


@given(LENGTHS)
@settings(deadline=None, max_examples=30)
def test_neighbours_change_no_texts_readout(lengths):
    check_neighbours(make_classifier(words=WORDS), split_of(lengths), lengths)


@given(SENTENCES, st.sampled_from(["bigru", "conv", "none"]))
@settings(deadline=None, max_examples=30)
def test_neighbours_change_no_hierarchical_readout(texts, encoder):
    hierarchy = make_classifier(encoder, words=WORDS, classes=3, hierarchical=True)
    check_neighbours(hierarchy, split_of_sentences(texts), [len(sentences) for sentences in texts])


@given(lengths=LENGTHS, positions=st.integers(1, 200), outputs=st.sampled_from([1, 3]))
def test_a_readouts_batches_are_its_texts(lengths, positions, outputs):
    readout = make_readout(lengths, outputs)
    cut = list(readout.batches(torch.float32, positions))
    seen = [int(member) for texts in cut for member in texts.members]
    assert sorted(seen) == list(range(len(lengths)))
    assert [lengths[member] for member in seen] == sorted(lengths)
    for texts in cut:
        check_padding(texts.attention, [readout.attention[member] for member in texts.members])
        check_padding(texts.contribution, [readout.contribution[member] for member in texts.members])
