"""Words deleted from the input, replaced, or erased softly: by hand, and against texts written so one by one."""

from functools import partial
from math import ceil
from types import SimpleNamespace

import classifiers_on_disk
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from readouts import make_pairs, make_readout
from small_networks import CPU, model_of, predict_alone, random_texts, split_of
from torch import nn

from attention_audit.audits import located as module
from attention_audit.audits.attributed import FURTHER, AttributedTexts, RankedRows
from attention_audit.audits.contributions import ranked_sets
from attention_audit.audits.leave_one_out import predict_without
from attention_audit.audits.located import (
    count_deleted,
    delete_sets,
    draw_others,
    located,
    measure_falls,
    repeat_id,
    replace_words,
    replaced,
)
from attention_audit.audits.rankings import BY_STATES, list_scores, rank
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.audits.soft import SOFT_DRAWS, SOFT_KINDS, Copy, find_kept, predict_copies, scale_scores, soft
from attention_audit.model.batch import Batch, Split
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.stages.network_readout import take_classifier
from attention_audit.transformer.pieces import SPECIAL, cut
from attention_audit.transformer.states import PieceBatch, PieceTable

LENGTHS = [12, 1, 2, 12, 7, 21]
TEXTS = random_texts(LENGTHS)
QUERIES = random_texts([3, 1, 2, 5, 3, 2], seed=1)
NETWORKS = [("bilstm", False), ("affine", False), ("conv", False), ("bilstm", True)]
OCCURRENCES = np.array([0, 0, 0, 0, *range(1, 27)])
"""Of the 30 rows of the embedding, of which the first four are marks."""
NAMES = ["text-0", "text-1"]
CLASSIFIED = [list(classifiers_on_disk.WORDS[:5]), list(classifiers_on_disk.WORDS[3:12])]
AGREEMENT = Agreement(texts=3, steps=4)


def read_by(encoder, pair=False, *sections):
    """The texts, or pairs, as a model has read them."""
    split = split_of(TEXTS, **{"queries": QUERIES} if pair else {})
    readout = (make_pairs if pair else make_readout)(LENGTHS, outputs=3)
    return AttributedTexts(model_of(encoder, pair), split, readout, lambda line: None, *(sections or [AGREEMENT]))


def falls_alone(model, written, member, pair):
    """What the class that is predicted of the first of some texts loses in the others, each a batch of its own."""
    pairs = {"queries": QUERIES[member]} if pair else {}
    before, *after = (predict_alone(model, text, **pairs).numpy() for text in written)
    return before.max() - np.array([predicted[before.argmax()] for predicted in after])


def first_words(order):
    """No words, and the first of an order at each size, as places in the written text."""
    counts = (0, 1, *(ceil(len(order) * share / 100) for share in (5, 10, 20, 50)))
    return [[1 + place for place in order[:count].tolist()] for count in counts]


def test_sizes_by_hand():
    assert count_deleted(np.array([2, 3, 10, 21, 100])).tolist() == [
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 2],
        [1, 1, 1, 2, 5],
        [1, 2, 3, 5, 11],
        [1, 5, 10, 20, 50],
    ]


@given(st.integers(2, 5000))
def test_a_word_goes_and_a_word_stays(length):
    (counts,) = count_deleted(np.array([length]))
    assert counts[0] == 1
    assert ((counts >= 1) & (counts < length)).all()
    assert (np.diff(counts[1:]) >= 0).all()


def test_the_same_words_are_deleted_once(monkeypatch):
    texts, read = read_by("affine"), []
    texts.model.eval()

    def spied(model, split, members, gone):
        read.append(len(members))
        return predict_without(model, split, members, gone)

    monkeypatch.setattr(module, "predict_without", spied)
    first, second = np.arange(12), np.array([1, 0, 2, *range(11, 2, -1)])
    deletions = texts.deletions
    rows = RankedRows(deletions, np.array([0, 3, 0, 0]), np.full(4, 12), [], [], [first, first, first, second], [], [])
    found = measure_falls(rows, partial(delete_sets, texts))
    # 12 words: k = 1, 1, 2, 3, 6; the second order has the first's two and three words, and another six
    assert read == [3 + 3 + 1]
    assert found[0].tolist() == found[2].tolist()
    assert found[3, 2:4].tolist() == found[0, 2:4].tolist()
    assert found[3, 4] != found[0, 4]


def test_rankings_by_states_are_those_of_erasure():
    readout = make_readout([7, 2, 4, 20], outputs=3)
    further = {"loo": [np.random.default_rng(n).normal(size=n) for n in (7, 2, 4, 20)]}
    orders, erased = rank(readout, list_scores(readout, 5) | further)
    assert orders["attention"][3].tolist() == np.argsort(-readout.attention[3], kind="stable").tolist()
    assert orders["loo"][2].tolist() == np.argsort(-further["loo"][2]).tolist()
    sets = ranked_sets(readout, Erasure(seed=5))
    for name in BY_STATES:
        np.testing.assert_array_equal(erased[name], sets["fraction_removed"][np.array(sets["ranking"]) == name])


def test_of_pairs_the_gradient_goes_through_the_head():
    readout = make_pairs([6, 9])
    orders, erased = rank(readout, list_scores(readout, 5))
    assert np.isnan([*erased.values()]).all()
    (texts,) = readout.batches(torch.float64)
    weights = texts.attention.clone().requires_grad_()
    texts.predict(weights[None])[0].max(1).values.sum().backward()
    for text, length in enumerate([6, 9]):
        slopes = weights.grad[text, :length].numpy()
        assert orders["gradient"][text].tolist() == np.argsort(-slopes).tolist()
        assert orders["product"][text].tolist() == np.argsort(-slopes * readout.attention[text]).tolist()


@pytest.mark.parametrize(("encoder", "pair"), [*NETWORKS, ("bigru", False), ("affine", True)])
def test_located_has_a_row_a_ranking_and_text(encoder, pair):
    texts = read_by(encoder, pair)
    columns = located(texts)
    ids = [f"text-{member}" for member in (0, 2, 3, 4, 5)]
    # of the sample 0, 2, 4 all have two words or more
    assert columns["id"] == ids * 5 + ["text-0", "text-2", "text-4"]
    assert columns["ranking"] == [name for name in (*BY_STATES, "loo") for _ in ids] + ["integrated_gradients"] * 3
    assert columns["words"].tolist() == [12, 2, 12, 7, 21] * 5 + [12, 2, 7]
    assert np.isnan(columns["fraction_removed"]).all() == pair
    deletions, (_, gains) = texts.deletions, texts.integrated_gradients
    further = dict(zip(FURTHER, (deletions.falls, gains), strict=True))
    orders, _ = rank(texts.readout, list_scores(texts.readout, Erasure().seed) | further)
    texts.model.eval()
    rows = zip(*(columns[key] for key in ("id", "ranking", "falls", "top_flips")), strict=True)
    for name, ranking, lost, flips in rows:
        member = int(name.removeprefix("text-"))
        order = orders[ranking][member]
        written = [[word for at, word in enumerate(TEXTS[member]) if at not in gone] for gone in first_words(order)]
        assert_allclose(lost, falls_alone(texts.model, written, member, pair), rtol=1e-8, atol=1e-12)
        assert flips == deletions.flips[member][order[0]]
    assert max(lost[0] for lost in columns["falls"]) == max(fall.max() for fall in deletions.falls)


@pytest.mark.parametrize(
    ("audit", "measures", "pair", "near"),
    [
        (located, ("falls", "top_flips", "fraction_removed"), False, 1e-13),
        (soft, SOFT_KINDS, False, 1e-9),
        (soft, SOFT_KINDS, True, 1e-9),
    ],
)
def test_a_sample_of_the_texts_is_asked_as_all_would_be(audit, measures, pair, near):
    settings = [(Agreement(texts=1, steps=4), Deletion(texts=most)) for most in (None, 3)]
    every, some = (audit(read_by("bilstm", pair, *sections)) for sections in settings)
    # evenly spread, 0, 2 and 4; the sample of integrated gradients is among them
    assert dict.fromkeys(some["id"]) == dict.fromkeys(["text-0", "text-2", "text-4"])
    keys = list(zip(every["id"], every["ranking"], strict=True))
    assert len(keys) == len(set(keys)) == 5 * 5 + 1
    for place, key in enumerate(zip(some["id"], some["ranking"], strict=True)):
        for name in measures:
            assert_allclose(some[name][place], every[name][keys.index(key)], rtol=1e-9, atol=near)
            assert audit is located or np.isnan(some[name][place]) or 0 <= some[name][place] <= 1


def test_other_words_by_hand():
    # rows 4, 5 and 6 have the occurrences 0 and 1, 2, and 3; of row 5, what is left is 0 and 3
    occurrences = np.array([0, 0, 0, 0, 2, 1, 1])
    own = np.array([4, 4, 5, 5, 5, 6, 1, 1])
    uniform = np.array([0.0, 0.5, 0.0, 0.34, 0.67, 0.99, 0.0, 0.99])
    assert draw_others(own, occurrences, uniform).tolist() == [5, 6, 4, 4, 6, 5, 4, 6]
    # the training texts have one word alone
    assert draw_others(np.array([4]), np.array([0, 0, 0, 0, 9]), np.array([0.5])).tolist() == [1]


@pytest.mark.parametrize(("encoder", "pair"), NETWORKS)
def test_falls_are_those_of_texts_written_with_other_words(encoder, pair):
    texts = read_by(encoder, pair)
    found, deleted = replaced(texts, OCCURRENCES), located(texts)
    rows = len(deleted["id"])
    assert found["by"] == ["unknown"] * rows + ["likely"] * rows
    assert (found["id"], found["ranking"]) == (deleted["id"] * 2, deleted["ranking"] * 2)
    texts.model.eval()
    draw_likely = partial(module.draw_likely, texts, OCCURRENCES)
    for by, name, ranking, lost in zip(*(found[key] for key in ("by", "id", "ranking", "falls")), strict=True):
        if ranking != "attention":
            continue
        member = int(name.removeprefix("text-"))
        own = torch.tensor([TEXTS[member][1:-1]])
        others = {"unknown": torch.ones_like(own), "likely": draw_likely(np.array([member]), own)}[by][0].tolist()
        assert all(theirs != ours for theirs, ours in zip(others, TEXTS[member][1:-1], strict=True))
        written = [
            [others[at - 1] if at in gone else word for at, word in enumerate(TEXTS[member])]
            for gone in first_words(np.argsort(-texts.readout.attention[member], kind="stable"))
        ]
        assert_allclose(lost, falls_alone(texts.model, written, member, pair), rtol=1e-7, atol=1e-12)


def test_all_pieces_of_a_word_are_masked_and_those_of_a_query_are_not():
    # a mark, words 0 (two pieces), 1 and 2, a mark, the query's word, which is number 3, and padding
    words = torch.tensor([[SPECIAL, 0, 0, 1, 2, SPECIAL, 3, SPECIAL]])
    ids = torch.tensor([[101, 11, 12, 13, 14, 102, 15, 0]])
    one = torch.ones(1, dtype=torch.long)
    pieces = PieceBatch(ids, torch.zeros_like(ids), words, 7 * one, 3 * one, one, 0 * one)
    batch = Batch(torch.zeros(1, 5, dtype=torch.long), 3 * one, 0 * one, pieces=pieces)
    found = replace_words(batch, np.array([0]), torch.tensor([[True, False, True]]), repeat_id(103))
    assert found.pieces.ids.tolist() == [[101, 103, 103, 13, 103, 102, 15, 0]]


def test_a_transformer_has_its_tokenizers_unknown_and_mask(monkeypatch):
    class Classifier:
        folder = "somewhere"

    monkeypatch.setattr(module, "TransformerClassifier", Classifier)
    texts = SimpleNamespace(model=Classifier())
    for unknown, names in ((100, ["unknown", "mask"]), (None, ["mask"])):
        tokenizer = SimpleNamespace(unk_token_id=unknown, mask_token_id=103)
        monkeypatch.setattr(module, "open_tokenizer", lambda folder, own=tokenizer: own)
        found = module.list_stand_ins(texts, np.empty(0, np.int64))
        assert list(found) == names
        assert found["mask"](np.array([0]), torch.tensor([[7, 8]])).tolist() == [[103, 103]]


def test_where_nothing_can_stand_in_there_are_no_rows():
    found = replaced(read_by("affine"), np.empty(0, np.int64))
    assert [len(column) for column in found.values()] == [0] * 5


def test_words_of_a_classifier_are_masked(tmp_path):
    """The first word of attention alone, in the place of each of its pieces, and the library reads the rest."""
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path, names=("a", "b", "c")))
    pieces = cut(classifier.tokenizer, NAMES, CLASSIFIED, None, classifier.most)
    readout = take_classifier(classifier, pieces, NAMES, np.zeros(len(NAMES), np.int64), (0, 1, 2))
    rows = np.zeros(int((pieces.read + 2).sum()), np.int32)
    split = Split(rows, pieces.read, readout.labels, CPU, pieces=PieceTable(pieces, CPU))
    texts = AttributedTexts(classifier, split, readout, lambda line: None, AGREEMENT)
    found = replaced(texts, np.empty(0, np.int64))
    assert set(found["by"]) == {"unknown", "mask"}
    at = list(zip(found["by"], found["ranking"], strict=True)).index(("mask", "attention"))
    text = NAMES.index(found["id"][at])
    first = readout.attention[text][: pieces.read[text]].argmax()
    whole = PieceTable(pieces, CPU).batch(torch.tensor([text])).ids
    classifier.eval()
    start, mask = pieces.starts[text], classifier.tokenizer.mask_token_id
    of_word = torch.from_numpy(pieces.words[start : start + pieces.counts[text]] == first)
    masked = whole.masked_fill(of_word[None], mask)
    before, after = (classifier.model(input_ids=ids).logits.detach().softmax(-1)[0] for ids in (whole, masked))
    assert found["falls"][at][0] == pytest.approx((before - after)[before.argmax()].item(), abs=1e-6)


def test_scores_are_scaled_to_lie_between_0_and_1():
    assert scale_scores(np.array([-1.0, 3.0, 0.0])).tolist() == [0, 1, 0.25]
    assert scale_scores(np.array([0.2, 0.2])).tolist() == [0.5, 0.5]


def test_what_stays_of_words_by_hand():
    """Two words of scores .3 and .8 between marks, and two numbers in each vector."""
    one = torch.ones(1, dtype=torch.long)
    batch = Batch(torch.tensor([[2, 7, 8, 3]]), 2 * one, one)
    scores = torch.tensor([[0.3, 0.8]], dtype=torch.float64)
    uniform = torch.tensor([[[0.9, 0.9], [0.2, 0.5], [0.5, 0.9], [0.0, 0.0]]], dtype=torch.float64)
    below = [[True, True], [True, False], [True, False], [True, True]]
    above = [[True, True], [False, True], [False, True], [True, True]]
    assert find_kept(batch, scores, uniform, torch.tensor([True])).tolist() == [below]
    assert find_kept(batch, scores, uniform, torch.tensor([False])).tolist() == [above]
    # the same words, of which the first has two pieces, behind a mark and before a query
    words = torch.tensor([[SPECIAL, 0, 0, 1, SPECIAL, 2]])
    pieces = PieceBatch(words, words, words, 6 * one, 2 * one, one, 0 * one)
    uniform = torch.tensor([0.9, 0.2, 0.5, 0.5, 0.9, 0.9], dtype=torch.float64)[None, :, None]
    found = find_kept(Batch(batch.ids, 2 * one, one, pieces=pieces), scores, uniform, torch.tensor([True]))
    assert found[0, :, 0].tolist() == [True, True, False, True, True, True]


def cue():
    """A mean of four words of one number each, the first of which says 8 and the others nothing."""
    model = model_of("none", attention="uniform", classes=2).float()
    nn.init.constant_(model.decoder.bias, 0.0)
    nn.init.constant_(model.decoder.weight, 0.1)
    with torch.no_grad():
        model.embedding.weight[4:8] = torch.tensor([8.0, 0, 0, 0])[:, None]
    return AttributedTexts(model, split_of([[2, 4, 5, 6, 7, 3]]), make_readout([4]), lambda line: None, AGREEMENT)


def test_a_score_of_1_erases_a_word_and_a_score_of_0_keeps_it():
    texts = cue()
    rows = ([0, 0, 0, 0], False), ([1, 0, 0, 0], False), ([0, 1, 1, 1], False), ([1, 0, 0, 0], True)
    copies = [Copy(0, 0, np.array(scores, float), keeps) for scores, keeps in rows]
    texts.model.eval()
    # the log odds are five times a tenth of the mean, so 1, or 0 without the cue
    whole, half = 1 / (1 + np.exp(-1)), 0.5
    assert predict_copies(texts, copies) == pytest.approx([whole, half, whole, whole])


def test_an_attribution_to_the_word_that_decides_is_missed_and_suffices():
    columns = soft(cue())
    row = columns["ranking"].index("loo")
    # without the first word p falls to .5, as without all; each other word's deletion raises p, and has the score 0
    assert columns["nothing"][row] == pytest.approx(1.5 - 1 / (1 + np.exp(-1)))
    assert (columns["comprehensiveness"][row], columns["sufficiency"][row]) == pytest.approx((1, 1))
    # in each draw, the shuffled scores miss all or nothing
    for name in SOFT_KINDS[2:]:
        assert columns[name][row] * SOFT_DRAWS == pytest.approx(round(columns[name][row] * SOFT_DRAWS))
        assert columns[name][row] < 1
