"""How frequent the words of marked texts are, and what whatever is held against marks is called."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from attention_audit.artefacts.parquet import write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.audits.attributed import EVERY_TEXT, FURTHER
from attention_audit.audits.correlation import name_words
from attention_audit.audits.plausibility import CONTRIBUTION, FREQUENCY, OTHERS, RANDOM
from attention_audit.audits.rankings import TOPS
from attention_audit.columns.files import CORPUS
from attention_audit.names import MAPS, NUMBERED, PLAUSIBLE, RANKINGS
from attention_audit.stages.audits import count_words, find_sentences


def corpus(path: Path, provenance: Provenance, *rows: dict[str, Any]) -> Path:
    """A corpus of these texts, in two row groups; what is not named is null."""
    empty = dict.fromkeys(CORPUS.schema.names)
    tables = [
        pa.Table.from_pylist([{**empty, "label": 0, "label_name": "no", **row} for row in part], schema=CORPUS.schema)
        for part in (rows[:1], rows[1:])
    ]
    write_batches(path, CORPUS, tables, provenance)
    return path


MARKED = {"id": "c", "split": "test", "tokens": ["b", "new", "a"], "annotators": ["Ann"], "marks": [[0]]}


def test_words_are_counted_in_the_training_split(tmp_path: Path, provenance: Provenance) -> None:
    path = corpus(
        tmp_path / "corpus.parquet",
        provenance,
        {"id": "a", "split": "train", "tokens": ["a", "b", "a"]},
        {"id": "b", "split": "train", "tokens": ["a"]},
        {"id": "dev", "split": "dev", "tokens": ["new"]},
        MARKED,
        {"id": "d", "split": "test", "tokens": ["a"]},
    )
    counts = count_words(path)
    # nobody marked words of d
    assert {name: found.tolist() for name, found in counts.items()} == {"c": [1, 0, 3]}


def test_without_a_training_split_nothing_is_counted(tmp_path: Path, provenance: Provenance) -> None:
    assert count_words(corpus(tmp_path / "corpus.parquet", provenance, MARKED)) == {}


def test_whatever_is_held_against_marks_has_a_look() -> None:
    of_words = {name_words(name) for name in EVERY_TEXT} - {"loo"}
    assert {*TOPS, CONTRIBUTION, *of_words, *FURTHER, *MAPS, RANDOM, FREQUENCY, OTHERS} == set(PLAUSIBLE)
    # one name is one thing
    assert name_words("gradient") == "word_gradient"
    assert all(PLAUSIBLE[name] == RANKINGS[name] for name in (*TOPS, *FURTHER))
    several = (RANDOM, FREQUENCY, OTHERS, *NUMBERED)
    attributions = [look for name, look in PLAUSIBLE.items() if name not in several]
    assert len({(look.colour, look.marker) for look in attributions}) == len(attributions)
    assert len({look.label for look in attributions}) == len(attributions)


def test_the_sentences_of_evidence_are_named_once() -> None:
    assert find_sentences([0, 3, 4, 9], [0, 3, 7]) == [0, 1, 2]
    assert find_sentences([5], [0]) == [0]
    assert find_sentences([], [0, 3]) == []
