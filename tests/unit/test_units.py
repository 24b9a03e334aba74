"""Units of texts at hand: pieces, sentences and spans in the place of words."""

import re
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import classifiers_on_disk as on_disk
import numpy as np
import pytest
import torch
from refusal import refusal
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from attention_audit import audit_classifier
from attention_audit.corpus.units import find_pieces

TEXTS = [
    "the film is great. why bad",
    "unbelievably dull films. good story",
    "a story is bad. great film",
    "good film. bad the",
]
LABELS = [0, 1, 1, 0]


@cache
def folder():
    return str(on_disk.save(Path(mkdtemp())))


@cache
def library():
    return (
        AutoModelForSequenceClassification.from_pretrained(folder(), attn_implementation="eager"),
        AutoTokenizer.from_pretrained(folder()),
    )


ask = partial(audit_classifier, texts=TEXTS, labels=LABELS, tokenizer=None, progress=False)


def read_plain(text):
    """The pieces of a text with their offsets, and the last layer's row of the first one, mean of the heads."""
    model, tokenizer = library()
    encoding = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets = encoding.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        weights = model(**encoding, output_attentions=True).attentions[-1][0].mean(0)[0].numpy()
    return offsets, weights


def predict_plain(text):
    model, tokenizer = library()
    with torch.no_grad():
        return model(**tokenizer(text, return_tensors="pt")).logits.softmax(1)[0].numpy()


def numbers(found):
    return found.table[["value", "low", "high", "texts"]].to_numpy(float)


def test_pieces_are_units():
    found = ask(folder(), granularity="token")
    for number, text in enumerate(TEXTS):
        offsets, weights = read_plain(text)
        shown = found.text(number).words
        assert shown["word"].tolist() == [*(text[a:b] for a, b in offsets if b > a), "[CLS]", "[SEP]"]
        assert shown["weight"].to_numpy() == pytest.approx([*weights[1:-1], weights[0], weights[-1]], abs=1e-6)
    # some words have several pieces
    assert len(found.text(1).words) > len(ask(folder()).text(1).words)


def test_a_sentence_has_the_sum_of_its_pieces_and_goes_as_a_whole():
    found = ask(folder(), granularity="sentence", questions=["located"])
    for number, text in enumerate(TEXTS):
        first = text[: text.index(".") + 1]
        second = text[len(first) :].strip()
        assert found.text(number).words["word"].tolist()[:2] == [first, second]
        offsets, weights = read_plain(text)
        inside = [start < len(first) for start, stop in offsets[1:-1]]
        sums = [weights[1:-1][np.array(inside) == side].sum() for side in (True, False)]
        assert found.text(number).words["weight"].to_numpy()[:2] == pytest.approx(sums, abs=1e-6)
    # of two sentences one goes: the one that matters most by leave-one-out, and by attention
    whole = [predict_plain(text) for text in TEXTS]
    falls = np.array(
        [
            [p.max() - predict_plain(rest)[p.argmax()] for rest in text.replace(". ", ".|").split("|")[::-1]]
            for text, p in zip(TEXTS, whole, strict=True)
        ]
    )
    weights = np.array([found.text(number).words["weight"].to_numpy()[:2] for number in range(4)])
    by_attention, best = falls[range(4), weights.argmax(1)].mean(), falls.max(1).mean()
    clause = found.table.set_index("question").loc["located", "note"]
    shares = re.search(r"by (\S+); random \S+, leave-one-out (\S+)", clause).groups()
    assert [float(share.replace("−", "-")) for share in shares] == pytest.approx([by_attention, best], abs=0.006)


def test_spans_that_are_the_words_give_what_words_give():
    words = ask(folder(), maps=["rollout", "input_gradient"])
    spans = [[(match.start(), match.end()) for match in re.finditer(r"\w+|\.", text)] for text in TEXTS]
    same = ask(folder(), spans=spans, maps=["rollout", "input_gradient"])
    assert np.allclose(numbers(words), numbers(same), equal_nan=True)
    assert same.text(0).words.equals(words.text(0).words)


def test_what_no_span_covers_is_read_and_never_ranked():
    spans = [[(4, 8), (12, 17)], [(13, 17), (25, 29)], [(2, 7), (16, 26)], [(0, 4), (5, 9)]]
    found = ask(folder(), spans=spans, maps=["rollout"])
    shown = found.text(0).words
    assert shown["word"].tolist() == ["film", "great", "[CLS]", "[SEP]"]
    offsets, weights = read_plain(TEXTS[0])
    by_start = {start: weight for (start, stop), weight in zip(offsets, weights, strict=True) if stop}
    assert shown["weight"].to_numpy()[:2] == pytest.approx([by_start[4], by_start[12]], abs=1e-6)
    # all else is one item, the marks behind the words
    assert shown["weight"].sum() == pytest.approx(1, abs=1e-5)
    assert found.text(2).words["word"].tolist()[:2] == ["story", TEXTS[2][16:26].strip()]
    # a run would read words
    assert found.run is None


def test_several_pieces_of_one_letter_are_one_unit():
    tokenizer = on_disk.byte_level(["a"])
    assert find_pieces("a é 好", tokenizer) == [(0, 1), (2, 3), (4, 5)]


WRONG = {
    "granularity: 'paragraph' is not known; give word, token, sentence": {"granularity": "paragraph"},
    r"spans: text 1: \(10, 18\) and \(15, 20\) overlap; units are apart": {
        "spans": [[(0, 3)], [(15, 20), (10, 18)]] * 2
    },
    r"spans: text 0: \(3, 52\) is not within its 26 characters": {"spans": [[(3, 52)]] * 4},
    r"spans: text 0: \(3, 4\) holds no letter": {"spans": [[(3, 4)]] * 4},
    "spans: has 3 entries for 4 texts": {"spans": [[(0, 3)]] * 3},
    "spans: text 0: has none": {"spans": [[]] * 4},
    "spans: are of single texts": {"spans": [[(0, 3)]] * 4, "seconds": TEXTS},
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_one_line(line):
    assert re.search(line, refusal(ask, folder(), **WRONG[line]))
