from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from refusal import refusal
from tables_on_disk import open_table, write_rows

from attention_audit.artefacts.parquet import read_provenance, read_table
from attention_audit.columns.files import CORPUS
from attention_audit.corpus import draft, tokens
from attention_audit.corpus.prepare import OUTCOMES, prepare_corpus
from attention_audit.corpus.rationales import Annotations, mark_words
from attention_audit.corpus.source import RawSource, Source
from attention_audit.corpus.text import SPLITS, Text, sort_labels
from attention_audit.corpus.tokens import SplitText

PLAIN = {"tokenizer": "spaces"}


def text(id_, split, label, words=3, **more):
    """A text; a number stands for so many words."""
    return Text(id_, split, label, "word " * words if isinstance(words, int) else words, f"own.csv, {id_}", **more)


SOUND = [text(f"{split}-{label}", split, label) for split in SPLITS for label in ("no", "yes")]


def source_of(texts, order=None, **settings):
    """A source that gives these texts."""

    class Given(RawSource):
        @property
        def class_order(self):
            return order

        def read(self, name, raw):
            yield from texts

    return Given.model_validate({"tokens": PLAIN, **settings})


@pytest.fixture
def prepared(tmp_path, provenance):
    """Prepares a source, or texts with settings for their source: the corpus, its census and what was reported."""

    def run(what, files=None, workers=1, **settings):
        source = what if isinstance(what, Source) else source_of(what, **settings)
        path, lines = tmp_path / "corpora" / f"{workers}.parquet", []
        census = prepare_corpus("own", source, files or {}, path, provenance, workers, lines.append).to_pandas()
        return SimpleNamespace(path=path, lines=lines, census=census, rows=read_table(path, CORPUS).to_pylist())

    return run


def column(corpus, name):
    return [row[name] for row in corpus.rows]


@pytest.fixture
def table(tmp_path, prepared):
    """Writes rows to own.jsonl, and prepares it."""

    def run(rows, **settings):
        path = write_rows(tmp_path / "own.jsonl", rows)
        return prepared(open_table(path, tokens=PLAIN, **settings), {"path": path})

    return run


def counted(census):
    """The counts other than zero of each split and class."""
    return {
        (row["split"], row["label_name"]): {fate: row[fate] for fate in ("read", *OUTCOMES) if row[fate]}
        for row in census.to_dict("records")
    }


def test_texts_become_rows_of_the_schema(prepared, provenance):
    corpus = prepared([text("first", "train", "yes", "A b  C", group="story 1"), *SOUND])
    assert corpus.rows[0] == dict.fromkeys(CORPUS.schema.names) | {
        "id": "first",
        "split": "train",
        "label": 1,
        "label_name": "yes",
        "group": "story 1",
        "tokens": ["a", "b", "c"],
        "raw": "A b  C",
        "starts": [0, 2, 5],
    }
    assert column(corpus, "label") == [1, *[0, 1] * 3]
    assert column(prepared(SOUND, order=["yes", "no"]), "label") == [1, 0] * 3
    assert read_provenance(corpus.path) == provenance.record()
    assert [file.name for file in corpus.path.parent.iterdir()] == ["1.parquet"]


def test_what_is_dropped_is_counted_and_the_first_of_each_kind_named(prepared):
    more = [("a", 0), ("b", 2), ("c", 9), ("d", 0), ("e", 9), ("f", 9)]
    corpus = prepared([*SOUND, *(text(id_, "train", "yes", n) for id_, n in more)], length={"above": 2, "below": 9})
    assert counted(corpus.census)["train", "yes"] == {"read": 7, "empty": 2, "short": 1, "long": 3, "kept": 1}
    assert corpus.lines == [
        "2 texts dropped as empty; first: own.csv, a",
        "1 texts dropped as short; first: own.csv, b",
        "3 texts dropped as long; first: own.csv, c",
    ]


def test_the_census_accounts_for_every_text(prepared):
    random = np.random.default_rng(1)
    texts = [
        text(str(n), random.choice([*SPLITS, None]), random.choice(["a", "b", "c", None]), int(random.integers(8)))
        for n in range(500)
    ]
    corpus = prepared(texts, length={"above": 1, "below": 6}, splits={"test_sample": 0.5})
    census = corpus.census
    assert census["read"].sum() == 500
    assert (census[list(OUTCOMES)].sum(axis="columns") == census["read"]).all()
    assert (census[list(OUTCOMES)].sum() > 0).all()
    assert census["kept"].sum() == len(corpus.rows)
    kept = Counter((row["split"], row["label_name"]) for row in corpus.rows)
    assert kept == {place: counts["kept"] for place, counts in counted(census).items() if "kept" in counts}


def test_the_census_sums_lengths_of_kept_texts(prepared):
    texts = ["Two words.", "Now three words.", "Then one. And three more. End.", "Far too long to be kept. Yes."]
    more = [text(str(n), "train", "no", words, query="One, two") for n, words in enumerate(texts)]
    census = prepared([*more, *SOUND[1:]], tokens=PLAIN | {"sentences": True}, length={"below": 7}).census
    [row] = census[(census["split"] == "train") & (census["label_name"] == "no")].to_dict("records")
    assert [row[name] for name in ("tokens", "tokens_squared", "query_tokens")] == [2 + 3 + 6, 4 + 9 + 36, 6]
    assert [row[name] for name in ("sentences", "sentences_squared")] == [1 + 1 + 3, 1 + 1 + 9]


def test_the_census_counts_words_that_stand_in_two_splits(prepared):
    words = [
        ("train", "no", "A b c d"), ("train", "no", "a B c d"), ("train", "yes", "e f g h"),
        ("train", "yes", "only here"),
        ("dev", "no", "ab c d"), ("dev", "no", "w x y"), ("dev", "no", "w x y"), ("dev", "yes", "e f  g h"),
        ("test", "no", "d c b a"), ("test", "yes", "a b c d"),
        ("test", "yes", "a b c d"),
    ]  # fmt: skip
    texts = [text(str(n), split, label, said) for n, (split, label, said) in enumerate(words)]
    census = prepared([*texts, text("short", "dev", "no", "only here")], length={"above": 2}).census
    # no and yes of train, of dev, and of test
    assert census["duplicates"].tolist() == [2, 1, 0, 1, 0, 2]
    assert census["repeated"].tolist() == [1, 0, 1, 0, 0, 1]


def test_what_no_split_has_is_counted_apart(prepared):
    texts = [text(f"n{n}", None, "ny"[n % 2]) for n in range(40)]
    corpus = prepared([*texts, text("empty", None, "n", " \n")])
    assert counted(corpus.census)["", "n"] == {"read": 1, "empty": 1}
    assert corpus.census["kept"].sum() == 40
    own = [text(f"more-{n}", "test", "no" if n % 2 else "yes") for n in range(18)]
    corpus = prepared([*SOUND, *own], splits={"test_sample": 0.2})
    assert counted(corpus.census)["test", "no"] == {"read": 10, "left_out": 8, "kept": 2}
    assert corpus.lines[0].startswith("16 texts dropped as left out; first: own.csv, ")


def test_texts_without_a_label_are_left_out_and_counted(prepared):
    corpus = prepared([text("none", "dev", None), text("nowhere", None, None, 0), *SOUND])
    assert corpus.lines[0] == "2 texts dropped as unlabelled; first: own.csv, none"
    assert len(corpus.rows) == len(SOUND)
    unlabelled = corpus.census.query("unlabelled > 0")
    assert unlabelled[["split", "label", "label_name", "read", "unlabelled"]].to_numpy().tolist() == [
        ["", -1, "", 1, 1],
        ["dev", -1, "", 1, 1],
    ]


def test_pairs_are_the_same_where_both_texts_are(prepared):
    more = [("t", "train", "a b", ["c"]), ("d", "dev", "a", ["b", "c"]), ("s", "test", "a b", ["c"])]
    pairs = [text(id_, split, "yes", words, query=query) for id_, split, words, query in more]
    census = prepared([*pairs, *(text(f"{x.id}q", x.split, "no", x.id, query=["q"]) for x in pairs)]).census
    assert census["duplicates"].tolist() == [0, 1, 0, 0, 0, 1]


def test_texts_alike_but_for_marks_are_kept_in_one_split(table):
    rows = [{"text": f"text {n}", "label": "ab"[n % 2]} for n in range(60)]
    rows += [{"text": f"Text,\u00a0{n}\u200b!", "label": "ab"[n % 2]} for n in range(60)]

    def apart(**splits):
        """Count the texts whose other spelling is in another split."""
        split = {row["id"]: row["split"] for row in table(rows, splits=splits).rows}
        return sum(split[f"own-{n:07d}"] != split[f"own-{n + 60:07d}"] for n in range(1, 61))

    assert apart() > 0
    assert apart(alike_together=True) == 0


def test_numbers_in_classes_go_by_value_and_before_words():
    known = ["-10", "−2", "-1", "1.5", "2 stars", "9", "10", "10 stars", "Nine", "level 9", "level 10", "nan", "ten"]
    assert sort_labels(reversed(known)) == sort_labels(sorted(known)) == known


def test_words_of_the_source_are_kept_as_they_are_and_evidence_with_them(prepared):
    corpus = prepared(
        [text("first", "train", "yes", ["A.", "b C"], annotations=mark_words("Ann", [1]), query=["Who", "?"]), *SOUND]
    )
    assert [corpus.rows[0][name] for name in ("tokens", "query", "evidence")] == [["A.", "b C"], ["Who", "?"], [1]]
    assert [corpus.rows[0][name] for name in ("annotators", "marks", "scores")] == [["Ann"], [[1]], None]
    assert [corpus.rows[1][name] for name in ("evidence", "annotators", "marks")] == [None] * 3


def test_words_of_the_source_need_no_tokenizer(prepared, monkeypatch):
    monkeypatch.setattr(tokens, "build_pipeline", None)
    corpus = prepared([replace(each, text=["as", "is"]) for each in SOUND], tokens={"tokenizer": "en"})
    assert column(corpus, "tokens") == [["as", "is"]] * len(SOUND)


def test_marks_of_several_annotators_lie_on_the_words_that_the_tokenizer_makes(prepared):
    """`Don't` becomes two words, and the full stop one of its own; most of three annotators mark `bad` alone."""
    said = "Don't go, it is bad."
    marks = {"Ann": [(0, 5), (16, 20)], "Bob": [(16, 19)], "Cy": []}
    scores = [(0, 5, 0.5), (16, 20, 1.0)]
    corpus = prepared(
        [text("first", "train", "yes", said, annotations=Annotations(marks, scores)), *SOUND],
        tokens={"tokenizer": "en"},
    )
    row = corpus.rows[0]
    assert row["tokens"] == ["do", "n't", "go", ",", "it", "is", "bad", "."]
    assert dict(zip(row["annotators"], row["marks"], strict=True)) == {"Ann": [0, 1, 6, 7], "Bob": [6], "Cy": []}
    assert row["evidence"] == [6]
    assert row["scores"] == [0.5, 0.5, 0, 0, 0, 0, 1, 1]


def test_a_tokenizer_that_changes_the_text_cannot_have_marks_laid_on_its_words():
    said = text("first", "train", "yes", "abc d", annotations=Annotations({"Ann": [(0, 1)]}))
    split = SplitText(["ab", "qqq", "d"], [(0, 2), (2, 3), (4, 5)], [0])
    assert draft.lay_marks(said, split).marks == {"Ann": [0]}
    refused = refusal(draft.lay_marks, said, split._replace(words=["ab", "c", "d"], places=[(0, 2), (2, 3), (3, 4)]))
    assert refused.startswith("own.csv, first: the tokenizer finds 'd' where the text has ' ', so its marks")


def test_what_nobody_or_no_majority_marked_is_no_evidence_and_is_kept_as_marks(prepared):
    none = text("none", "train", "yes", annotations=Annotations({"Ann": [], "Bob": [(0, 1)]}))
    wrong = text("wrong", "train", "yes", annotations=Annotations({}, miscounted=2))
    apart = text("apart", "train", "yes", annotations=Annotations({}, labels=[]))
    rows = prepared([none, wrong, apart, *SOUND]).rows
    found = [(row["evidence"], row["annotators"], row["marks"], row["annotator_labels"]) for row in rows[:3]]
    assert found == [(None, ["Ann", "Bob"], [[], [0]], None), ([], [], [], None), ([], [], [], [])]


def test_marks_that_lie_on_no_word_are_counted_and_named(prepared):
    """The marked dash is dropped; two marks were outside already, and one list had too few entries."""
    lost = Annotations({"Ann": [(2, 3), (0, 1)], "Bob": [(2, 3)]}, outside=2, miscounted=1)
    sound = Annotations({"Ann": [(0, 1)]})
    texts = [
        text("lost", "train", "yes", "a - b", annotations=lost),
        text("sound", "train", "yes", "a - b", annotations=sound),
        text("dropped", "train", "yes", "-", annotations=lost),
    ]
    corpus = prepared([*texts, *SOUND], tokens={"tokenizer": "spaces", "punctuation": "drop"})
    assert corpus.rows[0]["marks"] == [[0], []]
    counted = corpus.census.set_index(["split", "label_name"]).loc[("train", "yes")]
    names = ["annotated", "annotations", "marks_outside", "marks_lost", "marks_miscounted"]
    assert counted[names].tolist() == [2, 3, 2, 2, 1]
    assert [line for line in corpus.lines if "left out, in" in line] == [
        "2 marks outside of the text, left out, in 1 texts: lost",
        "2 marks under which no word is, left out, in 1 texts: lost",
        "1 lists of marks that have not an entry a word, left out, in 1 texts: lost",
    ]


ANSWERS = [
    text("t1", "train", "b", candidates=["b", "c"]),
    text("t2", "train", "a", candidates=["a", "d", "b"]),
    text("d1", "dev", "d", candidates=["d", "new"]),
    text("d2", "dev", "c", candidates=["c", "a"]),
    text("s1", "test", "a", candidates=["b", "a"]),
    text("s2", "test", "b", candidates=["b", "a"]),
    text("s3", "test", "new", candidates=["a", "new"]),
]


def test_candidates_of_the_training_texts_are_the_classes(prepared):
    corpus = prepared(ANSWERS)
    assert column(corpus, "id") == ["t1", "t2", "d1", "d2", "s1", "s2"]
    assert column(corpus, "label") == [1, 0, 3, 2, 0, 1]
    assert column(corpus, "candidates") == [[1, 2], [0, 3, 1], [3], [2, 0], [1, 0], [1, 0]]
    assert counted(corpus.census)["test", ""] == {"read": 1, "left_out": 1}


def test_two_workers_write_the_same_bytes_as_one(prepared, monkeypatch):
    monkeypatch.setattr(draft, "CHUNK_CHARACTERS", 200)
    texts = [text(f"n{n:03}", None, "ny"[n % 2], f"Text {n}. It is {'long ' * (n % 7)}") for n in range(300)]
    one, two = (prepared(texts, workers=workers, tokens=PLAIN | {"sentences": True}) for workers in (1, 2))
    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.census.equals(two.census)
    assert column(one, "id") == [x.id for x in texts]


def test_progress_is_told(prepared, monkeypatch):
    monkeypatch.setattr(draft, "CHUNK_CHARACTERS", 1)
    monkeypatch.setattr(draft, "PROGRESS_SECONDS", 0.0)
    assert prepared(SOUND).lines == [f"{n} texts split into words" for n in range(1, 7)]


@pytest.mark.parametrize(
    ("texts", "settings", "message"),
    [
        ([], {}, "own: split train: no texts; "),
        (
            [*SOUND, text("x", "dev", "maybe"), text("y", "dev", "maybe")],
            {"order": ["no", "yes"]},
            "own.csv, x: unknown label 'maybe'; known: 'no', 'yes'",
        ),
        ([*SOUND, SOUND[0]], {"workers": 2}, "own.csv, train-no: the id 'train-no' occurs twice; make ids unique"),
        (
            [*SOUND, text("x", "testing", "no")],
            {},
            "own.csv, x: unknown split 'testing' (did you mean 'test'?); write one of train, dev, test",
        ),
    ],
)
def test_unsound_corpora_are_refused_and_nothing_is_left(prepared, tmp_path, texts, settings, message):
    assert refusal(prepared, texts, **settings).startswith(message)
    assert list((tmp_path / "corpora").iterdir()) == []


@pytest.mark.parametrize("long", [text("x", "dev", "no", "x" * 21), text("x", "dev", "no", "x", query="y" * 20)])
def test_a_text_beyond_all_measure_is_named(prepared, monkeypatch, long):
    monkeypatch.setattr(draft, "MAX_CHARACTERS", 20)
    message = refusal(prepared, [*SOUND, long])
    assert message == "own.csv, x: text of 21 characters, more than 20; is a quote left open?"


def test_both_texts_of_a_pair_are_kept_and_needed_or_read_as_one(table):
    rows = [{"text": "It Rains", "query": "It's wet.", "label": x.label, "split": x.split} for x in SOUND]
    lacking = [rows[0] | {"query": None}, rows[0] | {"text": ""}]
    corpus = table([*rows, *lacking], query="query", split="split")
    assert [(row["tokens"], row["query"]) for row in corpus.rows] == [(["it", "rains"], ["it's", "wet."])] * 6
    assert counted(corpus.census)["train", "no"] == {"read": 3, "empty": 2, "kept": 1}
    corpus = table([*rows, lacking[0]], query="query", split="split", joined=True)
    assert (column(corpus, "query"), column(corpus, "second")) == ([None] * len(SOUND), [9] * len(SOUND))
    assert corpus.census["empty"].sum() == 1
