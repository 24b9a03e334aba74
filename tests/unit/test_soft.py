"""Soft erasure: scores, masks and measures by hand."""

import numpy as np
import pytest
import torch
from readouts import make_pairs, make_readout
from small_networks import model_of, split_of
from test_located import LENGTHS, texts_of
from torch import nn

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.audits.soft import DRAWS, KINDS, Copy, find_kept, predict_copies, scale_scores, soft
from attention_audit.model.batch import Batch
from attention_audit.transformer.pieces import SPECIAL
from attention_audit.transformer.states import PieceBatch


def test_scores_are_scaled_to_lie_between_0_and_1() -> None:
    assert scale_scores(np.array([-1.0, 3.0, 0.0])).tolist() == [0, 1, 0.25]
    assert scale_scores(np.array([0.2, 0.2])).tolist() == [0.5, 0.5]


def test_what_stays_of_words_by_hand() -> None:
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


def cue() -> Attributed:
    """A mean of four words of one number each, the first of which says 8 and the others nothing."""
    model = model_of("none", attention="uniform", classes=2).float()
    nn.init.constant_(model.decoder.bias, 0.0)
    nn.init.constant_(model.decoder.weight, 0.1)
    with torch.no_grad():
        model.embedding.weight[4:8] = torch.tensor([8.0, 0, 0, 0])[:, None]
    return Attributed(model, split_of([[2, 4, 5, 6, 7, 3]]), make_readout([4]), lambda line: None)


def test_a_score_of_1_erases_a_word_and_a_score_of_0_keeps_it() -> None:
    texts = cue()
    scores = [np.array(row, float) for row in ([0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 0])]
    copies = [Copy(0, 0, own, keeps) for own, keeps in zip(scores, (False, False, False, True), strict=True)]
    texts.model.eval()
    # the log odds are five times a tenth of the mean, so 1, or 0 without the cue
    whole, half = 1 / (1 + np.exp(-1)), 0.5
    found = predict_copies(texts, np.array([1]), copies, seed=0)
    assert found == pytest.approx([whole, half, whole, whole])


def test_an_attribution_to_the_word_that_decides_is_missed_and_suffices() -> None:
    columns = soft(cue(), Agreement(texts=1, steps=4), Erasure(), Deletion())
    row = columns["ranking"].index("loo")
    # without the first word p falls to .5, as without all; each other word's deletion raises p, and has the score 0
    assert columns["nothing"][row] == pytest.approx(1.5 - 1 / (1 + np.exp(-1)))
    assert (columns["comprehensiveness"][row], columns["sufficiency"][row]) == pytest.approx((1, 1))
    # in each draw, the shuffled scores miss all or nothing
    for name in KINDS[2:]:
        assert columns[name][row] * DRAWS == pytest.approx(round(columns[name][row] * DRAWS))
        assert columns[name][row] < 1


@pytest.mark.parametrize("pair", [False, True])
def test_a_row_an_attribution_and_text_that_hangs_on_no_other(pair: bool) -> None:
    readout = (make_pairs if pair else make_readout)(LENGTHS, outputs=3)
    split = texts_of(pair)
    settings = Agreement(texts=1, steps=4), Erasure()
    every, some = (
        soft(Attributed(model_of("bilstm", pair), split, readout, lambda line: None), *settings, Deletion(texts=most))
        for most in (None, 3)
    )
    keys = list(zip(every["id"], every["ranking"], strict=True))
    assert len(keys) == len(set(keys)) == 5 * 5 + 1
    for place, key in enumerate(zip(some["id"], some["ranking"], strict=True)):
        for name in KINDS:
            np.testing.assert_allclose(some[name][place], every[name][keys.index(key)], atol=1e-9)
            assert np.isnan(some[name][place]) or 0 <= some[name][place] <= 1
