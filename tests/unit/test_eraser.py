"""Small archives in ERASER's format."""

import json
from functools import partial

import pytest
from marked import said
from published import pack, read_archive
from refusal import refusal

DOCS = {"pos_1.txt": "A FINE film .\n\nIt 's  great .\n", "neg_2.txt": "dull ."}


def record(id_, label, *evidence, **more):
    """A line, whose pieces of evidence are a group each."""
    groups = [
        [{"docid": doc, "start_token": start, "end_token": end, "start_sentence": -1, "end_sentence": -1, "text": "x"}]
        for doc, start, end in evidence
    ]
    return {
        "annotation_id": id_, "classification": label, "evidences": groups, "query": "Good?", "query_type": None,
        "docids": None, **more,
    }  # fmt: skip


POS = record("pos_1.txt", "POS", ("pos_1.txt", 1, 3), ("pos_1.txt", 6, 7))
NEG = record("neg_2.txt", "NEG")
BOTH = record("both", "POS", ("neg_2.txt", 0, 1), ("pos_1.txt", 0, 1), docids=["pos_1.txt", "neg_2.txt"])


def archive(folder, docs=DOCS, **splits):
    """An archive as published; documents given as None are in one file."""
    lines = {"train": [POS, NEG], "val": [POS, NEG], "test": [POS, NEG, BOTH], **splits}
    if docs is None:
        lines["docs"] = [{"docid": name, "document": text} for name, text in DOCS.items()]
    files = {f"{name}.jsonl": "".join(json.dumps(row) + "\n" for row in rows) for name, rows in lines.items()}
    files |= {f"docs/{name}": text for name, text in (docs or {}).items()}
    return pack(folder / "movies.tar.gz", {f"movies/{name}": text for name, text in files.items()})


read = partial(read_archive, "eraser")


@pytest.mark.parametrize("docs", [DOCS, None])
def test_documents_with_their_evidence(tmp_path, docs):
    texts = read(archive(tmp_path, docs))
    assert [(text.id, text.split, text.label) for text in texts[:4]] == [
        ("eraser-train-pos_1.txt", "train", "POS"),
        ("eraser-train-neg_2.txt", "train", "NEG"),
        ("eraser-dev-pos_1.txt", "dev", "POS"),
        ("eraser-dev-neg_2.txt", "dev", "NEG"),
    ]
    assert texts[0].text == "A FINE film . It 's great ."
    assert said(texts[0]) == {"evidences": ["FINE film", "great"]}
    assert (said(texts[1]), texts[1].query) == ({"evidences": []}, None)


def test_several_documents_are_one_text_in_their_order(tmp_path):
    text = read(archive(tmp_path), query=True)[-1]
    assert text.text == "A FINE film . It 's great . dull ."
    assert (said(text), text.query) == ({"evidences": ["dull", "A"]}, "Good?")


def test_texts_on_one_document_are_a_group(tmp_path):
    """`docids` names the document, as in BoolQ, or the evidence does, as in MultiRC; movies are their own document."""
    asked = record("q1", "POS", docids=["pos_1.txt"]), record("q2", "NEG", ("pos_1.txt", 0, 1))
    texts = read(archive(tmp_path, train=[*asked, NEG, BOTH]))
    assert [text.group for text in texts if text.split == "train"] == ["pos_1.txt", "pos_1.txt", None, None]


def test_evidence_outside_of_its_document_is_left_out_and_counted(tmp_path):
    wrong = record(
        "pos_1.txt", "POS", ("pos_1.txt", 7, 9), ("pos_1.txt", -1, -1), ("neg_2.txt", 0, 1), docids=["pos_1.txt"]
    )
    text = read(archive(tmp_path, train=[wrong]))[0]
    assert (said(text), text.annotations.outside) == ({"evidences": []}, 3)


def test_what_is_not_as_published_is_named_by_its_line(tmp_path):
    assert "movies/val.jsonl, line 2: no annotation_id, classification and evidences in it" in refusal(
        read, archive(tmp_path, val=[POS, {"annotation_id": "x"}])
    )
    assert "movies/train.jsonl, line 1: no document 'gone' in docs" in refusal(
        read, archive(tmp_path, train=[record("gone", "POS")])
    )
