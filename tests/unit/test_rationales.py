"""Marks by hand, and the laws of their alignment."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.corpus import CORPUS
from attention_audit.corpus.rationales import Annotations, Rationale, aligned, majority, of_words
from attention_audit.corpus.tokens import Tokens, placed_words
from attention_audit.stages.audits import read_rationales

WORDS = [(0, 3), (3, 5), (6, 9), (10, 10 + 4)]
"""Four words of a text: the second follows the first at once, and a space is before each of the others."""


@pytest.mark.parametrize(
    ("span", "words"),
    [
        ((0, 3), [0]),
        ((2, 4), [0, 1]),
        ((3, 5), [1]),
        ((5, 6), []),
        ((4, 7), [1, 2]),
        ((0, 14), [0, 1, 2, 3]),
        ((8, 8), []),
    ],
)
def test_a_word_is_marked_where_it_shares_a_character_with_a_mark(span: tuple[int, int], words: list[int]) -> None:
    found = aligned(Annotations({"Ann": [span]}), WORDS)
    assert found.rationale.marks == {"Ann": words}
    assert found.lost == (not words)


def test_a_words_score_is_the_mean_of_what_lies_over_it() -> None:
    found = aligned(Annotations({}, [(0, 5, 1.0), (3, 5, 0.5), (10, 12, -1.0)]), WORDS)
    assert found.rationale.scores == [1.0, 0.75, 0.0, -1.0]


def test_the_majority_is_more_than_half() -> None:
    assert majority([[0, 1], [1, 2]]) == [1]
    assert majority([[3, 1], [1], [3, 2]]) == [1, 3]
    assert majority([[1, 1], [2], [2], [1]]) == []
    assert majority([[5]]) == [5]
    assert majority([]) == []


def test_positions_of_words_are_marks_of_their_source() -> None:
    said = of_words({"planted": [2, 0]}, [0.0, 1.0, 0.5])
    assert aligned(said, [(at, at + 1) for at in range(3)]).rationale == Rationale({"planted": [0, 2]}, [0.0, 1.0, 0.5])


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


@settings(deadline=None)  # the first text of a language makes its tokenizer
@given(TEXTS, SETTINGS)
def test_words_stand_where_they_are_said_to_stand(text: str, tokens: Tokens) -> None:
    words = [word for sentence in placed_words(text, tokens) for word in sentence]
    starts, ends = [start for _, start, _ in words], [end for _, _, end in words]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    for word, start, end in words:
        stood = text[start:end]
        assert stood
        assert not stood[0].isspace()
        assert word == "qqq" or {*word} & {*stood, *stood.lower()}
        if tokens.punctuation == "keep" and not tokens.mask_numbers:
            # the dotted capital of Turkish has one small letter, and no dot of its own behind it
            assert word == (stood.replace("İ", "i").lower() if tokens.lower else stood)


@settings(deadline=None)
@given(TEXTS, SETTINGS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4))
def test_every_mark_lands_on_the_words_that_overlap_it_and_on_no_other(
    text: str, tokens: Tokens, spans: list[tuple[int, int]]
) -> None:
    places = [(start, end) for sentence in placed_words(text, tokens) for _, start, end in sentence]
    over = [[at for at, (start, end) in enumerate(places) if {*range(*span)} & {*range(start, end)}] for span in spans]
    found = aligned(Annotations({"Ann": spans}), places)
    assert found.rationale.marks["Ann"] == sorted({at for words in over for at in words})
    assert found.lost == sum(not words for words in over)


@given(st.lists(st.lists(st.integers(0, 5), unique=True), max_size=5))
def test_a_majority_is_counted(lists: list[list[int]]) -> None:
    votes = Counter(at for positions in lists for at in positions)
    assert majority(lists) == sorted(at for at, count in votes.items() if count > len(lists) / 2)


def test_rationales_are_read_by_text_and_split(tmp_path: Path, provenance: Provenance) -> None:
    rows = [
        {"id": "a", "split": "test", "annotators": ["Ann", "Bob"], "marks": [[0], []], "scores": [1.0, 0.0]},
        {"id": "b", "split": "test"},
        {"id": "c", "split": "train", "annotators": ["Ann"], "marks": [[1]]},
    ]
    whole = [{"label": 0, "tokens": ["x", "y"], "label_name": "no", **row} for row in rows]
    path = tmp_path / "corpus.parquet"
    write_table(path, CORPUS, pa.Table.from_pylist(whole, schema=CORPUS.schema), provenance)
    assert read_rationales(path) == {"a": Rationale({"Ann": [0], "Bob": []}, [1.0, 0.0])}
    assert read_rationales(path, "train") == {"c": Rationale({"Ann": [1]})}
