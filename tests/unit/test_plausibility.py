"""Do attributions point to marked words: by hand, and of models."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pandas as pd
import pytest
import torch
from marked_words import alone, cases, in_every_order

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.plausibility import cases_of, from_states, mass, others, overlap, plausibility
from attention_audit.audits.plausible_words import plausible_words
from attention_audit.audits.settings import Agreement
from attention_audit.corpus.rationales import Rationale
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, network
from attention_audit.readout import Readout

MakeReadout = Callable[..., Readout]


def test_measures_by_hand() -> None:
    # in order of scores: marked, not, marked, not, not: precision 1 and 2/3 at the marked words
    found = alone([0, 1, 0, 1, 0], [0.2, 0.9, 0.4, 0.3, 0.1])
    assert found == pytest.approx({"auprc": (1 + 2 / 3) / 2, "f1": 1 / 2, "iou": 1 / 3})


def test_equal_scores_by_hand() -> None:
    # one marked word of three alike: it is first, second or third with the same probability
    assert alone([1, 0, 0], [5.0, 5.0, 5.0]) == pytest.approx(
        {"auprc": (1 + 1 / 2 + 1 / 3) / 3, "f1": 1 / 3, "iou": 1 / 3}
    )
    # the first is marked; of the next two, one is: both orders give F1 1/2 or 1, and IOU 1/3 or 1
    assert alone([1, 1, 0, 0], [3.0, 2.0, 2.0, 1.0]) == pytest.approx(
        {"auprc": (1 + (1 + 2 / 3) / 2) / 2, "f1": 3 / 4, "iou": 2 / 3}
    )


def test_the_place_of_a_word_is_no_help() -> None:
    first, last = alone([1, 0, 0, 0], [0.25] * 4), alone([0, 0, 0, 1], [0.25] * 4)
    assert first == pytest.approx(last)


@pytest.mark.parametrize(("length", "k"), [(2, 1), (5, 1), (5, 4), (6, 3)])
def test_scores_that_are_all_alike_get_what_random_orders_get(length: int, k: int) -> None:
    marked = [1] * k + [0] * (length - k)
    found = alone(marked, [0.0] * length)
    assert found == pytest.approx(in_every_order(marked, [0.0] * length))
    assert found["f1"] == pytest.approx(k / length)


def test_nothing_or_everything_marked_has_no_score() -> None:
    found = overlap(cases([0, 0], [1, 0], [1, 1]), np.array([1.0, 2, 3, 4, 5, 6]))
    assert all(np.isnan(values).tolist() == [True, False, True] for values in found.values())


def test_mass_by_hand() -> None:
    maps = cases([1, 0, 1], [1, 0, 0], [1, 0], [0, 0])
    scores = np.array([0.5, 0.2, 0.1, 0.0, 0.0, 0.0, -0.1, 0.4, 1.0, 1.0])
    # the first text has a mark of a tokenizer, which has the rest; the second is without any preference
    assert mass(maps, scores, np.array([1.0, 0.0, 0.3, 2.0])) == pytest.approx(
        [0.6, 1 / 3, np.nan, np.nan], nan_ok=True
    )


RATIONALES = {
    "a": Rationale({"x": [0, 1], "y": [1], "z": [1, 2]}),
    "b": Rationale({"x": [3]}),
    "c": Rationale({"x": [0], "y": []}),
}


def test_maps_of_texts_by_hand() -> None:
    found = cases_of(["a", "nobody", "b", "c"], map(np.arange, [4, 2, 3, 2]), RATIONALES)
    assert found.sources == ["x", "y", "z", "", "x", "x", "y", ""]
    assert found.text.tolist() == [0, 0, 0, 0, 2, 3, 3, 3]
    # the word that the third text has marked is behind what was read; two annotators agree on nothing
    assert found.count.tolist() == [2, 1, 2, 1, 0, 1, 0, 0]
    assert found.scored.tolist() == [True, True, True, True, False, True, False, False]
    assert found.marked[:16].reshape(4, 4).astype(int).tolist() == [
        [1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0],
    ]  # fmt: skip


def test_the_other_annotators_by_hand() -> None:
    asked, found = others(cases_of(["a", "b", "c"], map(np.arange, [4, 4, 2]), RATIONALES))
    # of b and c only one annotator has a map that says anything
    assert (asked.sources, asked.text.tolist()) == (["x", "y", "z"], [0, 0, 0])
    # x marks 0 and 1; y and z agree on 1; y and z vote 0 2 1 0: 1 is first, and 0 is third or fourth
    assert found["f1"] == pytest.approx([2 / 3, 1, 2 / 3])
    assert found["iou"] == pytest.approx([1 / 2, 1, 1 / 2])
    assert found["auprc"] == pytest.approx([(1 + (2 / 3 + 2 / 4) / 2) / 2, 1, (1 + (2 / 3 + 2 / 4) / 2) / 2])
    # x and z vote 1 2 1 0 for y
    assert found["mass"] == pytest.approx([2 / 3, 2 / 4, 2 / 3])


def test_others_that_agree_on_nothing_have_no_set() -> None:
    rationales = {"a": Rationale({"x": [0], "y": [1], "z": [2]})}
    _, found = others(cases_of(["a"], map(np.arange, [4]), rationales))
    assert np.isnan(found["f1"]).all()
    assert np.isnan(found["iou"]).all()
    # the marked word is the third or fourth of those without a vote: two words have one
    assert found["auprc"] == pytest.approx([(1 / 3 + 1 / 4) / 2] * 3)
    assert found["mass"] == pytest.approx([0.0] * 3)


def rows(columns: dict[str, list[object]], **chosen: object) -> pd.DataFrame:
    """The rows of an audit that have these values."""
    frame = pd.DataFrame(columns)
    for name, value in chosen.items():
        frame = frame[frame[name] == value]
    return frame


def test_what_a_readout_says_of_marked_words(random_readout: MakeReadout) -> None:
    readout = random_readout([4, 2, 4, 2], outputs=3)
    names = dict(zip(("text-0", "text-2", "text-3"), "abc", strict=True))
    rationales = {text: RATIONALES[name] for text, name in names.items()}
    counts = {"text-0": [5, 1, 0, 9], "text-2": [1, 1, 1, 1], "text-3": [0, 2]}
    columns = plausibility(readout, rationales, {name: np.array(values) for name, values in counts.items()})
    everything = rows(columns)
    assert list(everything["attribution"].unique()) == [
        "attention", "gradient", "product", "contribution", "random", "frequency", "others",
    ]  # fmt: skip
    marked = cases_of(readout.ids, readout.places, rationales)
    for name, scores in from_states(readout).items():
        found = rows(columns, attribution=name)
        assert found["annotator"].tolist() == marked.sources
        assert found["words"].tolist() == marked.words.tolist()
        assert found["marked"].tolist() == marked.count.tolist()
        for measure, values in overlap(marked, marked.flat(scores)).items():
            np.testing.assert_array_equal(found[measure], values)
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


def test_exact_contributions_are_those_of_the_readout(random_readout: MakeReadout) -> None:
    readout = random_readout([5, 3])
    (texts,) = readout.batches(torch.float64)
    exact = texts.exact_contributions()
    scores = from_states(readout)
    assert exact is not None
    for text, length in enumerate(readout.lengths):
        row = int(np.flatnonzero(texts.members == text)[0])
        np.testing.assert_allclose(scores["contribution"][text], exact[row, :length].abs(), rtol=1e-6)
        # attention x gradient is p_m times the signed ones
        p = readout.probabilities[text].max()
        np.testing.assert_allclose(scores["product"][text], p * exact[row, :length], rtol=1e-6)
        np.testing.assert_allclose(scores["attention"][text], readout.attention[text])


def test_without_a_training_split_there_is_no_frequency(random_readout: MakeReadout) -> None:
    columns = plausibility(random_readout([4]), {"text-0": RATIONALES["a"]}, {})
    assert "frequency" not in columns["attribution"]
    assert all(len(values) == 0 for values in plausibility(random_readout([4]), {}, {}).values())


def test_of_pairs_no_exact_contribution_is_known(random_pairs: MakeReadout) -> None:
    columns = plausibility(random_pairs([4, 3]), {"text-0": RATIONALES["a"]}, {})
    assert set(columns["attribution"]) == {"attention", "gradient", "product", "random", "others"}


def test_marks_of_a_tokenizer_are_items_and_no_words(random_heads: MakeReadout) -> None:
    readout = random_heads([6], marks=2)
    columns = plausibility(readout, {"text-0": Rationale({"x": [0, 1]})}, {})
    found = rows(columns, attribution="attention").iloc[0]
    assert (found["words"], found["marked"]) == (4, 2)
    weights = readout.attention[0]
    assert found["mass"] == pytest.approx(weights[:2].sum())
    ranked = {"auprc": alone([1, 1, 0, 0], weights[:4].tolist())["auprc"]}
    assert found["auprc"] == pytest.approx(ranked["auprc"])
    assert rows(columns, attribution="random")["mass"].tolist() == pytest.approx([2 / 6])


def test_attributions_that_run_the_network_again(random_readout: MakeReadout) -> None:
    torch.manual_seed(0)
    sizes = {"embedding": 5, "pretrained": False, "hidden": 4, "attention_hidden": 3}
    model = network(
        Architecture.model_validate({"encoder": "bilstm", "attention": "additive", **sizes}), words=30, classes=3
    )
    lengths, random = [4, 7, 4, 2], np.random.default_rng(0)
    texts = np.concatenate([[2, *random.integers(4, 30, n), 3] for n in lengths])
    readout, settings = random_readout(lengths, outputs=3), Agreement(texts=2, steps=4)
    attributed = Attributed(model, Split(texts, lengths, [0] * 4, torch.device("cpu")), readout, lambda line: None)
    rationales = {"text-0": RATIONALES["a"], "text-1": RATIONALES["b"], "text-3": RATIONALES["c"]}
    columns = plausible_words(attributed, rationales, settings)
    marked = cases_of(readout.ids, readout.places, rationales)
    expected = {
        "word_gradient": attributed.scores["gradient"],
        "gradient_attached": attributed.scores["gradient_attached"],
        "loo": attributed.deletions.falls,
    }
    assert list(rows(columns)["attribution"].unique()) == [*expected, "integrated_gradients"]
    for name, scores in expected.items():
        found = rows(columns, attribution=name)
        assert found["annotator"].tolist() == marked.sources
        for measure, values in overlap(marked, marked.flat(scores)).items():
            np.testing.assert_array_equal(found[measure], values)
        assert found["mass"].isna().all() == (name == "loo")
    # the sample is of texts 0 and 2, and nobody marked the latter
    chosen, (gains, *_) = attributed.integrated(settings)
    assert chosen.tolist() == [0, 2]
    sampled = rows(columns, attribution="integrated_gradients")
    assert set(sampled["id"]) == {"text-0"}
    assert sampled["auprc"].iloc[0] == pytest.approx(alone([1, 1, 0, 0], gains.tolist())["auprc"])


def test_where_nobody_marked_words_the_network_does_not_run(random_readout: MakeReadout) -> None:
    split = Split([2, 5, 6, 3], [2], [0], torch.device("cpu"))
    model = torch.nn.Module()  # has nothing to run
    attributed = Attributed(cast(Network, model), split, random_readout([2]), lambda line: None)
    assert all(len(values) == 0 for values in plausible_words(attributed, {}, Agreement()).values())
