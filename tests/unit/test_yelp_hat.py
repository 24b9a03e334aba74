"""Small files in Yelp-HAT's format."""

import csv

import pytest
from marked import said
from refusal import refusal

from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.annotated import YelpHatCorpus, read_map

HEADER = ["Input.label", "Input.text", "Answer.Q1Answer", "Answer.html_output"]
TEXT = "Good food &  a <great> waiter."


def html(words, marked):
    """A map as published, with an empty span behind the last word."""
    spans = [
        f"<span{' class=' + chr(34) + 'active' + chr(34) if at in marked else ''}>{word}</span>"
        for at, word in enumerate(words)
    ]
    return " ".join([*spans, "<span></span>"])


WORDS = ["Good", "food", "&amp;", "a", "&lt;great&gt;", "waiter."]
ROWS = [
    ["1", TEXT, "yes", html(WORDS, {0, 4})],
    ["1", TEXT, "no", html(WORDS, set())],
    ["0", "Slow.", "idk", html(["Slow."], {0})],
    ["1", TEXT, "", html(WORDS, {4, 5})],
]


def written(folder, rows):
    path = folder / "ham_part1(50words).csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([HEADER, *rows])
    return path


def source(**settings):
    parts = {"words50": RemoteFile(file="ham_part1(50words).csv")}
    return YelpHatCorpus.model_validate({"kind": "yelp-hat", "parts": parts, **settings})


def read(path, **settings):
    return list(source(**settings).read("hat", {"parts.words50": path}))


def test_rows_of_one_text_are_its_annotators(tmp_path):
    path = written(tmp_path, ROWS)
    good, slow = read(path)
    assert (good.id, good.split, good.label, good.text) == ("hat-words50-0001", None, "positive", TEXT)
    assert good.place == f"{path}, line 2"
    assert said(good) == {"annotator 1": ["Good", "<great>"], "annotator 2": [], "annotator 3": ["<great>", "waiter."]}
    assert good.annotations.labels == ["positive", "negative", ""]
    assert (slow.id, slow.label, said(slow)) == ("hat-words50-0002", "negative", {"annotator 1": ["Slow."]})


def test_annotators_who_judge_otherwise_can_be_left_out(tmp_path):
    good, slow = read(written(tmp_path, ROWS), annotators="agreeing")
    assert (said(good).keys(), said(slow)) == ({"annotator 1"}, {})


def test_a_map_is_read_as_a_browser_shows_it():
    """A browser's extension put tags of its own into some maps, and one map has spaces in a tag."""
    page = '<span class="active"><i class="x">A</i>b</span> <span >c</span>   <span>d&#39;s</span> <span></span>'
    assert read_map(page) == [("Ab", True), ("c", False), ("d's", False)]


def test_a_map_of_other_words_is_left_out_and_counted(tmp_path):
    [text] = read(written(tmp_path, [ROWS[0], ["1", TEXT, "yes", html(WORDS[1:], {0})]]))
    assert said(text).keys() == {"annotator 1"}
    assert text.annotations.miscounted == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["2", TEXT, "yes", ROWS[0][3]]], "line 2: Input.label is 2, and must be one of 0 and 1"),
        ([ROWS[0], ["0", *ROWS[0][1:]]], "line 2: Input.label is 0, 1"),
        ([["1", TEXT, "maybe", ROWS[0][3]]], "line 2: Answer.Q1Answer is 'maybe', and must be one of yes, no and idk"),
        ([["1", TEXT, "yes", "Good food"]], "line 2: Answer.html_output has no word"),
    ],
)
def test_what_is_not_as_published_is_named_by_its_line(tmp_path, rows, message):
    assert message in refusal(read, written(tmp_path, rows))
