"""What stages read of files: how frequent marked words are, and what tables and figures are called with."""

from functools import partial

import pandas as pd
import pyarrow as pa

from attention_audit.artefacts.parquet import read_rows, write_batches, write_table
from attention_audit.audits.attributed import EVERY_TEXT, FURTHER
from attention_audit.audits.correlation import name_words
from attention_audit.audits.facts import TextFacts, find_sentences
from attention_audit.audits.plausibility import FREQUENCY, OTHERS, RANDOM
from attention_audit.audits.rankings import CONTRIBUTION, TOPS
from attention_audit.columns.files import CORPUS
from attention_audit.columns.tables import CONTROLS
from attention_audit.jobs import ExhibitJob, FileOf, ReadSpec
from attention_audit.names import MAPS, NUMBERED, PLAUSIBLE, RANKINGS
from attention_audit.stages.frames import read_arguments, to_categorical
from attention_audit.stages.job import Job


def corpus(path, provenance, *rows):
    """A corpus of these texts, in two row groups; what is not named is null."""
    empty = dict.fromkeys(CORPUS.schema.names)
    tables = [
        pa.Table.from_pylist([{**empty, "label": 0, "label_name": "no", **row} for row in part], schema=CORPUS.schema)
        for part in (rows[:1], rows[1:])
    ]
    write_batches(path, CORPUS, tables, provenance)
    return path


MARKED = {"id": "c", "split": "test", "tokens": ["b", "new", "a"], "annotators": ["Ann"], "marks": [[0]]}


def test_words_are_counted_in_the_training_split(tmp_path, provenance):
    path = corpus(
        tmp_path / "corpus.parquet",
        provenance,
        {"id": "a", "split": "train", "tokens": ["a", "b", "a"]},
        {"id": "b", "split": "train", "tokens": ["a"]},
        {"id": "dev", "split": "dev", "tokens": ["new"]},
        MARKED,
        {"id": "d", "split": "test", "tokens": ["a"]},
    )
    counts = TextFacts(partial(read_rows, path, CORPUS)).frequencies
    # nobody marked words of d
    assert {name: found.tolist() for name, found in counts.items()} == {"c": [1, 0, 3]}


def test_without_a_training_split_nothing_is_counted(tmp_path, provenance):
    path = corpus(tmp_path / "corpus.parquet", provenance, MARKED)
    assert TextFacts(partial(read_rows, path, CORPUS)).frequencies == {}


def test_where_labels_stand_for_annotators_each_has_marks_of_its_own(tmp_path, provenance):
    of_labels = {"id": "e", "annotators": ["joy", "anger"], "marks": [[0], [1, 2]], "evidence": None}
    path = corpus(tmp_path / "corpus.parquet", provenance, MARKED, MARKED | of_labels)
    facts = TextFacts(partial(read_rows, path, CORPUS), "anger")
    assert facts.evidence == {"e": [1, 2]}
    assert {id_: rationale.marks for id_, rationale in facts.rationales.items()} == {"e": {"anger": [1, 2]}}
    # nobody has marked words for this one
    assert TextFacts(partial(read_rows, path, CORPUS), "love").rationales.keys() == {"c", "e"}


def test_whatever_is_held_against_marks_has_a_look():
    of_words = {name_words(name) for name in EVERY_TEXT} - {"loo"}
    assert {*TOPS, CONTRIBUTION, *of_words, *FURTHER, *MAPS, RANDOM, FREQUENCY, OTHERS} == set(PLAUSIBLE)
    # one name is one thing
    assert name_words("gradient") == "word_gradient"
    assert all(PLAUSIBLE[name] == RANKINGS[name] for name in (*TOPS, *FURTHER))
    several = (RANDOM, FREQUENCY, OTHERS, *NUMBERED)
    attributions = [look for name, look in PLAUSIBLE.items() if name not in several]
    assert len({(look.colour, look.marker) for look in attributions}) == len(attributions)
    assert len({look.label for look in attributions}) == len(attributions)


def test_the_sentences_of_evidence_are_named_once():
    assert find_sentences([0, 3, 4, 9], [0, 3, 7]) == [0, 1, 2]
    assert find_sentences([5], [0]) == [0]
    assert find_sentences([], [0, 3]) == []


def test_lists_become_columns_as_many_as_the_longest_has():
    lists = pa.chunked_array([[[1, 2, 3], [4], None], [[], [5, 6]]], pa.list_(pa.int32()))
    table = to_categorical(pa.table({"word": list("aabbc"), "n": lists}))
    assert table.column_names == ["word", "n_0", "n_1", "n_2"]
    assert table["n_0"].to_pylist() == [1, 4, None, None, 5]
    assert table["n_2"].to_pylist() == [3, None, None, None, None]
    assert pa.types.is_dictionary(table["word"].type)
    empty = pa.table({"n": pa.chunked_array([], pa.list_(pa.int32()))})
    assert to_categorical(empty).column_names == []


def read(path, provenance, **spec):
    """What a table or figure is called with that reads one file."""
    plain = {"columns": [], "split": "", "categories": False, "each": False, "suites": False, "needed": True}
    settings = ExhibitJob(
        exhibit="some", target="", suite="", reads={"it": ReadSpec(**plain | spec)}, settings={}, takes=[], models={},
        titles={}, fetched={}, font=[],
    )  # fmt: skip
    return read_arguments(Job(settings, {"it": [path]}, {}, provenance, lambda line: None))["it"]


def test_of_a_corpus_some_columns_of_one_split_are_read(tmp_path, provenance):
    texts = ({"id": f"x-{split}", "split": split, "tokens": ["a", "b"]} for split in ("train", "test"))
    path = corpus(tmp_path / "corpus.parquet", provenance, *texts)
    columns = ["id", "split", "tokens"]
    of_test = {"columns": columns, "split": "test", "files": [FileOf(name="x")]}
    frame = read(path, provenance, source="corpus", declared="columns.files:CORPUS", **of_test)["x"]
    assert list(frame.columns) == columns
    assert frame["id"].tolist() == ["x-test"]
    assert frame["tokens"].map(list).tolist() == [["a", "b"]]


def test_of_a_table_the_rows_of_one_data_set_are_read(tmp_path, provenance):
    path = tmp_path / "controls.parquet"
    row = {**CONTROLS.blank, "claim": "it is", "statistic": "one", "value": 1.0}
    write_table(path, CONTROLS, pd.DataFrame([{**row, "dataset": name} for name in ("x", "y")]), provenance)
    for only, names in (("", ["x", "y"]), ("y", ["y"])):
        found = read(path, provenance, source="table", declared="columns.tables:CONTROLS", files=[], only=only)
        assert found["dataset"].tolist() == names
