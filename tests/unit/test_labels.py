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
        *[("2.5", "2.50"), ("250.1 mg", "250.10 mg"), ("0.05", "00.0500")],
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


@pytest.mark.parametrize(
    "joint",
    [
        "a|b",
        "a;b",
        "a, b",
        "a#b",
        "a/b",
        "a + b",
        "a b",
        "['a', 'b']",
        '["a", "b"]',
        "{'b', 'a'}",
        "(a, b)",
        "[a b]",
        "a: b",
        "a and b",
        "[]",
    ],
)
def test_several_labels_in_a_cell_are_named_in_every_writing(look, joint):
    assert f"20 texts seem to have several labels ({joint!r}), which count as 1 class more; " in told(
        look(["a", "b", joint])
    )


@pytest.mark.parametrize("single", ["very good", "1,5", "a-b", "['a']", "['very good']", "(very good)", "c#", "a|c"])
def test_one_label_is_not_taken_for_several(look, single):
    assert "several labels" not in told(look(["a", "b", "1", "5", "good", single]))


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ("{classes: [no, yes]}", "classes"),
        ("{aliases: {no: yes}}", "aliases"),
        ("{aliases: {maybe: no}}", "aliases"),
        ("{missing: [no]}", "missing"),
        ("{trained_on: {dataset: sst, labels: {no: negative, yes: positive}}}", "trained_on.labels"),
    ],
)
def test_words_that_yaml_reads_as_truth_values_are_to_be_quoted(look, settings, key):
    keys = yaml.safe_load(settings)
    said = refusal(look, ["no", "yes", "maybe"], **keys)
    assert said.startswith(f"own: {key}: YAML reads no without quotes as false; labels are 'no', 'yes', ")
    assert said.endswith("; quote it: 'no'")
    assert "2 classes (false 30, true 30)" in look(["false", "true"], classes=[False, True]).read[0]
    assert "2 classes (no 30, yes 30)" in look(["no", "yes"], classes=["no", "yes"]).read[0]


def test_codes_that_differ_are_classes_of_their_own(look):
    assert told(look(["1", "10", "100", "0.1", "1.0.2", "1.2", "+", "-"], 400)) == ""


@pytest.mark.parametrize("word", ["NaN", "NULL", "N/A", "<NA>", "None", "-", "?", "#N/A", "\\N", "n.a.", "missing"])
def test_words_for_missing_labels_are_named_with_the_key_that_leaves_them_out(look, word):
    line = told(look(["a", "b", word]))
    assert line.startswith(f"own: the labels of 20 of 60 texts look like missing ones ({json.dumps(word)} 20)")
    key = yaml.safe_load(line[line.index("`missing") + 1 :].partition("`")[0])
    assert key == {"missing": [word]}
    mended = look(["a", "b", word], **key)
    assert told(mended).startswith("own: 20 of 60 rows have no label and are left out; first: ")
    assert told(mended).endswith("own.csv, line 4")
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
