"""Do attributions point to marked words: by hand, order by order, and of models."""

from itertools import groupby, permutations

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from readouts import make_heads, make_pairs, make_readout
from sklearn.metrics import average_precision_score
from small_networks import model_of, random_texts, split_of

from attention_audit.audits.attributed import AttributedTexts
from attention_audit.audits.correlation import plausible_words
from attention_audit.audits.erasure import find_contributions
from attention_audit.audits.plausibility import (
    NAMES,
    Case,
    list_attributions,
    list_cases,
    measure_mass,
    measure_overlap,
    plausibility,
    score_annotators,
)
from attention_audit.audits.settings import Agreement
from attention_audit.corpus.rationales import Rationale


def alone(marked, scores):
    """The measures of one map, from 0 and 1 a word."""
    found = measure_overlap([Case(0, "", np.array(marked, bool))], [np.array(scores)])
    return {name: values.item() for name, values in found.items()}


def of_order(marked, order):
    """Average precision, F1 and IOU of an order of the words, as the papers define them."""
    hits = marked[list(order)]
    k = int(marked.sum())
    precisions = [hits[: place + 1].mean() for place in np.flatnonzero(hits)]
    top, real = set(order[:k]), set(np.flatnonzero(marked).tolist())
    precision = recall = len(top & real) / k
    f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
    return np.mean(precisions), f1, len(top & real) / len(top | real)


def in_every_order(marked, scores):
    """The measures as means over all orders that put higher scores first."""
    places = sorted(range(len(scores)), key=lambda place: -scores[place])
    groups = [list(group) for _, group in groupby(places, key=lambda place: scores[place])]
    orders = [()]
    for group in groups:
        orders = [(*before, *after) for before in orders for after in permutations(group)]
    found = np.mean([of_order(np.array(marked, bool), order) for order in orders], axis=0)
    return dict(zip(("auprc", "f1", "iou"), found, strict=True))


def test_measures_by_hand():
    # in order of scores: marked, not, marked, not, not: precision 1 and 2/3 at the marked words
    found = alone([0, 1, 0, 1, 0], [0.2, 0.9, 0.4, 0.3, 0.1])
    assert found == pytest.approx({"auprc": (1 + 2 / 3) / 2, "f1": 1 / 2, "iou": 1 / 3})


@st.composite
def maps(draw, most=6, alike=True):
    """0 and 1 a word, both at least once; and scores, with or without equals."""
    length = draw(st.integers(2, most))
    marked = draw(st.lists(st.integers(0, 1), min_size=length, max_size=length).filter(lambda x: 0 < sum(x) < len(x)))
    values = st.integers(0, 3 if alike else 10**6)
    return marked, [float(x) for x in draw(st.lists(values, min_size=length, max_size=length, unique=not alike))]


@settings(max_examples=50)
@given(maps())
def test_equal_scores_get_the_mean_over_all_their_orders(drawn):
    assert alone(*drawn) == pytest.approx(in_every_order(*drawn))


@settings(max_examples=50)
@given(maps(most=30, alike=False))
def test_without_equals_auprc_is_average_precision(drawn):
    assert alone(*drawn)["auprc"] == pytest.approx(average_precision_score(*drawn))


@pytest.mark.parametrize("marked", [[0, 0], [1, 1]])
def test_nothing_or_everything_marked_has_no_score(marked):
    assert np.isnan([*alone(marked, [1.0, 2.0]).values()]).all()


@pytest.mark.parametrize(
    ("marked", "scores", "total", "expected"),
    [
        # of a text with a mark of a tokenizer, which has the rest; and of one without any preference
        ([1, 0, 1], [0.5, 0.2, 0.1], 1.0, 0.6),
        ([1, 0, 0], [0.0, 0.0, 0.0], 0.0, 1 / 3),
        ([1, 0], [-0.1, 0.4], 0.3, np.nan),
        ([0, 0], [1.0, 1.0], 2.0, np.nan),
    ],
)
def test_mass_by_hand(marked, scores, total, expected):
    assert measure_mass(np.array(marked, bool), np.array(scores), total) == pytest.approx(expected, nan_ok=True)


RATIONALES = {
    "a": Rationale({"x": [0, 1], "y": [1], "z": [1, 2]}),
    "b": Rationale({"x": [3]}),
    "c": Rationale({"x": [0], "y": []}),
}


def test_maps_of_texts_by_hand():
    found = list_cases(["a", "nobody", "b", "c"], map(np.arange, [4, 2, 3, 2]), RATIONALES)
    # the word that the third text has marked is behind what was read; two annotators agree on nothing
    assert [(case.text, case.source, case.marked.astype(int).tolist()) for case in found] == [
        (0, "x", [1, 1, 0, 0]), (0, "y", [0, 1, 0, 0]), (0, "z", [0, 1, 1, 0]), (0, "", [0, 1, 0, 0]),
        (2, "x", [0, 0, 0]), (3, "x", [1, 0]), (3, "y", [0, 0]), (3, "", [0, 0]),
    ]  # fmt: skip


def others(rationales, lengths):
    """What the other annotators reach."""
    names = [*rationales]
    return pd.DataFrame(score_annotators(names, list_cases(names, map(np.arange, lengths), rationales)), columns=NAMES)


def test_the_other_annotators_by_hand():
    found = others(RATIONALES, [4, 4, 2])
    # of b and c only one annotator has a map that says anything
    assert (found["annotator"].tolist(), found["id"].tolist()) == (["x", "y", "z"], ["a"] * 3)
    # x marks 0 and 1; y and z agree on 1; y and z vote 0 2 1 0: 1 is first, and 0 is third or fourth
    assert found["f1"].tolist() == pytest.approx([2 / 3, 1, 2 / 3])
    assert found["iou"].tolist() == pytest.approx([1 / 2, 1, 1 / 2])
    assert found["auprc"].tolist() == pytest.approx([(1 + (2 / 3 + 2 / 4) / 2) / 2, 1, (1 + (2 / 3 + 2 / 4) / 2) / 2])
    # x and z vote 1 2 1 0 for y
    assert found["mass"].tolist() == pytest.approx([2 / 3, 2 / 4, 2 / 3])


def test_others_that_agree_on_nothing_have_no_set():
    found = others({"a": Rationale({"x": [0], "y": [1], "z": [2]})}, [4])
    assert found[["f1", "iou"]].isna().all(axis=None)
    # the marked word is the third or fourth of those without a vote: two words have one
    assert found["auprc"].tolist() == pytest.approx([(1 / 3 + 1 / 4) / 2] * 3)
    assert found["mass"].tolist() == pytest.approx([0.0] * 3)


def rows(columns, **chosen):
    """The rows of an audit that have these values."""
    frame = pd.DataFrame(columns)
    for name, value in chosen.items():
        frame = frame[frame[name] == value]
    return frame


def check_rows(found, readout, rationales, scores):
    """The rows of an attribution have the measures of its scores, map by map."""
    cases = list_cases(readout.ids, readout.places, rationales)
    about = [(case.source, len(case.marked), case.marked.sum()) for case in cases]
    assert [*found[["annotator", "words", "marked"]].itertuples(index=False, name=None)] == about
    expected = pd.DataFrame(measure_overlap(cases, [scores[case.text][: len(case.marked)] for case in cases]))
    pd.testing.assert_frame_equal(found[[*expected]].reset_index(drop=True), expected)


def test_what_a_readout_says_of_marked_words():
    readout = make_readout([4, 2, 4, 2], outputs=3)
    rationales = {text: RATIONALES[name] for text, name in zip(("text-0", "text-2", "text-3"), "abc", strict=True)}
    counts = {"text-0": [5, 1, 0, 9], "text-2": [1, 1, 1, 1], "text-3": [0, 2]}
    columns = plausibility(readout, rationales, {name: np.array(values) for name, values in counts.items()})
    assert [*dict.fromkeys(columns["attribution"])] == [
        "attention", "gradient", "product", "contribution", "random", "frequency", "others",
    ]  # fmt: skip
    for name, scores in list_attributions(readout).items():
        check_rows(rows(columns, attribution=name), readout, rationales, scores)
    own = rows(columns, attribution="attention", id="text-0")
    weights = readout.attention[0]
    assert own["mass"].tolist() == pytest.approx([weights[:2].sum(), weights[1], weights[1:3].sum(), weights[1]])
    assert rows(columns, attribution="gradient")["mass"].isna().all()
    chance = rows(columns, attribution="random", id="text-0")
    assert chance["mass"].tolist() == pytest.approx([0.5, 0.25, 0.5, 0.25])
    assert chance["f1"].tolist() == pytest.approx([0.5, 0.25, 0.5, 0.25])
    # the rarest words are 2 and 1: y marked 1
    assert rows(columns, attribution="frequency", id="text-0")["auprc"].tolist()[1] == pytest.approx(1 / 2)
    assert rows(columns, attribution="frequency")["mass"].isna().all()
    assert rows(columns, attribution="others")["annotator"].tolist() == ["x", "y", "z"]


def test_exact_contributions_are_those_of_the_readout():
    readout = make_readout([5, 3])
    (texts,) = readout.batches(torch.float64)
    exact, scores = find_contributions(texts), list_attributions(readout)
    for text, length in enumerate(readout.lengths):
        row = int(np.flatnonzero(texts.members == text)[0])
        np.testing.assert_allclose(scores["contribution"][text], exact[row, :length].abs(), rtol=1e-6)
        # attention x gradient is p_m times the signed ones
        p = readout.probabilities[text].max()
        np.testing.assert_allclose(scores["product"][text], p * exact[row, :length], rtol=1e-6)
        np.testing.assert_allclose(scores["attention"][text], readout.attention[text])


def test_without_a_training_split_there_is_no_frequency():
    columns = plausibility(make_readout([4]), {"text-0": RATIONALES["a"]}, {})
    assert "frequency" not in columns["attribution"]
    assert not any(map(len, plausibility(make_readout([4]), {}, {}).values()))


def test_of_pairs_no_exact_contribution_is_known():
    columns = plausibility(make_pairs([4, 3]), {"text-0": RATIONALES["a"]}, {})
    assert set(columns["attribution"]) == {"attention", "gradient", "product", "random", "others"}


def test_marks_of_a_tokenizer_are_items_and_no_words():
    readout = make_heads([6], marks=2)
    columns = plausibility(readout, {"text-0": Rationale({"x": [0, 1]})}, {})
    found = rows(columns, attribution="attention").iloc[0]
    assert (found["words"], found["marked"]) == (4, 2)
    weights = readout.attention[0]
    assert found["mass"] == pytest.approx(weights[:2].sum())
    assert found["auprc"] == pytest.approx(alone([1, 1, 0, 0], weights[:4])["auprc"])
    assert rows(columns, attribution="random")["mass"].tolist() == pytest.approx([2 / 6])


def test_attributions_that_run_the_network_again():
    lengths = [4, 7, 4, 2]
    readout, split = make_readout(lengths, outputs=3), split_of(random_texts(lengths))
    attributed = AttributedTexts(model_of(), split, readout, lambda line: None, Agreement(texts=2, steps=4))
    rationales = {"text-0": RATIONALES["a"], "text-1": RATIONALES["b"], "text-3": RATIONALES["c"]}
    columns = plausible_words(attributed.keep(["plausible_words"], marked=True), rationales)
    expected = {
        "word_gradient": attributed.scores["gradient"],
        "gradient_attached": attributed.scores["gradient_attached"],
        "loo": attributed.deletions.falls,
    }
    assert [*dict.fromkeys(columns["attribution"])] == [*expected, "integrated_gradients"]
    for name, scores in expected.items():
        found = rows(columns, attribution=name)
        check_rows(found, readout, rationales, scores)
        assert found["mass"].isna().all() == (name == "loo")
    # the sample is of texts 0 and 2, and nobody marked the latter
    chosen, (gains, *_) = attributed.integrated_gradients
    assert chosen.tolist() == [0, 2]
    sampled = rows(columns, attribution="integrated_gradients")
    assert set(sampled["id"]) == {"text-0"}
    assert sampled["auprc"].iloc[0] == pytest.approx(alone([1, 1, 0, 0], gains.tolist())["auprc"])


def test_where_nobody_marked_words_the_network_does_not_run():
    readout = make_readout([2])
    nothing_to_run = AttributedTexts(None, None, readout, print)
    kept = nothing_to_run.keep(["plausible_words"], marked=False)
    assert not any(map(len, plausible_words(kept, {}).values()))
