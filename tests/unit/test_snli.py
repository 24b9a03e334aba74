import json
import zipfile
from functools import partial
from pathlib import Path

import pytest
from refusal import refusal

from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.pairs import SnliCorpus
from attention_audit.corpus.text import Text


def pair(label: object, premise: object = "A dog runs.", hypothesis: object = "It rests.") -> str:
    """A line with the published keys, and two that are not read."""
    return json.dumps(
        {"annotator_labels": [], "gold_label": label, "sentence1": premise, "sentence2": hypothesis, "pairID": "1"}
    )


def jsonl(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


TRAIN = jsonl(pair("neutral"), pair("-"), pair("entailment", 'Caf\u00e9 "Noir"\nopen', ""))


def archive(folder: Path, **members: str | bytes | None) -> Path:
    """An archive in the published layout; a member given as None is left out."""
    path = folder / "snli_1.0.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as handle:
        handle.writestr("snli_1.0/", "")
        handle.writestr("__MACOSX/snli_1.0/._snli_1.0_train.jsonl", b"\x00\x05")
        handle.writestr("snli_1.0/snli_1.0_train.txt", "the same in columns")
        other = jsonl(pair("contradiction"))
        for split, content in {"dev": other, "test": other, "train": TRAIN, **members}.items():
            if content is not None:
                handle.writestr(f"snli_1.0/snli_1.0_{split}.jsonl", content)
    return path


def corpus() -> SnliCorpus:
    return SnliCorpus(kind="snli", archive=RemoteFile(file="snli_1.0.zip"))


def read(path: Path) -> list[Text]:
    return list(corpus().read("snli", {"archive": path}))


def test_pairs_without_a_gold_label_are_left_out_but_counted(tmp_path: Path) -> None:
    assert [(text.id, text.label) for text in read(archive(tmp_path))] == [
        ("snli-dev-000001", "contradiction"),
        ("snli-test-000001", "contradiction"),
        ("snli-train-000001", "neutral"),
        ("snli-train-000003", "entailment"),
    ]


def test_the_premise_is_the_text_and_the_hypothesis_the_query(tmp_path: Path) -> None:
    path = archive(tmp_path)
    place = f"{path}: snli_1.0/snli_1.0_train.jsonl, line 1"
    assert read(path)[2] == Text(
        "snli-train-000001", "train", "neutral", "A dog runs.", place, query="It rests.", group="A dog runs."
    )


def test_pairs_of_a_premise_are_a_group(tmp_path: Path) -> None:
    lines = jsonl(pair("neutral", "A.", "x"), pair("entailment", "A.", "y"), pair("neutral", "B.", "x"))
    texts = read(archive(tmp_path, test=lines))
    assert [text.group for text in texts if text.split == "test"] == ["A.", "A.", "B."]


def test_quotes_line_ends_and_empty_texts_pass(tmp_path: Path) -> None:
    text = read(archive(tmp_path))[3]
    assert (text.text, text.query) == ('Caf\u00e9 "Noir"\nopen', "")


def test_it_is_a_corpus_of_pairs_with_three_classes() -> None:
    assert corpus().pair
    assert corpus().class_order == ["contradiction", "entailment", "neutral"]


refused = partial(refusal, read)


@pytest.mark.parametrize(
    "line",
    [
        pair("neutral")[:-1],
        "",
        '["neutral", "a", "b"]',
        "7",
        '{"gold_label": "neutral", "sentence1": "a"}',
        pair("neutral", None),
        pair("neutral", "a", ["b"]),
        pair(1),
    ],
    ids=["cut off", "empty", "a list", "a number", "no hypothesis", "null", "words", "number as label"],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    message = refused(archive(tmp_path, train=jsonl(pair("-"), line, pair("neutral"))))
    assert "snli_1.0_train.jsonl, line 2: no gold_label, sentence1 and sentence2 in it" in message


def test_bad_encoding_is_named_by_its_line(tmp_path: Path) -> None:
    assert "snli_1.0_dev.jsonl, line 1: not utf-8" in refused(archive(tmp_path, dev=b'{"gold_label": "caf\xe9"}\n'))


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_missing_split(tmp_path: Path, split: str) -> None:
    assert f"no split {split} in it; is it snli_1.0.zip?" in refused(archive(tmp_path, **{split: None}))


def test_a_truncated_archive(tmp_path: Path) -> None:
    path = archive(tmp_path)
    path.write_bytes(path.read_bytes()[:-10])
    assert "truncated or corrupt" in refused(path)
