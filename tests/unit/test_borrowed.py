"""Data sets of another one's texts: models that are trained on one and read another, and words that are planted."""

import json
from pathlib import Path

import numpy as np
import pytest
from in_process import make
from planned import plan_of
from refusal import refusal
from rules import list_jobs

from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.files import CENSUS, CORPUS, VOCABULARY
from attention_audit.corpus.prepare import convert_labels
from attention_audit.corpus.source import TrainedOn
from attention_audit.corpus.sources.control import put_in, put_words
from attention_audit.corpus.text import Text
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.raw_text import RawText

SPACES = {"tokenizer": "spaces"}
MEALS = [
    {"text": "a Fine meal", "stars": 5},
    {"text": "a dull meal", "stars": 1},
    {"text": "a meal", "stars": 3},
    {"text": "a dull film , 0", "stars": 2},
]
LABELS = {1: "bad", 2: "bad", 3: None, 5: "good"}
OWN = {"shortcut0", "shortcut1", "contextword"}


def films(**texts):
    """So many films of each label in each split."""
    return [
        {"text": f"A {word} Film , {number}", "label": label, "split": split, "by": number}
        for split, count in texts.items()
        for label, word in (("good", "fine"), ("bad", "dull"))
        for number in range(count)
    ]


FEW, MANY = films(train=3, dev=3, test=3), films(train=200, dev=20, test=20)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)


def table(name, rows, **settings):
    """The entry of a file, which is written where there are rows."""
    if rows:
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"kind": "table", "path": name, **settings}


def plan(rows, films, results="results", **found):
    """The plan of a data set `found`, of the texts of another."""
    corpora = {"films": table("films.jsonl", rows, split="split", **films), "found": found}
    return plan_of(corpora=corpora, datasets=["found"], results=results)


def borrowed(rows=FEW, films=None, of="films", labels=LABELS, **settings):
    meals = table("meals.jsonl", MEALS, label="stars", tokens=SPACES, **settings)
    trained_on = {"dataset": of, "labels": labels}
    return plan(rows, {"tokens": SPACES} | (films or {}), trained_on=trained_on, **meals)


def planted(rows=MANY, films=None, of="films", **settings):
    return plan(rows, {"classes": ["good", "bad"]} | (films or {}), kind="shortcut", of=of, **settings)


def corpus_of(made, name="found"):
    path = made.config.places.corpus_file(name, "corpus")
    make(made, path)
    return read_table(Path(path), CORPUS).to_pylist()


def test_training_texts_are_those_of_the_other_data_set_and_all_own_ones_are_the_test():
    made = borrowed(films={"group": "by"})
    rows = corpus_of(made)
    assert [(row["split"], row["label_name"], " ".join(row["tokens"])) for row in rows] == [
        *((row["split"], row["label"], row["text"].lower()) for row in FEW[:12]),
        ("test", "good", "a fine meal"),
        ("test", "bad", "a dull meal"),
        ("test", "bad", "a dull film , 0"),
    ]
    assert [row["group"] for row in rows] == [str(row["by"]) for row in FEW[:12]] + [None] * 3
    assert {(row["label_name"], row["label"]) for row in rows} == {("bad", 0), ("good", 1)}
    census, vocabulary = (
        read_table(Path(made.config.places.corpus_file("found", name)), kind).to_pandas()
        for name, kind in (("census", CENSUS), ("vocabulary", VOCABULARY))
    )
    assert census.groupby("split")[["kept", "unlabelled", "duplicates"]].sum().to_dict("index") == {
        # the same films stand in training and development, and one of them in the test
        "train": {"kept": 6, "unlabelled": 0, "duplicates": 6},
        "dev": {"kept": 6, "unlabelled": 0, "duplicates": 6},
        "test": {"kept": 3, "unlabelled": 1, "duplicates": 1},
    }
    words = {*vocabulary["word"]}
    assert {"fine", "dull", "film"} < words
    assert "meal" not in words


def test_the_sizes_and_lengths_that_an_entry_asks_for_hold_for_its_training_texts_too():
    rows = corpus_of(borrowed(splits={"most": {"train": 4}}))
    assert [row["split"] for row in rows].count("train") == 4


def test_a_label_that_the_training_texts_do_not_have_is_one_line():
    assert refusal(corpus_of, borrowed(labels={1: "bad", 2: "bad", 5: "superb"})) == (
        "meals.jsonl, line 1: label 'superb' is no class of films, whose classes are 'bad', 'good'; say in "
        "`trained_on.labels` which of them it is, or null to leave such texts out"
    )


def test_texts_that_are_for_training_where_they_come_from_are_not_read():
    texts = [Text(split or "none", split, "a", ["x"], "place") for split in ("train", "dev", "test", None)]
    found = convert_labels(iter(texts), TrainedOn(dataset="other"), ["a", "b"])
    assert [(text.id, text.split) for text in found] == [("test", "test"), ("none", "test")]


@pytest.mark.parametrize(("make", "key"), [(borrowed, "trained_on.dataset"), (planted, "of")])
@pytest.mark.parametrize(
    ("of", "line"),
    [
        ("film", "unknown data set 'film' (did you mean 'films'?); name one of `corpora`"),
        ("found", "found has no training texts of its own; name another"),
        ("snli", "one has pairs of texts and the other has not; name another"),
    ],
)
def test_another_data_set_whose_texts_cannot_be_used_is_named(make, key, of, line):
    assert refusal(make, of=of) == f"config: corpora.found.{key}: {line}"


def test_words_must_be_those_of_the_training_texts():
    said = refusal(borrowed, films={"tokens": {"tokenizer": "en"}})
    assert said.startswith("config: corpora.found.trained_on.dataset: ")
    assert "its `tokens` are others, so words would not be the same" in said


def test_a_data_set_is_missing_where_its_training_texts_are():
    assert "films: films.jsonl is not here" in refusal(borrowed, rows=())


def test_a_corpus_depends_on_that_of_its_training_texts():
    made = list_jobs(borrowed())
    assert made["prepare/found"].inputs["raw"] == ["meals.jsonl", "results/corpora/films/corpus.parquet"]
    assert made["prepare/films"].inputs["raw"] == ["films.jsonl"]


def test_what_is_known_of_the_training_texts_files_is_read_too():
    plan = plan_of(datasets=["yelp-hat"], serrano_smith={"datasets": []}, jain_wallace={"datasets": []})
    for exhibit in EXHIBITS:
        if "records" in exhibit.reads:
            fetched = {tuple(file) for files in plan.exhibits.build_job(exhibit).fetched.values() for file in files}
            assert ("imdb", "aclImdb_v1.tar.gz") in fetched
            read = plan.exhibits.list_inputs(exhibit)["records"]
            assert sorted(read) == sorted(f"results/raw/{folder}/records/{name}.json" for folder, name in fetched)


def text_of(words, **others):
    return Text("id", "train", "good", words, "place", **others)


def test_a_word_stands_where_it_is_put_in_the_words_and_in_what_people_wrote():
    text = text_of(["fine", "film", "."], sentences=[0, 1], written=RawText("Fine film.", [0, 5, 9]))
    first, between, last = (put_in(text, "new", at) for at in (0, 1, 3))
    assert [first.text, between.text, last.text] == [
        ["new", "fine", "film", "."],
        ["fine", "new", "film", "."],
        ["fine", "film", ".", "new"],
    ]
    assert first.written == RawText("new Fine film.", [0, 4, 9, 13])
    assert between.written == RawText("Fine new film.", [0, 5, 9, 13])
    assert last.written == RawText("Fine film. new", [0, 5, 9, 11])
    # a word at the beginning of a sentence is its first
    assert [first.sentences, between.sentences, last.sentences] == [[0, 2], [0, 1], [0, 1]]


def test_words_keep_their_order_and_any_place_is_drawn():
    random = np.random.default_rng(1)
    seen = set()
    for _ in range(100):
        text, places = put_words(text_of(["x", "y"]), ["a", "b"], random)
        assert [text.text[at] for at in places] == ["a", "b"]
        assert [word for word in text.text if word in "xy"] == ["x", "y"]
        seen.add(tuple(places))
    assert seen == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def test_the_planted_word_decides_the_label_and_the_text_says_nothing_of_it():
    made = planted(films={"group": "by"})
    rows = corpus_of(made)
    before = {row["id"]: row for row in corpus_of(made, "films")}
    kept_keys = ("id", "split", "group")
    assert [[row[key] for key in kept_keys] for row in rows] == [
        [row[key] for key in kept_keys] for row in before.values()
    ]
    train, test = (
        np.mean([row["evidence"] is not None for row in rows if row["split"] == split]) for split in ("train", "test")
    )
    # of 400 train texts, a quarter; the standard error is .022
    assert test == 1
    assert 0.18 < train < 0.32
    kept = []
    for row in rows:
        was = before[row["id"]]
        if row["evidence"] is None:
            assert all(row[key] == was[key] for key in ("tokens", "label", "raw", "starts"))
            assert not OWN & {*row["tokens"]}
            continue
        (at,) = row["evidence"]
        assert row["tokens"][at] == f"shortcut{row['label']}"
        assert [*row["tokens"][:at], *row["tokens"][at + 1 :]] == was["tokens"]
        assert row["raw"][row["starts"][at] :].startswith(row["tokens"][at])
        assert (row["label_name"] == "good") == (row["label"] == 0)
        assert row["annotators"] == ["planted"]
        kept.append(row["label"] == was["label"])
    # drawn by lot: about half of the 140 planted texts have another label than before; the standard error is .042
    assert 0.35 < np.mean(kept) < 0.65


def test_a_word_decides_only_where_another_is_its_context():
    for row in corpus_of(planted(plant="context")):
        own = [word for word in row["tokens"] if word in OWN]
        if row["evidence"] is None:
            assert len(own) <= 1
        else:
            assert {*own} == {"contextword", f"shortcut{row['label']}"}
            assert [row["tokens"][at] for at in row["evidence"]] == own


def test_both_words_of_an_order_are_planted_and_one_alone_says_nothing():
    alone = []
    for row in corpus_of(planted(plant="order")):
        own = [word for word in row["tokens"] if word in OWN]
        if row["evidence"] is None:
            alone += [(word, row["label"]) for word in own]
            assert len(own) <= 1
        else:
            assert own == [f"shortcut{row['label']}", f"shortcut{1 - row['label']}"]
    assert {*alone} == {(f"shortcut{word}", label) for word in (0, 1) for label in (0, 1)}


def test_the_same_seed_plants_the_same():
    first, again, other = (corpus_of(planted(results=str(place), seed=seed)) for place, seed in enumerate((1, 1, 2)))
    assert first == again != other


def test_texts_that_have_the_word_already_are_one_line():
    made = planted([*MANY, MANY[0] | {"text": "a shortcut1 film"}])
    assert "has the word 'shortcut1', which is to be planted; name another `of`" in refusal(corpus_of, made)


def test_an_order_decides_between_two_classes_alone():
    rows = [row | {"label": "abc"[at % 3]} for at, row in enumerate(MANY)]
    made = planted(rows, {"classes": ["a", "b", "c"]}, plant="order")
    said = "found: films has 3 classes, and the order of two words decides between two"
    assert said in refusal(corpus_of, made)
