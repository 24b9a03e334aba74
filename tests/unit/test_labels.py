"""The look at a set of labels, and the keys that mend what it finds; the right words are worked out by hand."""

import json
from collections import Counter

import pytest
import yaml
from refusal import refusal
from tables_on_disk import open_table, write_rows

from attention_audit.corpus.checkup import check_dataset
from attention_audit.corpus.text import find_oddities, fold_label, quote_label


@pytest.fixture
def look(tmp_path):
    """A look at a csv file whose texts have these labels, in turn."""

    def run(labels, texts=60, **settings):
        rows = [{"text": f"text {number}", "label": labels[number % len(labels)]} for number in range(texts)]
        path = write_rows(tmp_path / "own.csv", rows)
        return check_dataset("own", open_table(path, **settings), {"path": path})

    return run


def told(looked):
    """What is odd, but for the number of test texts."""
    return "\n".join(line for line in looked.odd if "too few" not in line)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *[("pos", "Pos"), ("very  good", "very good"), ("pos", "pos\u200b"), ("\ufeffpos", "pos")],
        *[("caf\u00e9", "cafe\u0301"), ("1", "01"), ("-1", "-01"), ("class 1", "Class 01")],
        *[("\u2764", "\u2764\ufe0f"), ("very good", "very\u00a0good"), ("pos", "pos\u115f")],
    ],
)
def test_spellings_of_one_label_are_named_with_the_key_that_joins_them(look, one, other):
    labels = [one, one, other, "else"]
    line = told(look(labels))
    assert f"{quote_label(one)} 30, {quote_label(other)} 15" in line
    assert quote_label(one) != quote_label(other)
    key = line[line.index("`aliases") + 1 :].partition("`")[0]
    aliases = yaml.safe_load(key)
    assert aliases == {"aliases": {other: one}}
    mended = look(labels, **aliases)
    assert told(mended) == ""
    assert "2 classes" in mended.read[0]
    assert "reads them as classes" in refusal(look, labels, classes=[one, "else"])
    assert "2 classes" in look(labels, classes=[one, "else"], **aliases).read[0]


def test_codes_that_differ_are_classes_of_their_own(look):
    assert told(look(["1", "10", "100", "0.1", "1.0.2", "1.2", "+", "-"], 400)) == ""


@pytest.mark.parametrize("word", ["NaN", "NULL", "N/A", "<NA>", "None", "-", "?", "#N/A", "\\N", "n.a.", "missing"])
def test_words_for_missing_labels_are_named_with_the_key_that_leaves_them_out(look, word):
    line = told(look(["a", "b", word]))
    assert line.startswith(f"own: the labels of 20 of 60 texts look like missing ones ({json.dumps(word)} 20)")
    key = yaml.safe_load(line[line.index("`missing") + 1 :].partition("`")[0])
    assert key == {"missing": [word]}
    mended = look(["a", "b", word], **key)
    assert told(mended) == "own: 20 of 60 rows have no label and are left out"
    assert "40 texts, 2 classes (a 20, b 20)" in mended.read[0]
    assert told(look(["a", "b", word], missing=[])) == ""


def test_names_that_no_row_has_and_classes_that_are_renamed_are_told(look):
    line = told(look(["a", "b"], aliases={"A": "a"}, missing=["x"]))
    assert line == "own: no row has label 'A', 'x', which `aliases` or `missing` names"
    with pytest.raises(ValueError, match="classes: 'x' is named in `aliases` or `missing` too"):
        look(["a", "b"], classes=["a", "x"], missing=["x"])


def test_empty_labels_still_end_the_run_unless_missing_ones_are_named(look):
    said = refusal(look, ["a", "b", ""], aliases={"b": "c"})
    assert "no label in column 'label', nor have 19 more of 60 rows" in said
    assert "(a 15, c 15)" in look(["a", "b", "", "?"], aliases={"b": "c", "?": "no"}, missing=["", "no"]).read[0]


def test_folds_are_of_all_labels():
    assert fold_label("  Very  Good 007.0 ") == "very good 7"
    assert [*find_oddities(Counter(a=1, b=1), None)] == []
