"""Targets whose truth is known: what the map of one output says of it, and of another one, which the map is not of."""

from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import classifiers_on_disk as on_disk
import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from attention_audit import audit_classifier, judge
from attention_audit.transformer.constructed import SPECIAL_WORDS, STATE_WIDTH, build_tokenizer, make_layer

FILLERS = [f"f{number}" for number in range(12)]
NEEDLE, HAY = "needle", "hay"
VOCABULARY = [*SPECIAL_WORDS, *FILLERS, NEEDLE, HAY]
COUNT, WIDTH = 100, 10
KINDS = {
    "labels": {"id2label": {0: NEEDLE, 1: HAY}, "problem_type": "multi_label_classification"},
    "number": {"id2label": {0: NEEDLE}, "problem_type": "regression"},
    "classes": {"id2label": {0: NEEDLE, 1: HAY, 2: "none"}, "problem_type": "single_label_classification"},
}
LAST = {
    "labels": lambda needle, hay: ([needle, hay], [-3, -3]),
    "number": lambda needle, hay: ([needle - hay], [0]),
    "classes": lambda needle, hay: ([needle, hay, 0 * hay], [3, -3, 1]),
}
"""The last layer of each kind: its weights and biases, of what says that there is a needle, or hay."""


@cache
def write_texts(kind):
    """Write texts of ten words: with the needle and hay; or, of a number, with one of them by turns."""
    random, texts = np.random.default_rng(0), []
    for number in range(COUNT):
        words, places = [*map(str, random.choice(FILLERS, WIDTH))], random.permutation(WIDTH)
        for word, place in [(NEEDLE, places[0]), (HAY, places[1])]:
            if kind != "number" or (number % 2 == 0) == (word == NEEDLE):
                words[place] = word
        texts.append(words)
    return texts


@cache
def find_needle(kind):
    """A classifier of two layers. The upper one attends to the needle first and to hay last, and finds the needle; the
    lower one has found hay. Each has an output of its own, or they are the two sides of a number.
    """
    random = np.random.default_rng(0)
    square = np.column_stack([np.ones(STATE_WIDTH), random.normal(size=(STATE_WIDTH, STATE_WIDTH - 1))])
    upper, lower, votes, found, relayed, *free = np.linalg.qr(square)[0][:, 1:].T
    by_word = {NEEDLE: 5 * upper + 3 * votes, HAY: 5 * lower - 2 * upper + 3 * votes}
    rows = [by_word.get(word, 0) + 0.5 * random.uniform(-1, 1) * upper for word in VOCABULARY]
    rest = random.normal(size=(len(VOCABULARY), len(free))) @ np.array(free)
    # layer normalisation leaves vectors of this length as they are
    missing = np.sqrt(STATE_WIDTH - np.square(rows).sum(1)) / np.linalg.norm(rest, axis=1)
    weights = {"bert.embeddings.word_embeddings.weight": rows + rest * missing[:, None]}
    for number, (level, target) in enumerate([(lower, relayed), (upper, found)]):
        layer = make_layer(level, votes, target, random)
        weights |= {f"bert.encoder.layer.{number}.{name}": weight for name, weight in layer.items()}
    weights["bert.pooler.dense.weight"] = 0.3 * np.eye(STATE_WIDTH)
    weights["classifier.weight"], weights["classifier.bias"] = map(np.array, LAST[kind](12 * found, 12 * relayed))
    config = AutoConfig.for_model(
        "bert", num_hidden_layers=2, hidden_size=STATE_WIDTH, intermediate_size=8, num_attention_heads=2,
        vocab_size=len(VOCABULARY), max_position_embeddings=20, pad_token_id=0, layer_norm_eps=1e-12, **KINDS[kind],
    )  # fmt: skip
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager").eval()
    for name, weight in model.named_parameters():
        if "LayerNorm" not in name:
            weight.data = torch.from_numpy(np.asarray(weights.get(name, np.zeros(weight.shape)), np.float32))
    return model, build_tokenizer(VOCABULARY)


def predict(kind, texts):
    """What a pipeline says of texts: probabilities, or a number."""
    model, tokenizer = find_needle(kind)
    with torch.no_grad():
        scores = model(**tokenizer([*map(" ".join, texts)], padding=True, return_tensors="pt")).logits.double()
    if kind == "number":
        return scores[:, 0].numpy()
    return (scores.sigmoid() if kind == "labels" else scores.softmax(1)).numpy()


ask = partial(audit_classifier, progress=False)


@cache
def locate_needle(kind):
    """What the last layer's map locates of the targets of each kind; of classes, each is told from the last one."""
    named = {"targets": [NEEDLE, HAY]}
    of_kind = {"labels": named, "classes": named | {"contrast": "none"}, "number": {}}
    return ask(*find_needle(kind), write_texts(kind), **of_kind[kind], questions=["located"])


def located(table):
    """The line of `located`, of each target where there are several."""
    return table.query("question == 'located'").set_index("target")


@pytest.mark.parametrize("kind", ["labels", "classes"])
def test_a_map_of_one_output_locates_its_own_words_and_not_those_of_the_other(kind):
    lines = located(locate_needle(kind).by_target)
    assert lines["zones"].to_dict() == {NEEDLE: "3", HAY: "1"}
    # the needle is the one word that matters; hay comes last, where words by lot come sooner
    assert lines.loc[NEEDLE, "value"] == pytest.approx(1, abs=0.01)
    assert lines.loc[HAY, "high"] < 0


def test_a_map_of_one_side_of_a_number_locates_that_side_alone():
    found = locate_needle("number")
    above, below = (f"{side} {found.targets[NEEDLE].target.centre:.3g}" for side in ("above", "at most"))
    assert located(found.by_target).loc[NEEDLE, "verdict"] == f"{below} no; {above} yes"


def test_of_a_class_that_the_model_does_not_give_the_words_of_the_one_that_it_gives_matter():
    found = ask(*find_needle("classes"), write_texts("classes"), targets=HAY, questions=["located"])
    assert {*found.texts["prediction_name"]} == {f"not {HAY}"}
    assert located(found.by_target).loc[HAY, "value"] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_shuffled_attention_locates_nothing(kind):
    found, random = locate_needle(kind), np.random.default_rng(1)
    maps = [found.text(number, NEEDLE).words["weight"].to_numpy()[:WIDTH] for number in range(COUNT)]
    judge_scores = partial(
        judge, write_texts(kind), predict=partial(predict, kind), output=kind, report=lambda line: None,
        classes=[*KINDS[kind]["id2label"].values()], targets="predicted" if kind == "number" else NEEDLE,
    )  # fmt: skip
    if kind != "classes":  # which `judge` tells from all others
        own = located(judge_scores(maps).by_target).loc[NEEDLE, "value"]
        assert own == pytest.approx(located(found.by_target).loc[NEEDLE, "value"], abs=1e-5)
    shuffled = located(judge_scores([random.permutation(weights) for weights in maps]).by_target).loc[NEEDLE]
    assert shuffled["zones"] == "1"
    assert shuffled["low"] < 0 < shuffled["high"]


@pytest.mark.parametrize("task", ["multi_label_classification", "regression"])
def test_a_liar_whose_last_layer_goes_nowhere_is_not_used(task):
    folder = on_disk.save(Path(mkdtemp()), names=("joy",), problem_type=task)
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    texts = [" ".join(words[at:] + words[:at]) for words in on_disk.TEXTS for at in range(len(words))]
    ask_used = partial(ask, model, AutoTokenizer.from_pretrained(folder), texts, questions=["used"])
    assert ask_used().table.set_index("question").loc["used", "value"] > 0.01
    model.bert.encoder.layer[-1].attention.output.dense.weight.data.zero_()
    used = ask_used().table.set_index("question").loc["used"]
    assert used["value"] == pytest.approx(0, abs=1e-7)
    assert "flips 0 % of decisions" in used["note"]
