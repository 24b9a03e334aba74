from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from attention_audit.artefacts.schema import CORPUS
from attention_audit.corpus.instances import Instance, check_instances, corpus_columns, filter_lengths
from attention_audit.corpus.settings import Length
from attention_audit.errors import AuditError


def text(id: str, split: str, label: int, length: int = 3) -> Instance:
    return Instance(id, split, label, ["word"] * length)


SOUND = [text(f"{split}-{label}", split, label) for split in ("train", "dev", "test") for label in (0, 1)]


def lengths(instances: list[Instance], split: str) -> list[int]:
    return [len(instance.tokens) for instance in instances if instance.split == split]


def test_length_bounds_are_strict() -> None:
    texts = [text(str(n), "train", 0, n) for n in range(1, 9)]
    assert lengths(filter_lengths(texts, Length(above=2, below=6)), "train") == [3, 4, 5]


def test_open_bounds_drop_the_shortest_and_longest_of_each_split() -> None:
    texts = [text(f"train-{i}", "train", 0, n) for i, n in enumerate([2, 2, 3, 5, 9])]
    texts += [text(f"dev-{i}", "dev", 0, n) for i, n in enumerate([4, 20, 7, 20])]
    kept = filter_lengths(texts, Length())
    assert lengths(kept, "train") == [3, 5]
    assert lengths(kept, "dev") == [7]


def test_one_open_bound() -> None:
    texts = [text(str(n), "test", 0, n) for n in (5, 6, 7, 8)]
    assert lengths(filter_lengths(texts, Length(above=5)), "test") == [6, 7]
    assert lengths(filter_lengths(texts, Length(below=8)), "test") == [6, 7]


def test_a_sound_corpus_passes() -> None:
    check_instances("toy", SOUND)


@pytest.mark.parametrize(
    ("instances", "message"),
    [
        ([*SOUND, SOUND[0]], "toy: 2 texts have the id train-0"),
        ([*SOUND, text("empty", "dev", 1, 0)], "toy: empty: text without words"),
        ([i for i in SOUND if i.split != "dev"], "toy: split dev: no texts"),
        ([], "toy: split train: no texts"),
        ([replace(i, label=0) if i.split == "test" else i for i in SOUND], "split test: every text has label 0"),
        ([*SOUND, text("third", "test", 2)], "split train: no text has label 2"),
        ([replace(i, label=2 * i.label) for i in SOUND], "split train: no text has label 1"),
    ],
)
def test_unsound_corpora_are_refused(instances: list[Instance], message: str) -> None:
    with pytest.raises(AuditError, match=message) as caught:
        check_instances("toy", instances)
    assert "\n" not in str(caught.value)


def test_columns_fit_the_schema() -> None:
    instances = [Instance("a", "train", 1, ["x", "y"], [1]), Instance("b", "dev", 0, ["z"])]
    table = pa.table(corpus_columns(instances), schema=CORPUS.schema)
    assert table.to_pylist() == [
        {"id": "a", "split": "train", "label": 1, "tokens": ["x", "y"], "evidence": [1]},
        {"id": "b", "split": "dev", "label": 0, "tokens": ["z"], "evidence": None},
    ]
