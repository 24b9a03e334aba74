"""Models that are trained on one data set and read another."""

import json
from pathlib import Path
from typing import Any

import pytest
from in_process import make
from planned import by_name, plan_of
from refusal import refusal

from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.files import CENSUS, CORPUS, VOCABULARY
from attention_audit.corpus.prepare import convert_labels
from attention_audit.corpus.source import TrainedOn
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.plan import Plan

SPACES = {"tokenizer": "spaces"}
FILMS = [
    {"text": f"a {word} film {number}", "label": label, "split": split, "by": number}
    for split in ("train", "dev", "test")
    for label, word in (("good", "fine"), ("bad", "dull"))
    for number in range(3)
]
MEALS = [
    {"text": "a Fine meal", "stars": 5},
    {"text": "a dull meal", "stars": 1},
    {"text": "a meal", "stars": 3},
    {"text": "a dull film 0", "stars": 2},
]
LABELS = {1: "bad", 2: "bad", 3: None, 5: "good"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with the files of both data sets."""
    for name, rows in (("films", FILMS), ("meals", MEALS)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(meals: dict[str, Any] | None = None, labels: Any = LABELS, **films: Any) -> Plan:
    corpora = {
        "films": {"kind": "table", "path": "films.jsonl", "split": "split", "tokens": SPACES, **films},
        "meals": {
            "kind": "table",
            "path": "meals.jsonl",
            "label": "stars",
            "tokens": SPACES,
            "trained_on": {"dataset": "films", "labels": labels},
            **(meals or {}),
        },
    }
    return plan_of(corpora=corpora, datasets=["meals"])


def corpus_of(made: Plan) -> list[dict[str, Any]]:
    path = made.config.places.corpus_file("meals", "corpus")
    make(made, path)
    rows: list[dict[str, Any]] = read_table(Path(path), CORPUS).to_pylist()
    return rows


def test_training_texts_are_those_of_the_other_data_set_and_all_own_ones_are_the_test(folder: Path) -> None:
    made = plan(group="by")
    rows = corpus_of(made)
    assert [(row["split"], row["label_name"], " ".join(row["tokens"])) for row in rows] == [
        *((row["split"], row["label"], row["text"]) for row in FILMS if row["split"] != "test"),
        ("test", "good", "a fine meal"),
        ("test", "bad", "a dull meal"),
        ("test", "bad", "a dull film 0"),
    ]
    assert [row["group"] for row in rows] == [str(row["by"]) for row in FILMS[:12]] + [None] * 3
    assert {(row["label_name"], row["label"]) for row in rows} == {("bad", 0), ("good", 1)}
    census = read_table(Path(made.config.places.corpus_file("meals", "census")), CENSUS).to_pandas()
    assert census.groupby("split")[["kept", "unlabelled", "duplicates"]].sum().to_dict("index") == {
        # the same films stand in training and development, and one of them in the test
        "train": {"kept": 6, "unlabelled": 0, "duplicates": 6},
        "dev": {"kept": 6, "unlabelled": 0, "duplicates": 6},
        "test": {"kept": 3, "unlabelled": 1, "duplicates": 1},
    }
    words = read_table(Path(made.config.places.corpus_file("meals", "vocabulary")), VOCABULARY)["word"].to_pylist()
    assert {"fine", "dull", "film"} < {*words}
    assert "meal" not in words


def test_the_sizes_and_lengths_that_an_entry_asks_for_hold_for_its_training_texts_too(folder: Path) -> None:
    rows = corpus_of(plan({"splits": {"most": {"train": 4}}}))
    assert [row["split"] for row in rows].count("train") == 4


def test_a_label_that_the_training_texts_do_not_have_is_one_line(folder: Path) -> None:
    assert refusal(corpus_of, plan(labels={1: "bad", 2: "bad", 5: "superb"})) == (
        "meals.jsonl, line 1: label 'superb' is no class of films, whose classes are 'bad', 'good'; say in "
        "`trained_on.labels` which of them it is, or null to leave such texts out"
    )


def test_texts_that_are_for_training_where_they_come_from_are_not_read() -> None:
    texts = [Text(split or "none", split, "a", ["x"], "place") for split in ("train", "dev", "test", None)]
    found = convert_labels(iter(texts), TrainedOn(dataset="other"), ["a", "b"])
    assert [(text.id, text.split) for text in found] == [("test", "test"), ("none", "test")]


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        (
            {"meals": {"trained_on": {"dataset": "film"}}},
            "unknown data set 'film' (did you mean 'films'?); name one of `corpora`",
        ),
        ({"meals": {"trained_on": {"dataset": "meals"}}}, "meals has no training texts of its own; name another"),
        ({"meals": {"trained_on": {"dataset": "snli"}}}, "one has pairs of texts and the other has not; name another"),
        ({"films": {"tokens": {"tokenizer": "en"}}}, "its `tokens` are others, so words would not be the same"),
    ],
)
def test_a_data_set_that_cannot_be_trained_on_is_named(folder: Path, entries: dict[str, Any], line: str) -> None:
    with pytest.raises(AuditError, match=r"config: corpora\.meals\.trained_on\.dataset: ") as caught:
        plan(entries.get("meals"), **entries.get("films", {}))
    assert line in str(caught.value)


def test_a_data_set_is_missing_where_its_training_texts_are(folder: Path) -> None:
    (folder / "films.jsonl").unlink()
    with pytest.raises(AuditError, match=r"films: films\.jsonl is not here"):
        plan()


def test_a_corpus_depends_on_that_of_its_training_texts(folder: Path) -> None:
    made = by_name(plan().plan_jobs())
    assert made["prepare/meals"].inputs["raw"] == ["meals.jsonl", "results/corpora/films/corpus.parquet"]
    assert made["prepare/films"].inputs["raw"] == ["films.jsonl"]


def test_what_is_known_of_the_training_texts_files_is_read_too() -> None:
    plan = plan_of(datasets=["yelp-hat"], serrano_smith={"datasets": []}, jain_wallace={"datasets": []})
    for exhibit in EXHIBITS:
        if "records" in exhibit.reads:
            fetched = {tuple(file) for files in plan.exhibiting.build_job(exhibit).fetched.values() for file in files}
            assert ("imdb", "aclImdb_v1.tar.gz") in fetched
            read = plan.exhibiting.list_inputs(exhibit)["records"]
            assert sorted(read) == sorted(f"results/raw/{folder}/records/{name}.json" for folder, name in fetched)
