"""The values of attributions, kept word by word."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import spearmanr
from small_networks import model_of, random_texts, split_of

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.correlation import word_attributions
from attention_audit.audits.gradients import gradients
from attention_audit.audits.settings import Agreement, Deletion
from attention_audit.audits.stability import attribution_stability
from attention_audit.readout import Readout

LENGTHS = [5, 1, 3, 8]
TEXTS = random_texts(LENGTHS, seed=1)


def by_text(columns: dict[str, Any], name: str) -> dict[str, npt.NDArray[np.float32]]:
    rows = zip(columns["id"], columns["attribution"], columns["scores"], strict=True)
    return {id_: scores for id_, attribution, scores in rows if attribution == name}


def test_every_word_has_the_values_that_the_audits_measure(random_readout: Callable[..., Readout]) -> None:
    model, split, readout = model_of(), split_of(TEXTS), random_readout(LENGTHS, outputs=3)
    texts = Attributed(model, split, readout, lambda line: None)
    columns = word_attributions(texts, Agreement(texts=2, steps=4), Deletion())
    assert {len(values) for values in columns.values()} == {4 + 4 + 2}
    for id_, length, falls in zip(readout.ids, LENGTHS, texts.deletions.falls, strict=True):
        assert len(falls) == length
        np.testing.assert_allclose(by_text(columns, "loo")[id_], falls, rtol=1e-5)
    for id_, shares in zip(readout.ids, gradients(model, split), strict=True):
        np.testing.assert_allclose(by_text(columns, "gradient")[id_], shares, rtol=1e-5)
    # evenly spread, 0 and 2
    chosen, gains = texts.integrated(Agreement(texts=2, steps=4))
    assert [*by_text(columns, "integrated_gradients")] == ["text-0", "text-2"]
    for member in chosen:
        np.testing.assert_allclose(by_text(columns, "integrated_gradients")[f"text-{member}"], gains[member], rtol=1e-5)


def test_where_fewer_texts_are_asked_leave_one_out_is_known_of_the_sample(
    random_readout: Callable[..., Readout],
) -> None:
    texts = Attributed(model_of(), split_of(TEXTS), random_readout(LENGTHS, outputs=3), lambda line: None)
    columns = word_attributions(texts, Agreement(texts=2, steps=4), Deletion(texts=3))
    assert [*by_text(columns, "loo")] == ["text-0", "text-2"]
    assert len(by_text(columns, "gradient")) == len(TEXTS)
    assert "deletions" not in vars(texts)


def test_another_training_is_held_against_all_earlier_ones(random_readout: Callable[..., Readout]) -> None:
    split, settings, earlier = split_of(TEXTS), (Agreement(texts=2, steps=4), Deletion()), {}
    readouts = [random_readout(LENGTHS, outputs=3, seed=seed) for seed in (1, 2, 3)]
    found, words = [], []
    for seed, readout in enumerate(readouts, start=10):
        texts = Attributed(model_of(seed=seed), split, readout, lambda line: None, seed=seed, earlier=earlier)
        found.append(attribution_stability(texts, *settings))
        words.append(word_attributions(texts, *settings))
    assert [sorted(set(columns["other"])) for columns in found] == [[], [10], [10, 11]]
    rows = {row[:3]: row[3] for row in zip(*(found[2][name] for name in ("other", "id", "map", "rho")), strict=True)}
    # the second text has one word, and integrated gradients are of the first and the third
    assert {id_ for _, id_, _ in rows} == {"text-0", "text-2", "text-3"}
    assert {id_ for _, id_, name in rows if name == "integrated_gradients"} == {"text-0", "text-2"}
    for name in ("loo", "integrated_gradients"):
        one, other = (by_text(words[place], name)["text-2"] for place in (1, 2))
        assert rows[11, "text-2", name] == pytest.approx(spearmanr(one, other).statistic)
    # the product orders words as their exact contributions do
    exact = []
    for readout in readouts[1:]:
        predicted, z = readout.probabilities[2], readout.contribution[2]
        exact.append(readout.attention[2] * (z[:, predicted.argmax()] - z @ predicted))
    assert rows[11, "text-2", "product"] == pytest.approx(spearmanr(*exact).statistic)
