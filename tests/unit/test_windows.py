"""Long texts in overlapping windows: which pieces each has, and that logits, gradients and maps are their means."""

from itertools import pairwise

import classifiers_on_disk
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusal import refusal

from attention_audit.audits.gradients import compute_gradients
from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import join_words
from attention_audit.stages.classifier_texts import ReadTexts, build_split_of, cut_pieces
from attention_audit.stages.network_readout import take_classifier, take_word_maps
from attention_audit.transformer.settings import Prompt
from attention_audit.transformer.states import PieceBatch, PieceTable, cut_windows

CPU = torch.device("cpu")
FILMS = ["good", "film", "the", "story", "is", "great", "bad", "a"]
LONG = [FILMS[(at * at + at // 3) % len(FILMS)] for at in range(17)]
TEXTS = [LONG, ["bad", "film"], LONG[5:] + LONG]
NAMES = ["long", "short", "longer"]


def texts_of(written):
    return ReadTexts(NAMES[: len(written)], np.zeros(len(written), np.int64), written)


SINGLE = texts_of([join_words(words) for words in TEXTS])


def batch_of(words, ahead):
    """A text of pieces of these words, of which -1 are marks; each piece's id is its place, from 1."""
    ids, zero = torch.arange(1, 1 + len(words))[None], torch.tensor([0])
    return PieceBatch(ids, ids * 0, torch.tensor([words]), zero + len(words), zero + max(words) + 1, zero, zero + ahead)


@given(
    before=st.integers(0, 2),
    ahead=st.integers(0, 3),
    words=st.integers(1, 40),
    after=st.integers(0, 2),
    room=st.integers(1, 9),
)
def test_windows_hold_all_of_a_text_and_no_more_than_fits(before, ahead, words, after, room):
    text = [-1] * before + [*range(ahead + words)] + [-1] * after
    size = before + ahead + after + room
    windows = cut_windows(batch_of(text, ahead), size)
    begin = before + ahead
    for place, count in zip(windows.place.tolist(), windows.pieces.lengths.tolist(), strict=True):
        own = place[:count]
        assert count == min(size, len(text))
        assert own == sorted(set(own))
        assert own[:begin] == [*range(begin)]
        assert own[count - after :] == [*range(len(text) - after, len(text))]
        sliding = own[begin : count - after]
        assert sliding == [*range(sliding[0], sliding[0] + len(sliding))]
    starts = windows.place[:, begin].tolist()
    assert all(0 < later - one <= max(room // 2, 1) for one, later in pairwise(starts))
    assert {at for row in windows.place.tolist() for at in row} == {*range(len(text))}
    # whatever is summed over a window is summed over the text
    weights = torch.rand(len(windows.text), 2, windows.place.shape[1]).softmax(-1)
    assert torch.allclose(windows.join_scores(weights).sum(-1), torch.ones(1, 2))


@pytest.fixture(scope="module", params=["bert", "modernbert", "gpt2", "llama"])
def classifier(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    classifiers_on_disk.save(folder, request.param, ("a", "b", "c"), moved=True)
    return SequenceClassifier(folder, max_length=10, windowed=True)


def by_hand(classifier, words):
    """The pieces of the windows of a text, as places in it, and what the library says of each window alone."""
    ids = classifier.tokenizer(" ".join(words))["input_ids"]
    marks = classifier.tokenizer.get_special_tokens_mask(ids, already_has_special_tokens=True)
    front, back = marks[0], marks[-1]
    room, sliding, found = 10 - front - back, len(ids) - front - back, []
    starts = [*range(0, sliding - room, room // 2), sliding - room] if sliding > room else [0]
    for start in starts:
        begin = front + start
        own = [*range(front), *range(begin, begin + min(room, sliding)), *range(len(ids) - back, len(ids))]
        with torch.no_grad():
            said = classifier.model(input_ids=torch.tensor([ids])[:, own], output_attentions=True)
        found.append((own, said))
    return found


def test_a_long_text_is_the_mean_of_the_librarys_windows(classifier):
    pieces = cut_pieces(classifier, SINGLE)
    assert pieces.read.tolist() == [17, 2, 29]
    assert not pieces.truncated.any()
    readout = take_classifier(classifier, pieces, NAMES, np.zeros(3, np.int64), [0, 1, 2], layer=2)
    row = -1 if classifier.family.last else 0
    for place, words in enumerate(TEXTS):
        windows = by_hand(classifier, words)
        logits = torch.stack([said.logits[0] for _, said in windows]).mean(0)
        np.testing.assert_allclose(readout.probabilities[place], logits.softmax(-1).numpy(), atol=1e-5)
        weights = np.zeros(int(pieces.counts[place]))
        for own, said in windows:
            weights[own] += said.attentions[-1][0, :, row].mean(0).numpy() / len(windows)
        start = pieces.starts[place]
        of = pieces.words[start : start + pieces.counts[place]]
        expected = np.bincount(of[of >= 0], weights[of >= 0], minlength=len(words))
        np.testing.assert_allclose(readout.attention[place][: len(words)], expected, atol=1e-6)
        assert readout.attention[place].sum() == pytest.approx(1, abs=1e-5)


def test_a_deleted_word_leaves_a_shorter_text_in_windows(classifier):
    split = build_split_of(cut_pieces(classifier, SINGLE), SINGLE, CPU)
    found = leave_one_out(classifier, split)

    def probabilities(words):
        return torch.stack([said.logits[0] for _, said in by_hand(classifier, words)]).mean(0).softmax(-1)

    for at in (1, 7, 16):
        apart = probabilities(LONG) - probabilities(LONG[:at] + LONG[at + 1 :])
        assert found.distances[0][at] == pytest.approx(float(apart.abs().sum() / 2), abs=1e-5)


def test_gradients_are_means_over_windows(classifier):
    """By a finite difference of the vectors of all pieces."""
    texts = texts_of(SINGLE.written[:1])
    pieces = cut_pieces(classifier, texts)
    batch = PieceTable(pieces, CPU).batch(torch.tensor([0]))
    vectors = classifier.look_up_vectors(batch).detach()
    with torch.no_grad():
        chosen = classifier.compute_logits(batch).argmax(1)
    (slope,) = torch.autograd.grad(classifier.compute_logits(batch, vectors.requires_grad_())[0, chosen], vectors)
    step = 1e-2 * torch.sin(torch.arange(vectors.numel()) ** 2.0).view_as(vectors)
    with torch.no_grad():
        ends = [classifier.compute_logits(batch, vectors + sign * step)[0, chosen] for sign in (1, -1)]
    assert float((slope * step).sum()) == pytest.approx(float(ends[0] - ends[1]) / 2, rel=0.02, abs=1e-5)
    assert len(compute_gradients(classifier, build_split_of(pieces, texts, CPU))[0]) == len(LONG)


def test_maps_are_means_over_windows(classifier):
    if classifier.family.before:
        names = ["mean_row", "rollout", "input_gradient"]
    else:
        names = ["rollout", "alti", "gradient_attention", "attn_lrp", "value_zeroing", "decompx"]
    pieces = cut_pieces(classifier, SINGLE)
    found = take_word_maps(classifier, pieces, names)
    alone = SequenceClassifier(classifier.folder)
    assert [len(scores) for scores in found["rollout"]] == [17, 2, 29]
    # a text of one window has the map that it has without
    short = take_word_maps(alone, cut_pieces(alone, texts_of(SINGLE.written[1:2])), names)
    for name in names:
        np.testing.assert_allclose(found[name][1], short[name][0], atol=1e-5)
    if "attn_lrp" in names:
        # both add to the gradient of the text's own logit
        batch = PieceTable(pieces, CPU).batch(torch.tensor([0]))
        with torch.no_grad():
            chosen = int(classifier.compute_logits(batch).argmax())
        (inputs,) = take_word_maps(
            classifier, cut_pieces(classifier, texts_of(SINGLE.written[:1])), ["input_gradient"]
        )["input_gradient"]
        vectors = classifier.look_up_vectors(batch).detach().requires_grad_()
        (slope,) = torch.autograd.grad(classifier.compute_logits(batch, vectors)[0, chosen], vectors)
        expected = batch.weigh_items((vectors * slope).sum(-1).detach()[:, None])[0, 0, : len(LONG)]
        np.testing.assert_allclose(inputs, expected, atol=1e-5)


def test_in_windows_of_a_pair_the_first_text_stays(tmp_path):
    folder = classifiers_on_disk.save(tmp_path, names=("a", "b", "c"), moved=True)
    classifier = SequenceClassifier(folder, max_length=12, windowed=True)
    pair = join_words(["bad", "film"]).join_pair(join_words(LONG))
    pieces = cut_pieces(classifier, texts_of([pair]))
    assert pieces.read.tolist() == [19]
    logits = classifier.compute_logits(PieceTable(pieces, CPU).batch(torch.tensor([0])))[0]
    windows = []
    for start in (0, 3, 6, 9, 10):
        given = classifier.tokenizer("bad film", " ".join(LONG[start : start + 7]), return_tensors="pt")
        assert given["input_ids"].shape[1] == 12
        windows.append(classifier.model(**given).logits[0])
    torch.testing.assert_close(logits, torch.stack(windows).mean(0), atol=1e-5, rtol=1e-5)
    wide = join_words(LONG[:8]).join_pair(join_words(LONG))
    said = refusal(cut_pieces, classifier, texts_of([wide]))
    assert "text 'long': what stands in each of its windows of 12 pieces" in said


def test_in_windows_of_a_prompt_the_prompt_stays(tmp_path):
    folder = classifiers_on_disk.save(tmp_path, "llama", language=True)
    prompt = Prompt(template="why the {text} is", labels=["good", "bad"])
    classifier = SequenceClassifier(folder, prompt, 12, windowed=True)
    pieces = cut_pieces(classifier, texts_of([join_words(LONG)]))
    assert pieces.read.tolist() == [17]
    windows = cut_windows(PieceTable(pieces, CPU).batch(torch.tensor([0])), 12)
    shown = [classifier.tokenizer.convert_ids_to_tokens(row) for row in windows.pieces.ids.tolist()]
    for row in shown:
        assert row[:3] == ["[CLS]", "why", "the"]
        assert row[-1] == "is"
        assert len(row) == 12
