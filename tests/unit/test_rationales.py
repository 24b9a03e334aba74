"""Marks by hand, the laws of their alignment, and marks in a user's own table."""

from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from refusal import refusal
from small_corpora import corpus_of
from tables_on_disk import open_table, write_rows

from attention_audit.artefacts.parquet import read_rows, write_table
from attention_audit.audits.facts import TextFacts
from attention_audit.columns.files import CORPUS
from attention_audit.corpus import checkup
from attention_audit.corpus.rationales import Annotations, Evidence, Rationale, align, mark_scores, read_annotations
from attention_audit.corpus.tokens import Tokens, split_words


def test_scores_from_the_least_one_on_are_marks_of_their_source():
    said = mark_scores("planted", [(0, 1, 1.0), (1, 2, 0.0), (2, 3, 0.5)], 0.5)
    assert align(said, [(at, at + 1) for at in range(3)]) == Rationale({"planted": [0, 2]}, [1.0, 0.0, 0.5])
    # a word's score is the mean of what lies over it
    said = Annotations({}, [(0, 5, 1.0), (3, 5, 0.5), (10, 12, -1.0)])
    assert align(said, [(0, 3), (3, 5), (6, 9), (10, 14)]).scores == [1.0, 0.75, 0.0, -1.0]


SETTINGS = st.builds(
    Tokens,
    tokenizer=st.sampled_from(["spaces", "en", "xx"]),
    lower=st.booleans(),
    mask_numbers=st.booleans(),
    punctuation=st.sampled_from(["keep", "drop", "last"]),
    sentences=st.booleans(),
)
PARTS = ["a", "B", "7", "İ", "ß", "-", ".", "'", "!", ",", " ", "\n", "Don't", " I'm ", "U.S."]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


@given(TEXTS, SETTINGS)
def test_words_stand_where_they_are_said_to_stand(text, tokens):
    words, places, _ = split_words(text, tokens)
    starts, ends = [start for start, _ in places], [end for _, end in places]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    for word, (start, end) in zip(words, places, strict=True):
        stood = text[start:end]
        assert stood
        assert not stood[0].isspace()
        assert word == "qqq" or {*word} & {*stood, *stood.lower()}
        if tokens.punctuation == "keep" and not tokens.mask_numbers:
            # the dotted capital of Turkish has one small letter, and no dot of its own behind it
            assert word == (stood.replace("İ", "i").lower() if tokens.lower else stood)


@given(TEXTS, SETTINGS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4))
def test_every_mark_lands_on_the_words_that_overlap_it_and_on_no_other(text, tokens, spans):
    places = split_words(text, tokens).places
    over = [[at for at, (start, end) in enumerate(places) if {*range(*span)} & {*range(start, end)}] for span in spans]
    found = align(Annotations({"Ann": spans}), places)
    assert found.marks["Ann"] == sorted({at for words in over for at in words})
    assert found.lost == sum(not words for words in over)


@given(st.lists(st.lists(st.integers(0, 5), unique=True), max_size=5))
def test_a_majority_is_counted(lists):
    votes = Counter(at for positions in lists for at in positions)
    marks = {f"annotator {number}": positions for number, positions in enumerate(lists)}
    assert Rationale(marks).majority == sorted(at for at, count in votes.items() if count > len(lists) / 2)


def test_rationales_are_read_by_text_and_split(tmp_path, provenance):
    marked = {"annotators": [["Ann", "Bob"], None, ["Ann"]], "marks": [[[0], []], None, [[1]]]}
    splits = ("test", "test", "train")
    corpus = corpus_of([(split, 0, "x y") for split in splits], **marked, scores=[[1, 0], None, None])
    write_table(tmp_path / "corpus.parquet", CORPUS, corpus, provenance)
    facts = TextFacts(partial(read_rows, tmp_path / "corpus.parquet", CORPUS))
    assert facts.rationales == {"text-0": Rationale({"Ann": [0], "Bob": []}, [1.0, 0.0])}


TEXT = " A  bad,bad film "
"""Three words: at characters 1, 4 and 12."""


def annotations(text=TEXT, written="words", marked_from=0.5, **cells):
    """What a row says of a text; cells: by the names of their columns."""
    evidence = Evidence(columns=[*cells], written=written, marked_from=marked_from)
    return read_annotations("own.csv, line 2", text, cells, evidence)


def said(cell, written="words"):
    """The marked stretches of the text, as its characters."""
    marks = annotations(written=written, ann=cell).marks
    return {name: [TEXT[start:end] for start, end in spans] for name, spans in marks.items()}


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ([1, 2], "words"),
        ("[1, 2]", "words"),
        (" 1, 2 ", "words"),
        ("[1 2]", "words"),
        ([[4, 11], [12, 16]], "characters"),
        ([{"start": 4, "end": 11}, {"start": 12, "end": 16}], "characters"),
        ("4:11, 12:16", "characters"),
        ([0, 1, 1], "flags"),
        ("0,1,1", "flags"),
        ([0.1, 0.5, 1], "scores"),
        ("[0. .5 1e0]", "scores"),
    ],
)
def test_a_cell_says_the_same_however_it_is_written(cell, written):
    assert said(cell, written) == {"ann": ["bad,bad", "film"]}


def test_nothing_marked_is_not_nothing_said():
    assert said([]) == said("[]") == {"ann": []}
    assert annotations(ann="", bob=None, cem=float("nan")) is None
    assert annotations(ann="", bob=[0]).marks == {"bob": [(1, 2)]}


def test_an_object_has_each_annotators_marks():
    assert said({"Ann": [0], "Bob": [], "Cy": None}) == said('{"Ann": [0], "Bob": []}') == {"Ann": ["A"], "Bob": []}


def test_scores_of_several_columns_lie_over_one_another():
    found = annotations("a b", "scores", 0.8, ann=[0, 1], bob=[1, 0.5])
    assert found.marks == {"ann": [(2, 3)], "bob": [(0, 1)]}
    assert found.scores == [(0, 1, 0), (2, 3, 1), (0, 1, 1), (2, 3, 0.5)]


@pytest.mark.parametrize(
    ("cell", "written", "outside", "miscounted", "marked"),
    [
        ([-1, 0, 3], "words", 2, 0, {"ann": ["A"]}),
        ([[1, 2], [0, 18], [3, 3], [5, 4], [-1, 2]], "characters", 4, 0, {"ann": ["A"]}),
        ([1, 0], "flags", 0, 1, {}),
    ],
)
def test_what_does_not_fit_the_text_is_left_out_and_counted(cell, written, outside, miscounted, marked):
    found = annotations(written=written, ann=cell)
    assert (found.outside, found.miscounted) == (outside, miscounted)
    assert said(cell, written) == marked


@pytest.mark.parametrize(
    ("cell", "written", "form"),
    [
        ("the film", "words", "a list of word positions, such as [0, 3]"),
        ([[0, 1]], "words", "a list of word positions"),
        ([True], "words", "a list of word positions"),
        ([[1, 2, 3]], "characters", "a list of stretches"),
        ([{"from": 1, "to": 2}], "characters", "a list of stretches"),
        ([0, 2, 1], "flags", "a 0 or 1 for each word, such as [0, 1, 1]"),
        ([0, 10**400, 1], "scores", "a number for each word"),
        ([float("nan"), 0, 1], "scores", "a number for each word"),
        ({"Ann": "x"}, "words", "a list of word positions"),
    ],
)
def test_a_malformed_cell_is_named_by_row_and_column(cell, written, form):
    message = refusal(said, cell, written)
    assert message.startswith("own.csv, line 2: column 'ann' holds ")
    assert f"which is not {form}" in message


def table(folder, rows, **evidence):
    """What is odd in a file of these rows."""
    path = write_rows(folder / "own.jsonl", rows)
    return checkup.check_dataset("own", open_table(path, evidence={"columns": "ann", **evidence}), {"path": path}).odd


def many(**cells):
    return [
        {"text": f"text {at}", "label": ("yes", "no")[at % 2], "ann": [0]} | (cells if at in (3, 5) else {})
        for at in range(1000)
    ]


def test_marks_that_do_not_fit_are_told_before_the_run(tmp_path):
    path = tmp_path / "own.jsonl"
    assert table(tmp_path, many()) == []
    assert table(tmp_path, many(ann=[2])) == [
        f"own: 2 texts have marks outside of them, which are left out; first: {path}, line 4"
    ]
    flags = [row | {"ann": [1, 0] if row["ann"] else []} for row in many(ann=[])]
    said = "own: 2 texts have lists of marks with another number of entries than words, which are left out; first: "
    assert table(tmp_path, flags, written="flags") == [f"{said}{path}, line 4"]
    assert table(tmp_path, [row | {"ann": None} for row in many()]) == ["own: no text has marks in column 'ann'"]


@pytest.mark.parametrize("columns", [[], ["ann", "ann"]])
def test_columns_that_can_not_be_are_refused(columns):
    with pytest.raises(ValidationError, match=r"names no column|duplicate column .ann."):
        Evidence(columns=columns)
