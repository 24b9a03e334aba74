"""Targets of a classifier at hand: labels, classes and numbers that are asked of by name. Values are those of plain
transformers, and of two-class models that say the same.
"""

import re
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import classifiers_on_disk as on_disk
import numpy as np
import pandas as pd
import pytest
import torch
from refusal import refusal
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import attention_audit
from attention_audit import audit_classifier
from attention_audit.api.targets import PREDICTED, GoldLabels, TargetChoice, read_label_rows
from attention_audit.model.outputs import PROBIT, Target, make_class, make_label, make_number, make_target, mark_said
from attention_audit.model.sequence_classifier import SequenceClassifier

WORDS = [word for word in on_disk.WORDS if word.isalpha()]
TEXTS = [" ".join(WORDS[(start + 3 * step) % len(WORDS)] for step in range(3 + start % 4)) for start in range(12)]
NAMES = ("joy", "love", "anger")
GOLD = [["joy"], [], ["anger", "love"]] * 4
ask = partial(audit_classifier, tokenizer=None, texts=TEXTS, progress=False)


@cache
def folder(names=NAMES, task="multi_label_classification", seed=0):
    return str(on_disk.save(Path(mkdtemp()), names=names, problem_type=task, seed=seed))


@cache
def outputs(path):
    """What the library's model returns of the texts, (N, K)."""
    model, tokenizer = AutoModelForSequenceClassification.from_pretrained(path), AutoTokenizer.from_pretrained(path)
    with torch.no_grad():
        return torch.cat([model(**tokenizer(text, return_tensors="pt")).logits for text in TEXTS]).double()


def make_two_classes(path, weight, bias):
    """Make a classifier of two classes whose second logit has these weights of the last layer, and the first is 0."""
    model = AutoModelForSequenceClassification.from_pretrained(path)
    model.classifier = torch.nn.Linear(model.config.hidden_size, 2)
    model.classifier.weight.data = torch.stack([torch.zeros_like(weight), weight])
    model.classifier.bias.data = torch.tensor([0.0, float(bias)])
    model.config.id2label, model.config.problem_type = {0: "no", 1: "yes"}, "single_label_classification"
    model.config.label2id, target = {"no": 0, "yes": 1}, mkdtemp()
    model.save_pretrained(target)
    AutoTokenizer.from_pretrained(path).save_pretrained(target)
    return target


def test_a_label_begins_at_its_threshold():
    """logit(.35) = ln(7 / 13), which is in float32 another number; any training may say a label."""
    begins = make_label(0, 0.35).centre
    assert begins == pytest.approx(np.log(7 / 13), rel=1e-15)
    rows = [[[begins], [begins - 1e-9], [-9.0]], [[-9.0], [-9.0], [begins + 1e-9]]]
    outputs = [torch.tensor(each, dtype=torch.float64) for each in rows]
    assert mark_said("labels", outputs, [0.35])[:, 0].tolist() == [True, False, True]


def values_of(found):
    """The numbers of each question."""
    return found[["value", "low", "high", "texts"]].to_numpy(float)


def last_layer(path):
    layer = AutoModelForSequenceClassification.from_pretrained(path).classifier
    return layer.weight.detach(), layer.bias.detach()


def test_a_target_is_one_logit_by_hand():
    scores = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)
    chance = scores.softmax(0)
    # beside the likeliest other class, whichever that is
    assert make_class(1, range(3)).read(scores).item() == pytest.approx(1.0)
    assert make_class(2, range(3)).read(scores).item() == pytest.approx(-1.5)
    told = make_class(1, [0]).read(scores).sigmoid().item()
    assert told == pytest.approx((chance[1] / (chance[0] + chance[1])).item())
    # a label whose probability is its threshold is at 1/2
    label = make_label(0, 0.3)
    assert label.read(torch.tensor([np.log(0.3 / 0.7), 0.0])).sigmoid().item() == pytest.approx(0.5)
    values = torch.tensor([1.0, 2.0, 3.0, 6.0])
    number = make_number(0, values)
    spread = float(np.std([1, 2, 3, 6], ddof=1))
    assert number.read(torch.tensor([2.5])).item() == pytest.approx(0)
    assert number.read(torch.tensor([2.5 + spread])).item() == pytest.approx(PROBIT)
    assert make_number(0, values, 1.0).centre == 1.0


@pytest.mark.parametrize("target", [make_class(1, range(3)), make_class(2, [0]), make_label(0, 0.3)])
def test_it_says_the_same_of_a_model_whose_outputs_stand_in_another_order(target):
    scores, elsewhere = torch.tensor([[0.3, -1.0, 2.0]]), torch.tensor([[-1.0, 2.0, 0.3]])
    assert target.reorder([2, 0, 1]).read(elsewhere).item() == target.read(scores).item()


def test_a_number_is_high_above_its_threshold_or_else_its_median():
    values = torch.tensor([[1.0], [2.0], [3.0], [6.0]])
    for threshold, high in ((None, [False, False, True, True]), (5.0, [False, False, False, True])):
        target = make_target("number", 0, values, threshold)
        assert (target.read(values)[:, 0] > 0).tolist() == high


def choose(outputs, targets=PREDICTED, contrast=None, kind="labels"):
    """The names of the targets that are asked of, what they are told from, and their texts."""
    thresholds = [0.5] * len(NAMES) if kind == "labels" else []
    gold = GoldLabels(kind, None)
    choice = TargetChoice(targets, contrast, kind, NAMES, thresholds, gold, len(outputs[0]))
    return [(each.name, each.target.rivals, each.members.tolist()) for each in choice.choose(outputs)]


def test_what_any_training_gives_is_asked_of():
    first, second = np.array([[2.0, -1, -1], [-1, -1, -1]]), np.array([[-1.0, -1, -1], [-1, 3, -1]])
    assert choose([first, second]) == [("joy", (), [0]), ("love", (), [1])]
    assert choose([first, second], kind="classes") == [("joy", (1, 2), [0, 1]), ("love", (0, 2), [1])]


def test_targets_may_be_a_column_of_a_frame():
    named = pd.Series(["joy", "anger"])
    found = ask(folder(), texts=TEXTS[:2], targets=named, questions=["used"])
    assert [*found.cases] == [(0, "joy"), (1, "anger")]
    assert "number has one target" in refusal(choose, [np.zeros((2, 1))], targets=named, kind="number")


def test_each_text_may_be_told_from_classes_of_its_own():
    outputs = [np.array([[2.0, -1, -1], [2.0, -1, -1]])]
    asked = partial(choose, targets="joy", kind="classes")
    assert asked(outputs, contrast=["love", ["love", "anger"]]) == [("joy", (1,), [0]), ("joy", (1, 2), [1])]
    assert asked([outputs[0][:1]], contrast=[["love", "anger"]]) == [("joy", (1, 2), [0])]
    # in the second text alone
    said = refusal(choose, outputs, targets=["joy", "love"], contrast="love", kind="classes")
    assert said == "contrast: is the target itself; give others"


@pytest.mark.parametrize(
    "target", [make_class(1, range(3)), make_class(2, [0]), make_label(0, 0.3), Target(1, scale=2.0)]
)
def test_its_slopes_are_those_of_autograd(target):
    scores = torch.tensor([[0.3, -1.0, 2.0], [9.0, 9.0, -9.0]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(target.read(scores).sum(), scores)
    assert torch.allclose(target.weigh(scores.detach()), slope)


def test_labels_that_the_model_gives_are_asked_of():
    found = ask(folder(), labels=GOLD, threshold={"joy": 0.2})
    chance = outputs(folder()).sigmoid().numpy()
    on = chance >= [0.2, 0.5, 0.5]
    assert {*found.cases} == {(number, NAMES[label]) for number, label in np.argwhere(on).tolist()}
    assert {*found.by_target["target"]} == {NAMES[label] for label in np.flatnonzero(on.any(0))}
    gold = np.array([[name in labels for name in NAMES] for labels in GOLD])
    row = found.summary.iloc[0]
    assert row["texts"] == row["groups"] == row["used_texts"] == on.any(1).sum()
    assert f"{on.sum()} labels that the model gives, in {on.any(1).sum()} of 12 texts" in row["note"]
    assert found.reasons["used"] == f"{on.any(1).sum()} of the 100 texts needed"
    assert f"label accuracy .{100 * (on == gold).mean():02.0f}" in row["note"]
    number, label = np.argwhere(on)[0].tolist()
    assert found.text(number, NAMES[label]).facts["probability"] == pytest.approx(chance[number, label], abs=1e-5)


def compare_readings(first, second):
    pd.testing.assert_frame_equal(first.words, second.words, atol=1e-5)
    assert first.facts["prediction"] == second.facts["prediction"]
    assert first.facts["probability"] == pytest.approx(second.facts["probability"], abs=1e-5)


def test_texts_of_targets_are_read_again_and_others_too():
    begins = {"joy": 0.4, "love": 0.7, "anger": 0.8}
    found = ask(folder(), texts=TEXTS[:4], threshold=begins, maps=["input_gradient"], questions=["used"])
    # the first text has no label
    assert [*found.targets] == [*NAMES]
    assert {*found.cases} == {(1, "love"), (2, "anger"), (3, "joy"), (3, "love")}
    assert [reading.words["word"].tolist()[:-2] for reading in found] == [text.split() for text in TEXTS[:4]]
    told = {"threshold": begins, "maps": ["input_gradient"]}
    for alone, reading in zip(attention_audit.read(folder(), None, TEXTS[:4], **told), found, strict=True):
        compare_readings(alone, reading)
    for number, name in found.cases:
        compare_readings(found.read(TEXTS[number], name), found.text(number, name))
    # by default, the target to which the model says yes most clearly
    chance = outputs(folder())[:1].sigmoid().numpy()
    surest = NAMES[(chance / (1 - chance) * [1.5, 3 / 7, 0.25]).argmax()]
    for reading in (found[0], found.read(TEXTS[0])):
        compare_readings(reading, found.read(TEXTS[0], surest))
        assert reading.facts["prediction"] == f"not {surest}"
        assert reading.facts["probability"] == pytest.approx(1 - chance[0, NAMES.index(surest)], abs=1e-5)
    assert refusal(found.text, 1, "fear") == "target: 'fear' was not asked of; give one of joy, love, anger"


def test_another_layer_is_read_for_a_target():
    found = ask(folder(), texts=TEXTS[:2], targets="love", questions=["used"])
    tokenizer = AutoTokenizer.from_pretrained(folder())
    model = AutoModelForSequenceClassification.from_pretrained(folder(), attn_implementation="eager")
    with torch.no_grad():
        attentions = model(**tokenizer(TEXTS[1], return_tensors="pt"), output_attentions=True).attentions
    for reading in (found.text(1, layer=1), found.read(TEXTS[1], "love", layer=1)):
        marks = attentions[0][0, :, 0].mean(0)[[0, -1]].tolist()
        assert reading.words["weight"].iloc[-2:].tolist() == pytest.approx(marks, abs=1e-6)
        assert reading.facts[["prediction", "probability"]].equals(found[1].facts[["prediction", "probability"]])
    heads = found[1].grid().axes[0].images[0].get_array()
    assert heads[-2:].tolist() == pytest.approx(attentions[1][0, :, 0, [0, -1]].T.numpy(), abs=1e-6)


@pytest.mark.parametrize("labels", ["joy", ["joy"], [["joy"]], ["joy", "love"], [1, 0, 0], None])
def test_one_text_may_have_several_labels(labels):
    found = ask(folder(), texts=TEXTS[3], labels=labels, targets="joy", questions=["used"])
    assert len(found) == 1
    assert found.texts["label"].tolist() == ([-1] if labels is None else [1])


@pytest.mark.whole
def test_a_number_of_another_text_is_held_against_those_that_were_audited():
    path = folder(("score",), "regression")
    found = ask(path, questions=["used"])
    assert [each.facts["prediction"] for each in found] == [found.read(text).facts["prediction"] for text in TEXTS]
    middle = float(np.median(outputs(path)))
    assert {each.facts["prediction"] for each in found} == {f"above {middle:.3g}", f"at most {middle:.3g}"}


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_a_label_is_asked_what_a_model_of_two_classes_is(threshold):
    weight, bias = last_layer(folder())
    shift = 0.0 if threshold is None else np.log(threshold / (1 - threshold))
    twin = ask(make_two_classes(folder(), weight[1], bias[1] - shift), maps=["input_gradient", "decompx"])
    found = ask(folder(), targets="love", threshold=threshold, maps=["input_gradient", "decompx"])
    assert np.allclose(values_of(found.table), values_of(twin.table), atol=1e-5, equal_nan=True)
    assert np.allclose(values_of(found.by_target), values_of(twin.table), atol=1e-5, equal_nan=True)
    by_map = [each.maps.query("metric == 'located'")[["ranking", "mean"]].to_numpy().tolist() for each in (found, twin)]
    assert [name for name, _ in by_map[0]] == [name for name, _ in by_map[1]]
    assert np.allclose([mean for _, mean in by_map[0]], [mean for _, mean in by_map[1]], atol=1e-5, equal_nan=True)


def test_a_number_is_a_model_of_two_classes_whose_last_layer_is_scaled():
    path = folder(("score",), "regression")
    weight, bias = last_layer(path)
    values = outputs(path)[:, 0].numpy()
    scale = PROBIT / values.std(ddof=1)
    twin = ask(make_two_classes(path, scale * weight[0], scale * (bias[0] - np.median(values))))
    found = ask(path, labels=[*range(12)])
    assert np.allclose(values_of(found.table), values_of(twin.table), atol=1e-4, equal_nan=True)
    assert f"r {np.corrcoef(values, range(12))[0, 1]:.2f}".replace("0.", ".") in found.summary["note"].item()
    assert {*found.texts["prediction_name"]} == {f"{side} {np.median(values):.3g}" for side in ("above", "at most")}


def test_one_logit_without_a_task_is_a_label_as_pipelines_read_it():
    path = folder(("spam",), None)
    found = ask(path, labels=[number % 2 for number in range(12)])
    chance = outputs(path).sigmoid()[:, 0].numpy()
    assert [found.text(number).facts["probability"] for number in range(12)] == pytest.approx(
        np.maximum(chance, 1 - chance).tolist(), abs=1e-5
    )
    assert {*found.texts["prediction_name"]} <= {"spam", "not spam"}
    # a multi-label model of one label says the same
    same = ask(folder(("spam",)), labels=[["spam"] * (number % 2) for number in range(12)])
    assert np.allclose(values_of(found.table), values_of(same.table), equal_nan=True)


def test_a_class_is_asked_of_by_name():
    path = folder(NAMES, "single_label_classification")
    chance = outputs(path).softmax(1).numpy()[:, 1]
    found = ask(path, targets="love")
    said = outputs(path).argmax(1).numpy() == 1
    assert [found.text(number).facts["probability"] for number in range(12)] == pytest.approx(
        np.where(said, chance, 1 - chance).tolist(), abs=1e-5
    )
    assert [name == "love" for name in found.texts["prediction_name"]] == said.tolist()
    (readout,), _ = found.cases[0, "love"]
    others = outputs(path)[:, [0, 2]].amax(1)
    assert readout.probabilities[:, 1] == pytest.approx((outputs(path)[:, 1] - others).sigmoid().numpy(), abs=1e-5)
    contrasted = ask(path, targets="love", contrast="joy")
    logits = outputs(path)[:, [0, 1]].softmax(1)[:, 1].numpy()
    assert contrasted.cases[0, "love"][0][0].probabilities[:, 1] == pytest.approx(logits, abs=1e-5)
    # texts that are told from other classes have other statements
    apart = ask(path, texts=TEXTS[:2], targets="love", contrast=["anger", "joy"], questions=["used"])
    assert [reading.facts["prediction"] for reading in apart] == ["anger", "love"]
    chances = outputs(path).softmax(1)[[0, 1], [2, 1]].tolist()
    assert [reading.facts["probability"] for reading in apart] == pytest.approx(chances, abs=1e-5)


@pytest.mark.whole
def test_the_order_of_labels_does_not_matter():
    weight, bias = last_layer(folder())
    model = AutoModelForSequenceClassification.from_pretrained(folder())
    order = [2, 0, 1]
    model.classifier.weight.data, model.classifier.bias.data = weight[order], bias[order]
    model.config.id2label = {at: NAMES[number] for at, number in enumerate(order)}
    model.config.label2id = {name: at for at, name in model.config.id2label.items()}
    other = mkdtemp()
    model.save_pretrained(other)
    AutoTokenizer.from_pretrained(folder()).save_pretrained(other)
    first, second = (
        ask(path, labels=GOLD, targets="all", questions=["used", "ranks"]).by_target.sort_values(
            "target", kind="stable"
        )
        for path in (folder(), other)
    )
    assert first["target"].tolist() == second["target"].tolist()
    assert np.allclose(values_of(first), values_of(second), atol=1e-5, equal_nan=True)
    # a second training may have them in another order
    both = ask([folder(), other], targets="joy", questions=["used", "stable"])
    assert both.table.set_index("question").loc["used", "trainings"] == 2
    one = ask(folder(), targets="joy", questions=["used"])
    assert both.table.set_index("question").loc["used", "value"] == pytest.approx(
        one.table.set_index("question").loc["used", "value"], abs=1e-5
    )


def test_all_targets_share_what_the_model_returns(monkeypatch):
    counts = []
    compute = SequenceClassifier._compute_outputs

    def count(classifier, pieces, vectors=None):
        counts.append(len(pieces.ids))
        return compute(classifier, pieces, vectors)

    monkeypatch.setattr(SequenceClassifier, "_compute_outputs", count)
    ask(folder(), targets="joy")
    one = sum(counts)
    counts.clear()
    ask(folder(), targets="all")
    # only the order by leave-one-out is another one for each label: at most five sets a text, and most are known
    assert one < sum(counts) <= one + 2 * 5 * len(TEXTS)


def test_without_labels_nothing_else_differs():
    path = folder(NAMES, "single_label_classification")
    known = ask(path, labels=[number % 3 for number in range(12)])
    unknown = ask(path)
    assert np.allclose(values_of(known.table), values_of(unknown.table), equal_nan=True)
    assert np.isnan(unknown.summary["accuracy"].item())
    assert unknown.reasons["needed"] == unknown.reasons["transferable"] == "no labels are given"
    largest = np.bincount(outputs(path).argmax(1)).max() / 12
    assert f"no labels, largest predicted class {largest:.2f}".replace("0.", ".") in repr(unknown)
    assert "labels: are not known" in refusal(unknown.save, mkdtemp())


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([["joy"], ["love", "anger"], []], [[1, 0, 0], [0, 1, 1], [0, 0, 0]]),
        ([[1, 0, 0], [0, 1, 1], [0, 0, 0]], [[1, 0, 0], [0, 1, 1], [0, 0, 0]]),
        (
            np.array([[True, False, False], [False, True, True], [False, False, False]]),
            [[1, 0, 0], [0, 1, 1], [0, 0, 0]],
        ),
        (["joy", ["love"], {"anger"}], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ([1, 0, [2]], [[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
        # a set has no order, so that it is no row
        ([{0, 1}, {2, 0}, {0}], [[1, 1, 0], [1, 0, 1], [1, 0, 0]]),
    ],
)
def test_labels_are_lists_of_names_or_rows(labels, expected):
    assert read_label_rows(labels, NAMES, 3).tolist() == expected


WRONG = {
    r"targets: 'angr' is no label of the model \(did you mean 'anger'\?\); known are joy, love, anger": {
        "targets": "angr"
    },
    'targets: "gold" needs labels, and none are given': {"targets": "gold"},
    r"targets: is \[\['joy'\]\] and there are 12 texts": {"targets": [["joy"]]},
    "targets: no label reaches its threshold in any of 12 texts": {"threshold": 1 - 1e-9},
    "labels: text 3: 'angr' is no label": {"labels": [["joy"]] * 3 + [["angr"]] * 9},
    "labels: text 3 has 2 numbers, and the model has 3 labels": {"labels": [["joy"]] * 3 + [[0, 1]] * 9},
    "threshold: is 1.2; give a probability between 0 and 1": {"threshold": 1.2},
    "threshold: 'angr' is no label": {"threshold": {"angr": 0.2}},
    "contrast: tells classes apart": {"contrast": "joy"},
    "output: is 'label'": {"output": "label"},
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_one_line(line):
    assert re.search(line, refusal(ask, folder(), **WRONG[line]))


def test_a_number_has_one_target_and_varies():
    path = folder(("score",), "regression")
    assert "targets: a number has one target, itself" in refusal(ask, path, targets="score")
    assert "threshold: is 'high'; give a number" in refusal(ask, path, threshold="high")
    model = AutoModelForSequenceClassification.from_pretrained(path)
    model.classifier.weight.data.zero_()
    flat = mkdtemp()
    model.save_pretrained(flat)
    AutoTokenizer.from_pretrained(path).save_pretrained(flat)
    assert "model: gives all 12 texts the same number" in refusal(ask, flat)


def test_one_target_may_not_be_told_from_itself():
    path = folder(NAMES, "single_label_classification")
    assert "contrast: is the target itself" in refusal(ask, path, targets="joy", contrast="joy")
