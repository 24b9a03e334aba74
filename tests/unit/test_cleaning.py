"""Texts as they are prepared: against Unicode's own NFC, by hand, and by what must hold of any."""

import unicodedata
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables_on_disk import write_rows

from attention_audit.corpus.draft import make_row, split_chunk
from attention_audit.corpus.prepare import DEV, TEST, TRAIN, UNKNOWN_CODE, find_short_and_long
from attention_audit.corpus.source import Length, Preparation, Splits
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.text import FILLER, Text, clean_characters, find_markup, strip_html
from attention_audit.corpus.tokens import Tokens, split_words

ODD = "e\u0301\u0323\u1112\u1161\u11ab\uac00\u09c7\u09be\u0958\u200b\u200d\ufeff\u00ad\ufe0f\u2764 \u0e01क"


@given(st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=12))
def test_a_cleaned_text_is_nfc_and_its_places_ascend_within_the_text(text):
    made, places = clean_characters(text)
    assert made == unicodedata.normalize("NFC", made)
    assert len(places) == len(made) + 1
    assert [*places] == sorted(places)
    assert not made or 0 <= places[0] <= places[-1] <= len(text)


@given(st.text(st.sampled_from("ae\u0301\u0323\u1112\u1161\u11ab\uac00\u09c7\u09be\u0958 -"), max_size=12))
def test_visible_characters_are_those_of_unicodes_nfc(text):
    assert clean_characters(text)[0] == unicodedata.normalize("NFC", text)


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
def test_where_characters_stand(text, made, places):
    found, where = clean_characters(text)
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
def test_html_is_read_and_other_signs_are_not(text, read, first):
    made = strip_html(text)
    assert len(made) == len(text)
    assert made.replace(FILLER, "") == (text if read is None else read)
    assert find_markup(text) == first


@pytest.mark.parametrize(
    ("text", "marked", "words", "marks"),
    [
        ("Cafe\u0301 \ufeffso good", "so", ["café", "so", "good"], [1]),
        ("bad.<br />It&#39;s &quot;ok&quot;", "&quot;ok&quot;", ["bad", ".", "it", "'s", '"', "ok", '"'], [4, 5, 6]),
        ("İSTANBUL is big", "is", ["istanbul", "is", "big"], [1]),
    ],
)
def test_evidence_by_characters_is_of_the_own_text(tmp_path, text, marked, words, marks):
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


def test_a_cleaned_text_without_a_word_is_empty():
    assert split_words("\ufeff\u200b <br> &shy;", Tokens(strip_html=True)) == ([], [], [])


words = st.sampled_from(
    ["it", "Mr.", "3.5", "end.", "end.Next", "what?!", '"yes."', "...", "\n", "\u00a0", "(a)", "<DE>"]
)
texts = st.text(max_size=40) | st.lists(words, max_size=12).map(" ".join)


def row(text, **settings):
    """Return the words and sentence starts of a text."""
    preparation = Preparation(Tokens.model_validate(settings), Length(), Splits(), None)
    [made] = split_chunk([Text("id", None, "label", text, "place")], preparation).to_pylist()
    return made["tokens"], made["sentences"]


@pytest.mark.parametrize("tokenizer", ["en", "spaces"])
@given(text=texts, punctuation=st.sampled_from(["drop", "keep"]))
def test_sentences_start_at_increasing_places_and_change_no_words(tokenizer, text, punctuation):
    tokens, starts = row(text, tokenizer=tokenizer, punctuation=punctuation, sentences=True)
    assert starts[:1] == [0][: len(tokens)]
    assert all(one < another for one, another in pairwise([*starts, len(tokens)]))
    assert row(text, tokenizer=tokenizer, punctuation=punctuation, sentences=False) == (tokens, None)


NAMES = ("words", "sentence_count", "longest")

most = st.none() | st.integers(1, 12)
above = most | st.just("shortest")
below = most | st.just("longest")
corpora = st.lists(
    st.tuples(
        st.sampled_from([TRAIN, DEV, TEST, UNKNOWN_CODE]), st.integers(1, 12), st.integers(1, 5), st.integers(1, 6)
    ),
    max_size=40,
)


def dropped(texts, **length):
    """texts: split, tokens, sentences and tokens of the longest sentence of each."""
    table = pd.DataFrame(np.array(texts, np.int64).reshape(-1, 4), columns=["split", *NAMES])
    short, long = find_short_and_long(table, table["split"].to_numpy(), Length.model_validate(length))
    return short.to_numpy(), long.to_numpy()


@given(corpora, above, below)
def test_a_text_is_kept_exactly_where_its_length_lies_inside(texts, above, below):
    short, long = dropped(texts, above=above, below=below)
    for i, (split, tokens, _, _) in enumerate(texts):
        peers = [other for where, other, _, _ in texts if where == split]
        least = min(peers) if above == "shortest" else above
        greatest = max(peers) if below == "longest" else below
        inside = (least is None or tokens > least) and (greatest is None or tokens < greatest)
        assert inside or split == UNKNOWN_CODE or short[i] != long[i]
        assert not (short[i] or long[i]) or (split != UNKNOWN_CODE and not inside)


@given(corpora, most, most)
def test_bounds_on_sentences_leave_the_test_split_alone(texts, sentences, sentence):
    short, long = dropped(texts, most_sentences=sentences, longest_sentence=sentence)
    assert not short.any()
    for out, (split, _, number, longest) in zip(long, texts, strict=True):
        beyond = number > (sentences or np.inf) or longest > (sentence or np.inf)
        assert out == (split in (TRAIN, DEV) and beyond)
