"""Small files in e-SNLI's format."""

import csv

from marked import said
from refusal import refusal

from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.pairs import EsnliCorpus, find_highlighted

FIRST = ["pairID", "gold_label", "Sentence1", "Sentence2", "Explanation_1"]


def of_annotator(number):
    return [f"Sentence{which}_{kind}_{number}" for kind in ("marked", "Highlighted") for which in (1, 2)]


TRAIN = [*FIRST, "WorkerId", *of_annotator(1)]
OTHER = [*FIRST, *of_annotator(1), "Explanation_2", *of_annotator(2), "Explanation_3", *of_annotator(3)]
PREMISE, HYPOTHESIS = 'A man, in a "red" hat.', "He sleeps * soundly."


def train(label="entailment", marked='*A* *man,* in a "red" *hat.*'):
    return ["1r1e", label, PREMISE, HYPOTHESIS, "why", "W1", marked, HYPOTHESIS, "0,1,5", "{}"]


def other(*marked):
    row = ["1r1n", "neutral", PREMISE, HYPOTHESIS]
    for copy in marked:
        row += ["why", PREMISE, copy, "{}", "0"]
    return row


def written(folder, **rows):
    """The four files; those that are not given have a row each."""
    test = other("*He* sleeps * *soundly.*", "He *sleeps*  * soundly.", "")
    given = {"train": [train()], "train_rest": [train()], "dev": [other("", "", "")], "test": [test]} | rows
    paths = {field: folder / f"{field}.csv" for field in given}
    for field, path in paths.items():
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows([TRAIN if "train" in field else OTHER, *given[field]])
    return paths


def source(**settings):
    files = {field: RemoteFile(file=f"{field}.csv") for field in ("train", "train_rest", "dev", "test")}
    return EsnliCorpus.model_validate({"kind": "esnli", **files, **settings})


def read(paths, **settings):
    return list(source(**settings).read("esnli", paths))


def test_pairs_of_all_files_with_the_highlighted_words_of_the_premise(tmp_path):
    texts = read(written(tmp_path))
    assert [(text.id, text.split, text.label) for text in texts] == [
        ("esnli-train-000001", "train", "entailment"),
        ("esnli-train-000002", "train", "entailment"),
        ("esnli-dev-000001", "dev", "neutral"),
        ("esnli-test-000001", "test", "neutral"),
    ]
    assert (texts[0].text, texts[0].query, texts[0].group) == (PREMISE, HYPOTHESIS, PREMISE)
    assert said(texts[0]) == {"annotator 1": ["A", "man,", "hat."]}
    # a premise whose copies have no mark is marked nowhere
    assert said(texts[3]) == {"annotator 1": [], "annotator 2": [], "annotator 3": []}


def test_the_hypothesis_may_be_the_text(tmp_path):
    *_, dev, test = read(written(tmp_path), text="hypothesis")
    assert (test.text, test.query, test.group) == (HYPOTHESIS, PREMISE, PREMISE)
    # the star is the sentence's own, and the third annotator has left nothing
    assert dev.annotations is None
    assert said(test).keys() <= {"annotator 1", "annotator 2"}


def test_marks_stand_where_the_sentence_has_the_words():
    assert find_highlighted("a  b c", "a *b* c") == [(3, 4)]
    assert find_highlighted("a b c", " *a* *b c* ") == [(0, 1), (2, 5)]
    assert find_highlighted("a b", "a b") == []
    assert find_highlighted("a ** b", "a ** *b*") == [(5, 6)]
    assert find_highlighted("a b c", "a *b*") is None
    assert find_highlighted("a b", "a *b") is None


def test_a_copy_of_another_sentence_is_left_out_and_counted(tmp_path):
    text = read(written(tmp_path, train=[train(marked="*Two* men.")]))[0]
    assert (text.annotations.marks, text.annotations.miscounted) == ({}, 1)


def test_what_is_not_as_published_is_named_by_its_line(tmp_path):
    paths = written(tmp_path, train_rest=[train(label="maybe")])
    line = "line 2: gold_label is 'maybe', and must be one of contradiction, entailment, neutral"
    assert refusal(read, paths) == f"{paths['train_rest']}, {line}"
