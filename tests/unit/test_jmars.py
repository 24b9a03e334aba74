import io
import json
from functools import partial

import pytest
from published import read_archive
from refusal import refusal
from tables_on_disk import write_bytes

from attention_audit.corpus import raw
from attention_audit.corpus.text import Text


def review(rating, text):
    """A review with the published keys that are read, and two that are not."""
    return {"rating": rating, "title": "Fine", "movie": "tt0", "review": text}


REVIEWS = [review(10, 'Caf\u00e9 "Noir"\nis [great], {really}.'), review(1, ""), review(7, "Good \U0001f600")]


def written(folder, content):
    return write_bytes(folder / "data.json", content.encode())


read = partial(read_archive, "jmars")


def test_a_review_becomes_a_text_without_its_title(tmp_path):
    path = written(tmp_path, json.dumps(REVIEWS))
    first, *more = read(path)
    # an empty one is left for the census
    assert [(text.id, text.label, text.text) for text in more] == [
        ("jmars-000002", "1", ""),
        ("jmars-000003", "7", "Good \U0001f600"),
    ]
    assert first == Text("jmars-000001", None, "10", 'Caf\u00e9 "Noir"\nis [great], {really}.', f"{path}, review 1")


@pytest.mark.parametrize(
    "writer",
    [
        json.dumps,
        lambda reviews: json.dumps(reviews, indent=1) + "\n",
        lambda reviews: json.dumps(reviews, ensure_ascii=False, separators=(",", ":")),
        lambda reviews: "\ufeff" + json.dumps(reviews),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 2**20])
def test_the_array_is_the_same_in_chunks_of_any_size(tmp_path, monkeypatch, writer, size):
    monkeypatch.setattr(raw, "BLOCK_BYTES", size)
    texts = read(written(tmp_path, writer(REVIEWS)))
    assert [text.text for text in texts] == [review["review"] for review in REVIEWS]


def test_only_what_is_needed_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(raw, "BLOCK_BYTES", 15)
    stream = io.BytesIO(b'[{"a": 1}, {"b": 2}]')
    assert next(raw.read_array(stream, tmp_path, "review")) == (f"{tmp_path}, review 1", {"a": 1})
    assert stream.tell() == 15


WHOLE = json.dumps(REVIEWS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (WHOLE[:-1], "3: malformed or cut off"),
        (WHOLE[:-2], "2: malformed or cut off"),
        ('[{"rating": 1, "review": ""} {rating: 2}]', "1: malformed or cut off"),
        ("", "0: not a JSON array"),
        ('{"rating": [1]}', "0: not a JSON array"),
    ],
)
def test_a_malformed_array_is_named_by_the_last_good_review(tmp_path, content, said):
    assert f"after review {said}" in refusal(read, written(tmp_path, content))


def test_an_endless_object_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(raw, "BLOCK_BYTES", 10)
    monkeypatch.setattr(raw, "MAX_CHARACTERS", 50)
    path = written(tmp_path, json.dumps([review(1, "short"), review(1, "long" * 20)]))
    assert "after review 0: malformed or cut off" in refusal(read, path)


@pytest.mark.parametrize("broken", [{"rating": 3}, {"review": "text"}, review(3, 4), ["3", "text"]])
def test_a_review_without_its_fields_is_named(tmp_path, broken):
    path = written(tmp_path, json.dumps([REVIEWS[0], broken]))
    assert "review 2: no rating and review in it" in refusal(read, path)
