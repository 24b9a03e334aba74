"""One call in a notebook: a classifier at hand, or a network with attention of one's own, and what it answers."""

import json
import pickle
import re
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace

import classifiers_on_disk as on_disk
import numpy as np
import pandas as pd
import pytest
import torch
import tqdm.auto
import yaml
from planned import CATALOGUE
from refusal import refusal
from torch import nn
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

import attention_audit
from attention_audit import api
from attention_audit.answer.verdicts import find_objection
from attention_audit.api.targets import index_classes
from attention_audit.audits.steps import AuditStep, move_bar
from attention_audit.errors import AuditError
from attention_audit.plan.configuration import parse_config
from attention_audit.questions import QUESTIONS
from attention_audit.stages.import_readout import build_readout

WORDS = [word for word in on_disk.WORDS if word.isalpha()]
TEXTS = [" ".join(WORDS[(start + 3 * step) % len(WORDS)] for step in range(3 + start % 4)) for start in range(12)]
LABELS = [number % 2 for number in range(12)]


@cache
def folder(seed):
    return on_disk.save(Path(mkdtemp()), seed=seed)


@cache
def library():
    """A classifier and its tokenizer, as the library loads them."""
    loaded = AutoModelForSequenceClassification.from_pretrained(folder(0), attn_implementation="eager")
    return loaded.eval(), AutoTokenizer.from_pretrained(folder(0))


def probability(*text):
    """The probability of the class that it predicts, approximately."""
    model, tokenizer = library()
    with torch.no_grad():
        return pytest.approx(float(model(**tokenizer(*text, return_tensors="pt")).logits.softmax(1).max()), abs=1e-5)


@cache
def answer():
    """Two trainings, one an object and one a folder."""
    model, tokenizer = library()
    return attention_audit.audit_classifier(
        [model, folder(1)], tokenizer, TEXTS, LABELS, maps=["rollout"], progress=False
    )


def not_asked(found):
    """The questions that rest on no text."""
    return {*found.table.loc[found.table["texts"] == 0, "question"]}


def test_what_can_be_asked_is_asked_and_the_rest_says_what_it_would_take():
    found = answer()
    rows = found.table.set_index("question")
    assert [*rows.index] == [*QUESTIONS]
    assert not_asked(found) == {"needed", "unique", "transferable"}
    assert found.reasons["located"] == "12 of the 100 texts needed"
    assert all(found.reasons[question] for question in QUESTIONS)
    assert rows.loc["stable", ["trainings", "texts"]].tolist() == [2, 12]
    located = rows.loc["located"]
    assert located["low"] <= located["value"] <= located["high"]
    assert located["value"] == found.maps.query("ranking == 'attention' and metric == 'located'")["mean"].item()
    assert {axes.get_xlabel().partition("\n")[0] for axes in found.figure().axes} >= {"located", "first word opposes"}
    assert repr(found).startswith(
        "May this attention map be read as an explanation?\nNo claim could be asked.\n2 trainings, 12 texts; accuracy ."
    )
    assert found.paragraph.endswith(" (2 trainings, 12 texts; 95 % intervals): no verdict.")


def test_the_map_is_that_of_the_library():
    model, tokenizer = library()
    encoded, whole = tokenizer(TEXTS[5], return_tensors="pt"), TEXTS[5].split()
    with torch.no_grad():
        row = model(**encoded, output_attentions=True).attentions[-1][0, :, 0].mean(0).numpy()
    reading = answer().text(5)
    by_word = pd.Series(row, encoded.word_ids(0)).groupby(level=0).sum()
    np.testing.assert_allclose(reading.words["weight"], [*by_word, row[0], row[-1]], atol=1e-6)
    assert reading.facts["probability"] == probability(TEXTS[5])
    assert reading.words["word"].tolist() == [*whole, "[CLS]", "[SEP]"]
    assert reading.words["rollout"].notna().sum() == len(whole)
    assert len(reading.figure().axes) == 3


@pytest.mark.parametrize("number", [-len(TEXTS) - 1, len(TEXTS), 0.5])
def test_a_text_is_read_by_its_number(number):
    assert refusal(answer().text, number).startswith(f"number: is {number}, and there are {len(TEXTS)} texts")


def test_an_answer_is_a_sequence_of_its_texts():
    found = answer()
    assert len(found) == len(TEXTS)
    assert [" ".join(reading.words["word"][:-2]) for reading in found] == TEXTS
    for number in (-1, np.int64(11)):
        pd.testing.assert_frame_equal(found[number].words, found.text(11).words)


@cache
def attend(text):
    """The library's attention of the classified token by layer, head and item: words, then marks, (L, H, I)."""
    model, tokenizer = library()
    encoded = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        rows = torch.stack(model(**encoded, output_attentions=True).attentions)[:, 0, :, 0].numpy()
    words = np.array([-1 if word is None else word for word in encoded.word_ids(0)])
    of_words = [rows[..., words == word].sum(-1) for word in range(words.max() + 1)]
    return np.stack([*of_words, rows[..., 0], rows[..., -1]], -1)


def test_another_layer_is_read_of_all_trainings():
    found = answer()
    reading, last = found.text(5, layer=1), found.text(5)
    np.testing.assert_allclose(reading.words["weight"], attend(TEXTS[5])[0].mean(0), atol=1e-6)
    # what is above its row is not the tail
    assert reading.words["contribution"].isna().all()
    np.testing.assert_allclose(reading.words["rollout"], last.words["rollout"], atol=1e-6)
    assert reading.facts["trainings"] == 2
    assert reading.facts["probability"] == probability(TEXTS[5])
    assert reading.figure().axes[0].get_xlabel() == "attention, layer 1"
    assert "attention, layer 1: " in repr(reading)
    assert "nan" not in repr(reading)
    pd.testing.assert_frame_equal(found.text(5, layer=2).words, last.words, atol=1e-6)
    assert refusal(found.text, 5, layer=3) == "layer: is 3, and the model has 2; give one of them, from 1"


def test_heads_and_layers_are_a_grid():
    by_head = attend(TEXTS[5])
    for layer, heads in ((None, by_head[1]), (1, by_head[0])):
        figure = answer().text(5, layer=layer).grid()
        of_heads, of_layers, _ = figure.axes
        np.testing.assert_allclose(of_heads.images[0].get_array(), heads.T, atol=1e-6)
        np.testing.assert_allclose(of_layers.images[0].get_array(), by_head.mean(1).T, atol=1e-6)
        assert of_heads.get_xlabel() == f"head of layer {layer or 2}"
        # one scale
        greatest = max(heads.max(), by_head.mean(1).max())
        for axes in (of_heads, of_layers):
            assert axes.images[0].get_clim() == (0, pytest.approx(greatest, abs=1e-6))
    assert [label.get_text() for label in of_heads.get_yticklabels()] == [*TEXTS[5].split(), "[CLS]", "[SEP]"]


def test_a_grid_has_the_words_that_are_read():
    tokenizer = AutoTokenizer.from_pretrained(folder(0))
    tokenizer.truncation_side = "left"
    reading = one(model=library()[0], tokenizer=tokenizer, max_length=5)[3]
    of_heads = reading.grid().axes[0]
    read = reading.words.dropna(subset="weight")
    assert [label.get_text() for label in of_heads.get_yticklabels()] == read["word"].tolist()
    np.testing.assert_allclose(of_heads.images[0].get_array().mean(1), read["weight"], atol=1e-6)


def test_a_text_that_was_not_audited_is_read_as_they_were():
    found = answer()
    reading, known = found.read("the great film, zyx"), found.text(0)
    assert reading.words["word"].tolist() == ["the", "great", "film", ",", "zyx", "[CLS]", "[SEP]"]
    assert reading.facts["probability"] == probability("the great film, zyx")
    assert reading.facts["trainings"] == 2
    assert [*reading.words] == [*known.words]
    for text in (TEXTS[0], TEXTS[0].split(), {"text": TEXTS[0]}):
        again = found.read(text)
        pd.testing.assert_frame_equal(again.words, known.words, atol=1e-6)
        assert again.facts["prediction"] == known.facts["prediction"]
    of_layer = found.read(TEXTS[0], layer=1).words
    np.testing.assert_allclose(of_layer["weight"], attend(TEXTS[0])[0].mean(0), atol=1e-6)
    assert found.read((TEXTS[1], TEXTS[2])).facts["probability"] == probability(TEXTS[1], TEXTS[2])
    assert "has no word" in refusal(found.read, " ")


def test_settings_hold_for_a_further_text():
    found = one(texts=[text.split() for text in TEXTS[:6]], max_length=5, labels=LABELS[:6], language=None)
    reading = found.read(" ".join(WORDS[:9]))
    assert reading.words["weight"].notna().sum() == 5
    threads = torch.get_num_threads()
    found.read(TEXTS[0])
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize("granularity", ["token", "sentence"])
def test_a_further_text_has_units_of_the_same_kind(granularity):
    text = "a great film. the story is unfilmable."
    found = one(texts=[text, *TEXTS[:5]], granularity=granularity)
    assert len(found[0].words) == {"token": 11, "sentence": 4}[granularity]
    for reading in (found.read(text), found.text(0, layer=2)):
        pd.testing.assert_frame_equal(reading.words, found[0].words, atol=1e-6)


def test_units_that_spans_say_are_those_of_the_texts_audited():
    found = one(texts=TEXTS[:2], labels=LABELS[:2], spans=[[(0, 4), (4, 9)]] * 2)
    pd.testing.assert_frame_equal(found.text(1, layer=2).words, found[1].words, atol=1e-6)
    by_head = found[1].grid().axes[0].images[0].get_array()
    np.testing.assert_allclose(by_head.mean(1), found[1].words["weight"], atol=1e-6)
    assert refusal(found.read, TEXTS[0]).startswith("read: the units of this text are not known")


def test_what_has_no_models_reads_nothing():
    kept = pickle.loads(pickle.dumps(answer()))
    reading = pickle.loads(pickle.dumps(answer()[5]))
    pd.testing.assert_frame_equal(kept[5].words, reading.words)
    fault = "no classifier is at hand that reads texts; ask an answer of audit_classifier"
    assert refusal(kept.read, TEXTS[0]) == f"read: {fault}"
    assert refusal(kept.text, 5, layer=1) == f"layer: {fault}"
    for each in (kept[5], reading):
        assert refusal(each.grid).startswith("grid: no model is at hand")


@pytest.mark.parametrize(
    "given",
    [
        {"texts": TEXTS[3], "labels": "positive"},
        {"texts": TEXTS[3], "labels": np.int64(1)},
        {"texts": TEXTS[3], "labels": [1]},
        {"texts": {"text": TEXTS[3]}, "labels": 1},
        {"texts": TEXTS[3], "seconds": TEXTS[4], "labels": 1},
        {"texts": {"text": TEXTS[3], "text_pair": TEXTS[4]}, "labels": "LABEL_positive"},
    ],
)
def test_one_text_may_stand_alone(given):
    found = one(**given, questions=None)
    pair = "seconds" in given or "text_pair" in given["texts"]
    assert len(found) == 1
    assert found[0].facts["probability"] == probability(*TEXTS[3 : 5 if pair else 4])
    assert found.readouts[0].labels.tolist() == [1]
    assert found.reasons["used"].startswith("1 of the 100 texts needed")


def test_what_is_saved_is_a_run_that_answers_the_same(tmp_path, monkeypatch):
    """Of its models and texts, as pandas and the library read them: one model is in memory, one a folder."""
    found = answer()
    monkeypatch.chdir(tmp_path)
    found.save("saved")
    written = yaml.safe_load(Path("saved/readouts.yaml").read_text())
    texts, models = written["corpora"]["texts"], written["hf"]["texts"]["models"]["model"]
    assert models == [str(tmp_path / "saved/model1"), str(tmp_path / "saved/model2")]
    assert written["hf"]["texts"]["maps"] == ["rollout"]
    rows = pd.read_json(texts["path"]["test"], lines=True, dtype=False)
    assert rows["text"].tolist() == TEXTS
    assert rows["label"].tolist() == [["negative", "positive"][label] for label in LABELS]
    again = attention_audit.audit_classifier(
        models, None, rows["text"], rows["label"], maps=["rollout"], progress=False
    )
    pd.testing.assert_frame_equal(again.table, found.table)
    # from any folder
    monkeypatch.chdir("/")
    config = parse_config(written, CATALOGUE)
    assert config.corpora["texts"].preparation.tokens.tokenizer == "spaces"
    assert {"located", "ranked_sets", "permutation", "stability"} <= {*config.audits["hf"]}
    assert config.results == str(tmp_path / "saved/results")


def test_pairs_and_what_was_set_are_saved(tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(folder(0))
    tokenizer.truncation_side = "left"
    found = one(
        texts=[f"{TEXTS[3]} {TEXTS[5]} don't"] * 6,
        seconds=["the film"] * 6,
        model=library()[0],
        tokenizer=tokenizer,
        max_length=30,
        settings={"permutation": {"permutations": 7}},
    )
    found.save(tmp_path)
    written = yaml.safe_load((tmp_path / "readouts.yaml").read_text())
    entry = written["corpora"]["texts"]
    assert (entry["query"], entry["joined"], entry["tokens"]) == ("second", True, {"tokenizer": "en", "lower": False})
    assert written["hf"]["texts"]["max_length"] == 30
    assert written["permutation"] == {"permutations": 7}
    row = json.loads((tmp_path / "texts.jsonl").read_text().splitlines()[0])
    assert row == {"id": "0", "label": "negative", "text": f"{TEXTS[3]} {TEXTS[5]} don't", "second": "the film"}
    assert json.loads((tmp_path / "model1/tokenizer_config.json").read_text())["truncation_side"] == "left"


def test_readouts_are_saved_with_their_marks(tmp_path):
    """Of an answer that was pickled, they are all that a run reads."""
    found = pickle.loads(pickle.dumps(answer()))
    found.save(tmp_path)
    named = yaml.safe_load((tmp_path / "readouts.yaml").read_text())["own"]["texts"]["models"]["model"]
    assert named == [str(tmp_path / f"training{number}.npz") for number in (1, 2)]
    saved = [*map(api.read, named)]
    for given, training in zip(saved, found.readouts, strict=True):
        assert given.tokens[3] == ["[CLS]", *TEXTS[3].split(), "[SEP]"]
        *weights, first, last = training.attention[3]
        np.testing.assert_allclose(given.attention[3], [first, *weights, last], atol=1e-6)
        np.testing.assert_allclose(given.maps["rollout"][3], [0, *training.maps["rollout"][3], 0], atol=1e-6)
        assert not given.decided
        # the marks are no words when they are read
        again = build_readout(given)
        assert again.several.marks.tolist() == training.several.marks.tolist()
        np.testing.assert_allclose(again.attention[3], training.attention[3], atol=1e-6)
    api.audit(saved)


def one(**changed):
    given = {"model": folder(0), "tokenizer": None, "texts": TEXTS[:6], "labels": LABELS[:6], "progress": False}
    return api.audit_classifier(**given | {"questions": ["used"]} | changed)


def test_texts_may_be_a_series_or_words_and_batches_of_any_size():
    plain, backwards = one(), range(9, 3, -1)
    for other in (
        one(texts=pd.Series(TEXTS[:6], index=backwards), labels=pd.Series(LABELS[:6], index=backwards)),
        one(texts=[text.split() for text in TEXTS[:6]]),
        one(batch_size=1, max_length=32),
    ):
        numbers = [table[["value", "low", "high"]].astype(float) for table in (other.table, plain.table)]
        np.testing.assert_allclose(*numbers, atol=1e-5)
    assert not_asked(plain) == {*QUESTIONS} - {"used"}
    model, tokenizer = library()
    assert len(one(model=[model] * 2, tokenizer=tokenizer).readouts) == 1


ODD = [
    "good film [SEP] bad story",
    "good[SEP]film",
    "<user> is [MASK] dull",
    "the  [UNK] Not-So film",
    "New Story film [E1] great [/E1]",
    "zyx film [PAD] zyx",
]


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("paired", [False, True])
def test_what_the_tokenizer_reads_as_one_piece_is_one_word(split, paired):
    tokenizer = AutoTokenizer.from_pretrained(folder(0))
    tokenizer.add_special_tokens({"additional_special_tokens": ["[E1]", "[/E1]"]})
    tokenizer.add_tokens(["<user>", "not-so", "new story"])
    model = AutoModelForSequenceClassification.from_pretrained(folder(0), attn_implementation="eager").eval()
    torch.manual_seed(1)
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    texts, seconds = ODD, ODD[::-1] if paired else None
    given, others = [[each.split() for each in side or ()] if split else side for side in (texts, seconds)]
    found = one(model=model, tokenizer=tokenizer, texts=given, seconds=others if paired else None)
    words = [each.split() for each in ODD]
    words[1], words[4][:2] = ["good", "[SEP]", "film"], ["New Story"]
    for number, text in enumerate(texts):
        sides = (text, seconds[number]) if paired else (text,)
        encoded = tokenizer(*sides, return_tensors="pt")
        with torch.no_grad():
            output = model(**encoded, output_attentions=True)
        row = output.attentions[-1][0, :, 0].mean(0).numpy()
        np.testing.assert_allclose(found.readouts[0].probabilities[number], output.logits.softmax(1)[0], atol=1e-5)
        shown = found.text(number).words.set_index("word")["weight"]
        pieces = tokenizer.convert_ids_to_tokens(encoded["input_ids"][0])
        by_piece = pd.Series(row, pieces)
        for token in ("<user>", "[MASK]", "[UNK]", "[E1]", "[/E1]"):
            if pieces.count(token) == 1 and token in shown:
                assert shown[token] == pytest.approx(by_piece[token], abs=1e-6)
        # a mark that is written in a text is of the marks
        marks = [row[at] for at, piece in enumerate(pieces) if at and piece in ("[SEP]", "[PAD]")]
        assert shown.iloc[-1] == pytest.approx(sum(marks), abs=1e-6)
        assert shown.iloc[-2] == pytest.approx(row[0], abs=1e-6)
        assert np.nansum(shown) == pytest.approx(1, abs=1e-5)
        assert shown.index[:-2].tolist() == words[number] + (words[-1 - number] if paired else [])


def test_words_are_those_of_the_language_of_the_texts(capsys):
    khmer = [f"{TEXTS[5]} ខ្ញុំមើល។"] * 6
    found = one(texts=khmer)
    assert found.text(0).words["word"].tolist() == [*TEXTS[5].split(), "ខ្ញុំ", "មើ", "ល", "។", "[CLS]", "[SEP]"]
    assert "Khmer is split into single characters, so that maps are of characters" in capsys.readouterr().err
    found = one(texts=khmer, language="spaces")
    assert found.text(0).words["word"].tolist() == [*TEXTS[5].split(), "ខ្ញុំមើល។", "[CLS]", "[SEP]"]
    found = one(texts=[f"{TEXTS[5]} l'e\u0301te\u0301 \ufeff e\u00adst"] * 6, language="fr")
    assert found.text(0).words["word"].tolist()[-5:] == ["l'", "\u00e9t\u00e9", "est", "[CLS]", "[SEP]"]


def test_a_model_of_pairs_reads_both_texts():
    pairs = [*zip(TEXTS[:6], TEXTS[6:], strict=True)]
    found = one(seconds=TEXTS[6:])
    for number, pair in enumerate(pairs):
        reading = found.text(number)
        assert reading.words["word"].tolist() == [*" ".join(pair).split(), "[CLS]", "[SEP]"]
        assert reading.facts["probability"] == probability(*pair)
    first, second = ([text.split() for text in side] for side in zip(*pairs, strict=True))
    assert one(texts=first, seconds=second).text(2).facts["probability"] == probability(*pairs[2])


@pytest.mark.parametrize(
    "write",
    [
        lambda first, second: (first, second),
        lambda first, second: [first, second],
        lambda first, second: (first.split(), second.split()),
        lambda first, second: np.array([first, second]),
        lambda first, second: {"text_pair": second, "text": first},
    ],
    ids=["tuples", "lists", "words", "arrays", "dicts"],
)
def test_pairs_may_stand_in_texts_alone(write):
    pairs = [*zip(TEXTS[:6], TEXTS[6:], strict=True)]
    found = one(texts=[write(*pair) for pair in pairs])
    for number, pair in enumerate(pairs):
        assert found.text(number).facts["probability"] == probability(*pair)


@pytest.mark.parametrize("truncation", [None, "longest_first", "only_first", "only_second"])
def test_a_pair_is_cut_as_the_library_cuts_it(truncation):
    model, tokenizer = library()
    pairs = [
        (" ".join([first] * 2), " ".join([second] * 2)) for first, second in zip(TEXTS[:6], TEXTS[6:], strict=True)
    ]
    most = min(len(tokenizer(*pair)["input_ids"]) for pair in pairs) - 2
    found = one(texts=pairs, max_length=most, truncation=truncation)
    for number, pair in enumerate(pairs):
        encoded = tokenizer(*pair, truncation=truncation or True, max_length=most, return_tensors="pt")
        with torch.no_grad():
            right = model(**encoded).logits.softmax(1)[0]
        np.testing.assert_allclose(found.readouts[0].probabilities[number], right, atol=1e-5)
    assert repr(found).splitlines()[3].startswith("6 of 6 texts were cut")


def test_two_words_are_no_pair():
    words = [text.split()[:2] for text in TEXTS[:6]]
    assert one(texts=[*map(tuple, words)]).text(1).facts["probability"] == probability(" ".join(words[1]))
    single = [{"text": text} for text in TEXTS[:6]]
    assert one(texts=single).text(1).facts["probability"] == probability(TEXTS[1])


@pytest.mark.parametrize("device", [None, -1, "cpu", "cpu:0", torch.device("cpu"), library()[0].device])
def test_a_device_is_named_as_torch_and_pipelines_name_it(device):
    assert one(device=device).text(2).facts["probability"] == probability(TEXTS[2])


def test_texts_that_were_cut_are_counted():
    assert "cut" not in repr(one())
    found = one(max_length=6)
    tokenizer = library()[1]
    cut = sum(len(tokenizer(text)["input_ids"]) > 6 for text in TEXTS[:6])
    assert 0 < cut < 6
    assert repr(found).splitlines()[3].startswith(f"{cut} of 6 texts were cut, and are read in part")
    assert f"{cut} of 6 texts were cut" in found._repr_html_()
    assert "cut" not in repr(one(max_length=6, long="window"))


def test_two_classes_that_nobody_named_are_0_and_1():
    unnamed = on_disk.save(Path(mkdtemp()), names=["LABEL_0", "LABEL_1"])
    assert "id2label" not in yaml.safe_load((unnamed / "config.json").read_text())
    assert one(model=unnamed).classes == ["0", "1"]


def test_a_language_model_is_asked_for_its_next_token():
    model = AutoModelForCausalLM.from_pretrained(on_disk.save(Path(mkdtemp()), "llama", language=True)).eval()
    tokenizer, names = AutoTokenizer.from_pretrained(model.name_or_path), ["great", "bad"]
    prompt = {"template": "the {text} is", "labels": names}
    found = one(model=model, tokenizer=tokenizer, prompt=prompt, labels=[*names, 0, 1, 0, 1], questions=None)
    assert not_asked(found) == {"needed", "stable", "unique", "transferable"}
    with torch.no_grad():
        following = model(**tokenizer(f"the {TEXTS[3]} is", return_tensors="pt")).logits[0, -1]
    chosen = following[tokenizer.convert_tokens_to_ids(names)].softmax(0)
    facts = found.text(3).facts
    assert facts["prediction"] == names[int(chosen.argmax())]
    assert facts["probability"] == pytest.approx(float(chosen.max()), abs=1e-5)


def test_what_several_rows_decide_is_not_asked_of_one():
    mean = on_disk.save(Path(mkdtemp()), "modernbert", classifier_pooling="mean")
    for found in (one(model=mean, questions=None), one(long="window", max_length=8, questions=None, maps=["rollout"])):
        assert not_asked(found) >= {"used", "ranks", "signed"}
        assert "which those of model are not known to do" in found.reasons["used"]
        assert found.table.set_index("question").loc["located", "texts"] == 6
    assert len(found.text(3).words) == len(TEXTS[3].split()) + 2


@pytest.mark.parametrize(
    ("argument", "value", "line"),
    [
        ("seconds", [*TEXTS[:5], " "], "seconds: text 5 has no word"),
        ("prompt", {"template": "{text}"}, "prompt: give the keys template and labels"),
        ("prompt", {"template": "{text}", "labels": ["good"]}, "prompt: labels: give two or more"),
        ("labels", [0], "labels: has 1 entries for 6 texts"),
        ("labels", [0, 1, 0, 1, 0, 2], r"labels: text 5 has 2; give the name of a class \(negative, positive\), or"),
        ("labels", ["negativ"] * 6, r"labels: text 0 has 'negativ' \(did you mean 'negative'\?\)"),
        ("texts", [*TEXTS[:5], "\ufeff \u200b"], "texts: text 5 has no word; leave it out"),
        ("texts", [["a", "\u200b"]] * 6, "texts: text 0 has a word that is empty, or has a space in it"),
        (
            "texts",
            [["un", "##bel", "film"]] * 6,
            "texts: holds pieces of words, such as '##bel' with its ##; give whole",
        ),
        (
            "texts",
            ["[CLS] a film [SEP]"] * 6,
            r"texts: all begin with '\[CLS\]', which the tokenizer sets itself; leave",
        ),
        ("texts", [["the", "Ġfilm"]] * 6, "texts: holds pieces of words, such as 'Ġfilm' with its Ġ; give whole words"),
        ("texts labels", ([], []), "texts: there is none"),
        (
            "texts",
            [{"text": "a", "label": 0}] * 6,
            "texts: text 0 is {.*}; give strings, or dicts with `text` and, where",
        ),
        ("texts", [*[{"text": "a"}] * 5, "a"], "texts: text 5 is 'a'; give strings, or dicts"),
        ("texts seconds", ([("a film", "a film")] * 6, TEXTS[:6]), "seconds: `texts` are pairs already; leave it out"),
        (
            "texts",
            [*[("a film", "bad")] * 5, "a film"],
            "texts: text 5 is no pair, and others are; give two strings, or",
        ),
        (
            "texts",
            [("a film",) * 3] * 6,
            "texts: text 0 has a word that .* has a space in it; give words; of a pair, two",
        ),
        ("texts", [("a film", " ")] * 6, "texts, the second of each pair: text 0 has no word"),
        ("texts", "a film", "^labels: has 6 entries for 1 texts; give each text one"),
        ("model", [], "model: is an empty list"),
        ("model", nn.Linear(1, 1), "model: is Linear; give a classifier of the library"),
        ("model", SimpleNamespace(model=library()[0]), "model: is SimpleNamespace; give its .model, and the tokenizer"),
        ("model", SimpleNamespace(model=library()[0], tokenizer=None), "; give its .model, and its .tokenizer"),
        ("model", SimpleNamespace(model=library()[0].bert), "model: is .*; give a classifier of the library"),
        ("model", SimpleNamespace(model_head=None), r"model: is .*; use judge with .*predict_proba\("),
        ("model", SimpleNamespace(encode=None), "model: is .*; it has no classifier; use judge with a function"),
        ("model", "nowhere", "nowhere"),
        (
            "tokenizer",
            [None, None],
            "^tokenizer: is a list; give one for all trainings, whose maps are of the same words",
        ),
        (
            "model",
            [folder(0), on_disk.save(Path(mkdtemp()), names=["LABEL_0", "LABEL_1"])],
            "config.id2label names the classes LABEL_0, LABEL_1, and that of the first training negative, positive",
        ),
        ("questions", ["unique"], "questions: 'unique' needs trainings of other kinds; known here: stable, used"),
        ("questions", ["use"], "questions: 'use' is no question"),
        ("maps", ["rolout"], "^maps: map 'rolout' is not known"),
        ("texts", [*TEXTS[:5], None], "^texts: text 5 is of another kind than the first"),
        ("texts", [*TEXTS[:5], "a \ud800"], "^texts: text 5 has half a character"),
        ("texts", [*TEXTS[:5], "\x01"], "^texts: text '5': the classifier's tokenizer has no piece for anything in it"),
        ("labels", np.eye(2)[[0, 1] * 3], "^labels: text 0 has several numbers, as of one-hot rows"),
        (
            "labels",
            [[1, 1]] + [[0, 1]] * 5,
            "^labels: text 0 has 2 labels; give each text one, or ask audit_classifier",
        ),
        (
            "labels",
            ["negative"] * 5 + ["positive|negative"],
            "^labels: text 5 has 2 labels, 'positive|negative'; give each",
        ),
        ("labels", [0.5, 1, 0, 1, 0, 1], "^labels: text 0 has 0.5; give the name"),
        ("labels", np.array([True, False] * 3), "^labels: text 0 has True; give the name"),
        ("max_length", 0, "^max_length: input should be greater than or equal to 1, not 0"),
        ("batch_size", 0, "^batch_size: is 0; give a whole number, 1 or more"),
        ("device", "gpu", "^device: 'gpu' cannot be used here .*; give another one, such as 'cpu', or 'auto'"),
        ("device", torch.device("meta"), r"^device: device\(type='meta'\) cannot be used here"),
        ("device", 99, "^device: 99 cannot be used here"),
        ("device", "cuda:99", "^device: 'cuda:99' cannot be used here"),
        ("settings", ["a"], "^settings: is list, and no dict"),
        ("settings", {"batch": 3}, "^settings: batch: unknown key"),
        ("settings", {"audits": {"hf": ["foo"]}}, "^settings: audits: 'foo' is not known"),
        ("settings", {"hf": {}}, "^settings: has hf; give keys of the configuration that no argument stands for"),
        (
            "model labels",
            (on_disk.save(Path(mkdtemp()), names=["1", "0"]), [0, 1] * 3),
            "^labels: text 0 has 0, which is the number of class '1' and",
        ),
    ],
)
def test_what_is_wrong_is_one_line_that_names_the_argument(argument, value, line):
    named = dict(zip(argument.split(), value if " " in argument else [value], strict=True))
    said = refusal(one, **named)
    assert re.search(line, said)
    assert not any(part in said for part in ("attention-audit-", "jsonl", "corpora.", "hf."))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 0] * 3, np.int8), torch.tensor([1, 0] * 3), [1.0, 0.0] * 3, ["positive", "negative"] * 3,
        pd.Series([1.0, 0.0] * 3, index=range(5, 11)), pd.Series(["positive", "negative"] * 3).astype("category"),
    ],
    ids=["int8", "tensor", "floats", "names", "series", "category"],
)  # fmt: skip
def test_labels_of_many_kinds_are_classes(labels):
    assert index_classes(labels, ["negative", "positive"], 6) == [1, 0] * 3


def test_classes_that_are_no_texts_count(tmp_path):
    names = ("anger", "joy", "JOY", "fear")
    model = on_disk.save(tmp_path, names=names)
    for labels in (["joy", "anger"] * 3, ["JOY"] * 6):
        found = one(model=model, labels=labels)
        assert found.classes == [*names]
        assert found.readouts[0].probabilities.shape == (6, 4)
        assert found.readouts[0].labels.tolist() == [names.index(name) for name in labels]
        assert {*found.texts["prediction_name"]} <= {*names}


def test_a_word_that_is_not_read_has_no_numbers():
    tokenizer = AutoTokenizer.from_pretrained(folder(0))
    tokenizer.truncation_side = "left"
    found = one(model=library()[0], tokenizer=tokenizer, max_length=5)
    for number, text in enumerate(TEXTS[:6]):
        shown, whole = found.text(number).words, text.split()
        assert shown["word"].tolist() == [*whole, "[CLS]", "[SEP]"]
        assert shown["known"].tolist() == shown["weight"].notna().tolist()
        assert shown["known"].sum() == found.readouts[0].lengths[number]
        assert found.words[number][-3] == whole[-1]
    assert "does not read" in repr(found.text(3))


class Attending(nn.Module):
    """Attention over the vectors of words, and a linear layer."""

    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.vectors = nn.Embedding(26, 5)
        self.query, self.decoder = nn.Linear(5, 1), nn.Linear(5, 2)

    def forward(self, texts):
        states = [self.vectors(torch.tensor([ord(word[0]) % 26 for word in text])) for text in texts]
        return [self.query(each)[:, 0].softmax(0) for each in states], states


def spelt():
    random = np.random.default_rng(0)
    for _ in range(20):
        yield [chr(97 + int(letter)) for letter in random.integers(0, 26, random.integers(3, 8))]


def test_a_network_with_attention_of_its_own_is_asked_the_same(tmp_path):
    models, texts = [Attending(seed) for seed in (1, 2)], [["<s>", *text] for text in spelt()]
    labels = [number % 2 for number in range(20)]
    found = api.audit_torch(models, [model.decoder for model in models], texts, labels, batch_size=7, progress=False)
    assert not_asked(found) == {"needed", "unique", "transferable"}

    def predict(model, words):
        pooled = torch.stack([a @ h for a, h in zip(*model([["<s>", *text] for text in words]), strict=True)])
        return model.decoder(pooled).softmax(1).detach().numpy()

    maps = [[weights.detach().numpy() for weights in model(texts)[0]] for model in models]
    judged = api.judge(texts, maps, [partial(predict, model) for model in models], report=lambda line: None)
    assert "No attribution" in found.figure().get_supxlabel()
    mine, theirs = (table.set_index("question").loc["located"] for table in (found.table, judged.table))
    assert mine["note"] == theirs["note"]
    np.testing.assert_allclose([*mine[["value", "low", "high"]]], [*theirs[["value", "low", "high"]]], atol=1e-5)
    words = found.text(0).words
    # the mark stands behind the words
    assert words["word"].tolist() == [*texts[0][1:], "[CLS]"]
    np.testing.assert_allclose(words["weight"], np.roll(maps[0][0], -1), atol=1e-6)
    added = (models[0](texts)[1][0] @ models[0].decoder.weight.T).detach().numpy()
    # the lead is that over the mean of all classes by their probabilities
    (predicted,) = predict(models[0], [texts[0][1:]])
    exact = maps[0][0] * (added[:, predicted.argmax()] - added @ predicted)
    np.testing.assert_allclose(words["contribution"], np.roll(exact, -1), atol=1e-5)
    # contributions that are exact are saved
    found.save(tmp_path)
    saved = api.read(tmp_path / "training1.npz")
    assert saved.decided
    assert saved.tokens[0] == ["[CLS]", *texts[0][1:]]
    np.testing.assert_allclose(saved.attention[0], maps[0][0], atol=1e-6)
    np.testing.assert_allclose(saved.contribution[0], added, atol=1e-5)


def give(weights, states):
    """A network that gives these for each text."""
    return lambda texts: ([weights] * len(texts), [states] * len(texts))


@pytest.mark.parametrize(
    ("forward", "decoder", "line"),
    [
        (lambda texts: ([[1.0]], [[[1.0]]]), nn.Linear(1, 2), "forward: has 1 entries for 4 texts"),
        # the second batch has three texts
        (
            lambda texts: ([[1.0]] * len(texts), [[[1.0] * (len(texts) - 2)]] * len(texts)),
            nn.Linear(2, 2),
            "text 4: states are 1 wide, decoder 2",
        ),
        (give([1.0], 1.0), nn.Linear(1, 2), "give the states of its words"),
        (give([], []), (np.ones((2, 1)), np.ones(3)), "decoder: bias: has 3 entries for 2 rows"),
        ([len], [], "decoder: has 0 entries for 1 trainings; give"),
        (
            give([1.0], [[1.0]]),
            nn.Sequential(nn.Dropout(), nn.Linear(1, 2)),
            "decoder: is Sequential, and no linear layer",
        ),
        (give([1.0], [[1.0]]), np.sum, "decoder: is .*, and no linear layer; give the nn.Linear in it, or weight"),
        (
            lambda texts: {"attention": [[1.0]], "states": [[[1.0]]]},
            nn.Linear(1, 2),
            "forward: gives dict; give two lists",
        ),
        (lambda texts: ([], [], []), nn.Linear(1, 2), "forward: gives tuple of 3; give two lists"),
        (
            lambda texts: [text.split() for text in texts],
            nn.Linear(1, 2),
            r"forward: called with a list of 4 texts, the first being the list of words \['q'.*raises AttributeError",
        ),
    ],
)
def test_a_network_that_does_not_fit_is_one_line(forward, decoder, line):
    with pytest.raises(AuditError, match=line):
        api.audit_torch(forward, decoder, [*spelt()][:7], [0, 1] * 3 + [0], batch_size=4, progress=False)


def test_dropout_is_told_of_the_argument():
    network, drop = Attending(1), nn.Dropout(0.5)

    def forward(texts):
        weights, states = network(texts)
        return weights, [drop(each) for each in states]

    with pytest.raises(AuditError, match=r"^forward of training 1: moves a probability by .* switch off dropout"):
        api.audit_torch(forward, network.decoder, [*spelt()], [0, 1] * 10, progress=False)


MODES = {
    "inference": torch.inference_mode,
    "without gradients": torch.no_grad,
    "autocast": partial(torch.autocast, "cpu", dtype=torch.bfloat16),
}
"""What a caller may have set of PyTorch."""


@pytest.mark.parametrize("name", [*MODES])
def test_modes_of_the_caller_change_nothing(name):
    arguments = {
        "model": library()[0],
        "tokenizer": library()[1],
        "maps": ["gradient_attention"],
        "questions": ["used"],
    }
    plain = one(**arguments)
    before = torch.get_default_dtype()
    with MODES[name]():
        torch.set_default_dtype(torch.float64)
        try:
            found = one(**arguments)
            assert torch.get_default_dtype() == torch.float64
        finally:
            torch.set_default_dtype(before)
        made = type(library()[0])(library()[0].config)
        made.load_state_dict(library()[0].state_dict())
        others = [found, one(**arguments | {"model": made.eval()})]
    for other in (*others, one(**arguments | {"model": made})):
        np.testing.assert_array_equal(other.readouts[0].probabilities, plain.readouts[0].probabilities)
        np.testing.assert_array_equal(
            other.text(0).words["gradient_attention"], plain.text(0).words["gradient_attention"]
        )
        assert other.table.equals(plain.table)


def test_a_number_that_is_none_names_its_text():
    """Of a text that is not among those that are compared first, too."""
    model, tokenizer = library()
    spoilt = deepcopy(model)
    vectors = spoilt.get_input_embeddings().weight.data
    vectors[tokenizer.convert_tokens_to_ids("great")] = torch.nan
    texts = ["the film was bad"] * 40
    texts[17] = "the film was great"
    said = refusal(one, model=spoilt, tokenizer=tokenizer, texts=texts, labels=["negative"] * 40)
    assert said.startswith("model: its logits of text '17' are no numbers (nan, nan); look for NaN in its weights")


def test_progress_says_what_is_asked_and_how_much_remains(capsys, monkeypatch):
    """Each line of the bar, in the order in which they were written; all of it never falls, and ends at all. Above it
    stands what is answered, as in the answer.
    """
    monkeypatch.setattr(find_objection, "__defaults__", (2,))
    # every line, however fast the steps are
    monkeypatch.setattr("tqdm.auto.tqdm", partial(tqdm.auto.tqdm, mininterval=0))
    found = one(questions=None, texts=TEXTS, labels=LABELS, model=[folder(0), folder(1)], progress=True)
    shown = capsys.readouterr().err
    claims = [QUESTIONS[name].claim for name in ("stable", "used", "ranks", "signed", "located")]
    said = [line for line in re.split(r"[\r\n]+", shown) if any(claim in line for claim in claims)]
    assert {*said} <= {*str(found).splitlines()}
    clear = found.table.loc[found.table["verdict"] != "–", "claim"]
    assert [claim for claim in claims if claim in {*clear}] == [
        claim for line in said for claim in claims if claim in line
    ]
    assert len(said) > 2
    assert shown.index(said[0]) < shown.index("located, training 1 of 2")
    lines = re.findall(r"(\d+)%\|[^|]*\| ([\d:]+), remain ([\d:?]+)(?:, (\d+) of 12 texts)?; ([^\r\n]*)", shown)
    shares = [int(share) for share, *_ in lines]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 100)
    names = [*dict.fromkeys(name.strip() for *_, name in lines)]
    wanted = ["reading, training 1 of 2", "reading, training 2 of 2", "ranks, signed", "located, training 1 of 2"]
    assert [name for name in names if name in wanted] == wanted
    remain = {int(texts) for *_, texts, name in lines if texts}
    assert len(remain) > 2
    assert remain <= {*range(13)}


def test_the_bar_moves_by_what_each_go_through_the_texts_takes():
    said, bar = [], SimpleNamespace(n=5.0, set_postfix_str=lambda text, refresh: said.append(text))
    bar.update = lambda added: setattr(bar, "n", bar.n + added)
    step, passed = AuditStep(lambda: None, "ranks", cost=10.0, passes=30, goes=(0.1, 0.1, 0.8)), []
    found = []
    for count in (5, 15, 5, 10):
        move_bar(bar, step, 5.0, passed, 10, count)
        found.append(bar.n)
    # half of the first; the first two; half of the last; all
    np.testing.assert_allclose(found, [5.5, 7.0, 11.0, 15.0])
    assert said == ["10 of 10 texts", "8 of 10 texts", "4 of 10 texts", "0 of 10 texts"]


def test_texts_are_read_and_nothing_is_asked(monkeypatch):
    (model, tokenizer), whole = library(), answer()
    monkeypatch.setattr("attention_audit.audits.leave_one_out.delete_each", None)
    readings = attention_audit.read(model, tokenizer, TEXTS[:3], maps=["rollout"])
    for reading, number in zip(readings, range(3), strict=True):
        expected = whole.text(number)
        assert reading.words["weight"].tolist() == pytest.approx(expected.words["weight"].tolist(), abs=1e-6)
        assert reading.words["rollout"].dropna().tolist() == pytest.approx(
            expected.words["rollout"].dropna().tolist(), abs=1e-6
        )
        assert reading.facts["prediction"] == expected.facts["prediction"]
    alone = attention_audit.read(model, tokenizer, TEXTS[0])
    assert alone.facts["probability"] == probability(TEXTS[0])
    assert attention_audit.read is api.read_texts
    assert "maps: map 'rolout' is not known" in refusal(
        attention_audit.read, model, tokenizer, TEXTS[0], maps=["rolout"]
    )


@pytest.mark.parametrize("layer", [None, 1])
def test_reading_is_one_function_with_and_without_an_answer(layer):
    by_answer = answer().read({"text": TEXTS[0]}, layer=layer)
    found = attention_audit.read([folder(0), folder(1)], None, {"text": TEXTS[0]}, maps=["rollout"], layer=layer)
    assert found.to_dict() == by_answer.to_dict()
    assert found.layer == by_answer.layer == layer
    np.testing.assert_array_equal(found.weigh_layers(), by_answer.weigh_layers())
