"""Words that are planted in the texts of another data set."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_process import make
from planned import plan_of
from refusal import refusal

from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.files import CORPUS
from attention_audit.corpus.sources.control import put_in, put_words
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.plan.plan import Plan
from attention_audit.raw_text import RawText

FILMS = [
    {"text": f"A {word} Film, {number}", "label": label, "split": split, "critic": number}
    for split, texts in (("train", 200), ("dev", 20), ("test", 20))
    for label, word in (("good", "fine"), ("bad", "dull"))
    for number in range(texts)
]
OWN = {"shortcut0", "shortcut1", "contextword"}


def write_films(folder: Path, rows: list[dict[str, Any]]) -> None:
    (folder / "films.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with the file of the films."""
    write_films(tmp_path, FILMS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(films: dict[str, Any] | None = None, **planted: Any) -> Plan:
    table = {"kind": "table", "path": "films.jsonl", "split": "split", "classes": ["good", "bad"], **(films or {})}
    corpora = {"films": table, "found": {"kind": "shortcut", "of": "films", **planted}}
    return plan_of(corpora=corpora, datasets=["found"])


def corpus_of(made: Plan, name: str = "found") -> list[dict[str, Any]]:
    path = made.config.places.corpus_file(name, "corpus")
    make(made, path)
    rows: list[dict[str, Any]] = read_table(Path(path), CORPUS).to_pylist()
    return rows


def text_of(words: list[str], **others: Any) -> Text:
    return Text("id", "train", "good", words, "place", **others)


def test_a_word_stands_where_it_is_put_in_the_words_and_in_what_people_wrote() -> None:
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


def test_words_keep_their_order_and_any_place_is_drawn() -> None:
    random = np.random.default_rng(1)
    seen = set()
    for _ in range(100):
        text, places = put_words(text_of(["x", "y"]), ["a", "b"], random)
        assert [text.text[at] for at in places] == ["a", "b"]
        assert [word for word in text.text if word in "xy"] == ["x", "y"]
        seen.add(tuple(places))
    assert seen == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def test_the_planted_word_decides_the_label_and_the_text_says_nothing_of_it(folder: Path) -> None:
    made = plan({"group": "critic"})
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


def test_a_word_decides_only_where_another_is_its_context(folder: Path) -> None:
    for row in corpus_of(plan(plant="context")):
        own = [word for word in row["tokens"] if word in OWN]
        if row["evidence"] is None:
            assert len(own) <= 1
        else:
            assert {*own} == {"contextword", f"shortcut{row['label']}"}
            assert [row["tokens"][at] for at in row["evidence"]] == own


def test_both_words_of_an_order_are_planted_and_one_alone_says_nothing(folder: Path) -> None:
    rows = corpus_of(plan(plant="order"))
    alone = []
    for row in rows:
        own = [word for word in row["tokens"] if word in OWN]
        if row["evidence"] is None:
            alone += [(word, row["label"]) for word in own]
            assert len(own) <= 1
        else:
            assert own == [f"shortcut{row['label']}", f"shortcut{1 - row['label']}"]
    assert {*alone} == {(f"shortcut{word}", label) for word in (0, 1) for label in (0, 1)}


def test_the_same_seed_plants_the_same(folder: Path) -> None:
    first = corpus_of(plan())
    (folder / "results").rename(folder / "before")
    assert corpus_of(plan()) == first
    (folder / "results").rename(folder / "again")
    assert corpus_of(plan(seed=2)) != first


def test_texts_that_have_the_word_already_are_one_line(folder: Path) -> None:
    write_films(folder, [*FILMS, FILMS[0] | {"text": "a shortcut1 film"}])
    with pytest.raises(AuditError, match=r"has the word 'shortcut1', which is to be planted; name another `of`"):
        corpus_of(plan())


def test_an_order_decides_between_two_classes_alone(folder: Path) -> None:
    write_films(folder, [row | {"label": "abc"[at % 3]} for at, row in enumerate(FILMS)])
    with pytest.raises(AuditError, match="found: films has 3 classes, and the order of two words decides between two"):
        corpus_of(plan({"classes": ["a", "b", "c"]}, plant="order"))


@pytest.mark.parametrize(
    ("of", "line"),
    [
        ("film", "unknown data set 'film' (did you mean 'films'?); name one of `corpora`"),
        ("found", "found has no training texts of its own; name another"),
        ("snli", "one has pairs of texts and the other has not; name another"),
    ],
)
def test_texts_of_which_nothing_can_be_planted_are_named(folder: Path, of: str, line: str) -> None:
    assert refusal(plan, of=of) == f"config: corpora.found.of: {line}"
