import json
from functools import partial

import pytest
from published import pack, read_archive
from refusal import refusal

from attention_audit.corpus.text import Text


def pair(label, premise="A dog runs.", hypothesis="It rests."):
    """A line with the published keys, and two that are not read."""
    return json.dumps(
        {"annotator_labels": [], "gold_label": label, "sentence1": premise, "sentence2": hypothesis, "pairID": "1"}
    )


def jsonl(*lines):
    return "".join(f"{line}\n" for line in lines)


def archive(folder, **members):
    """An archive in the published layout; a member given as None is left out."""
    other = jsonl(pair("contradiction"))
    splits = {
        "dev": other,
        "test": other,
        "train": jsonl(pair("neutral"), pair("-"), pair("entailment", 'Caf\u00e9 "Noir"\nopen', "")),
        **members,
    }
    files = {f"snli_1.0/snli_1.0_{split}.jsonl": content for split, content in splits.items()}
    others = {"__MACOSX/snli_1.0/._snli_1.0_train.jsonl": b"\x00\x05", "snli_1.0/snli_1.0_train.txt": "in columns"}
    return pack(folder / "snli_1.0.zip", {"snli_1.0/": "", **others, **files})


read = partial(read_archive, "snli")


def test_pairs_without_a_gold_label_are_left_out_but_counted(tmp_path):
    path = archive(tmp_path)
    texts = read(path)
    assert [(text.id, text.label) for text in texts] == [
        ("snli-dev-000001", "contradiction"),
        ("snli-test-000001", "contradiction"),
        ("snli-train-000001", "neutral"),
        ("snli-train-000003", "entailment"),
    ]
    place = f"{path}: snli_1.0/snli_1.0_train.jsonl, line 1"
    assert texts[2] == Text(
        "snli-train-000001", "train", "neutral", "A dog runs.", place, query="It rests.", group="A dog runs."
    )
    assert (texts[3].text, texts[3].query) == ('Caf\u00e9 "Noir"\nopen', "")


@pytest.mark.parametrize(
    "line",
    [
        pair("neutral")[:-1],
        "",
        '["neutral", "a", "b"]',
        '{"gold_label": "neutral", "sentence1": "a"}',
        pair("neutral", None),
    ],
)
def test_a_bad_line_is_named(tmp_path, line):
    message = refusal(read, archive(tmp_path, train=jsonl(pair("-"), line, pair("neutral"))))
    assert "snli_1.0_train.jsonl, line 2: no gold_label, sentence1 and sentence2 in it" in message
