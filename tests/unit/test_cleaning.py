"""Texts without what nobody sees, and where each character stood: against Unicode's own NFC, and by hand."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables_on_disk import write_rows

from attention_audit.corpus.draft import make_row
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.text import FILLER, clean, find_markup, strip_html
from attention_audit.corpus.tokens import Tokens, split_words

ODD = "e\u0301\u0323\u1112\u1161\u11ab\uac00\u09c7\u09be\u0958\u200b\u200d\ufeff\u00ad\ufe0f\u2764 \u0e01क"


@given(st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=12))
def test_a_cleaned_text_is_nfc_and_its_places_ascend_within_the_text(text: str) -> None:
    made, places = clean(text)
    assert made == unicodedata.normalize("NFC", made)
    assert len(places) == len(made) + 1
    assert [*places] == sorted(places)
    assert not made or 0 <= places[0] <= places[-1] <= len(text)


@given(st.text(st.sampled_from("ae\u0301\u0323\u1112\u1161\u11ab\uac00\u09c7\u09be\u0958 -"), max_size=12))
def test_visible_characters_are_those_of_unicodes_nfc(text: str) -> None:
    assert clean(text)[0] == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("text", "made", "places"),
    [
        ("caf\u00e9", "caf\u00e9", [0, 1, 2, 3, 4]),
        ("e\u200b\u0301", "\u00e9", [0, 3]),
        ("\ufeffa\u00adb", "ab", [0, 3, 4]),
        ("a \u200bb\u200e c", "a b c", [0, 1, 2, 5, 6, 7]),
        ("\u0958", "\u0915\u093c", [0, 0, 1]),
        ("\u1112\u1161\u11ab", "\ud55c", [0, 3]),
        ("می\u200cخواهم\u200c", "می\u200cخواهم", [*range(8), 9]),
        ("क्\u200dष a\u200db", "क्\u200dष ab", [0, 1, 2, 3, 4, 5, 7, 8]),
        ("❤\ufe0f a\ufe0f 葛\U000e0100", "❤\ufe0f a 葛", [0, 1, 2, 3, 5, 6, 8]),
    ],
)
def test_where_characters_stand(text: str, made: str, places: list[int]) -> None:
    found, where = clean(text)
    assert (found, [*where]) == (made, places)


@pytest.mark.parametrize(
    ("text", "read", "first"),
    [
        ("a.<br /><br/>It&#39;s &quot;ok&quot;", 'a.           It\'s "ok"', "<br />"),
        ('<a href="x>y" class=b>l</a>', " " * 22 + "l    ", '<a href="x>y" class=b>'),
        ("x&lt;br&gt;y &amp;lt; &amp;#39;", "x" + " " * 10 + "y < '", "&lt;br&gt;"),
        ("<!-- a --><style>b{}</style>c", " " * 28 + "c", "<!-- a -->"),
        ("R&amp;D caf&eacute;&nbsp;x", "R&D café\xa0x", "&amp;"),
        ("a < b and c > d <3 <url> <user> <b and c> AT&T; R&D; &notit; <s>", None, ""),
    ],
)
def test_html_is_read_and_other_signs_are_not(text: str, read: str | None, first: str) -> None:
    made = strip_html(text)
    assert len(made) == len(text)
    assert made.replace(FILLER, "") == (text if read is None else read)
    assert find_markup(text) == first


@pytest.mark.parametrize(
    ("text", "marked", "words", "marks"),
    [
        ("Cafe\u0301 \ufeffso good", "so", ["café", "so", "good"], [1]),
        ("so\u00adso g\u200bood", "g\u200bood", ["soso", "good"], [1]),
        ("bad.<br />It&#39;s &quot;ok&quot;", "&quot;ok&quot;", ["bad", ".", "it", "'s", '"', "ok", '"'], [4, 5, 6]),
        ("İSTANBUL is big", "is", ["istanbul", "is", "big"], [1]),
        ("मुझे फ़िल्म", "फ़िल्म", ["मुझे", "फ़िल्म"], [1]),
    ],
)
def test_evidence_by_characters_is_of_the_own_text(
    tmp_path: Path, text: str, marked: str, words: list[str], marks: list[int]
) -> None:
    row = {"text": text, "label": "a", "marks": [[(at := text.index(marked)), at + len(marked)]]}
    path = write_rows(tmp_path / "own.jsonl", [row])
    evidence = {"columns": "marks", "written": "characters"}
    settings = {"kind": "table", "path": str(path), "evidence": evidence, "tokens": {"strip_html": True}}
    source = TableCorpus.model_validate(settings)
    [read] = source.read("own", {"path": path})
    made = make_row(read, source.preparation)
    assert (made["tokens"], made["marks"], made["lost"]) == (words, [marks], 0)
    assert made["raw"] == text
    assert [text[start] != " " for start in made["starts"]] == [True] * len(words)


def test_a_cleaned_text_without_a_word_is_empty() -> None:
    assert split_words("\ufeff\u200b <br> &shy;", Tokens(strip_html=True)) == []
