"""The published archive against Wiegreffe & Pinter 2019, table 1."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from attention_audit.corpus.instances import Instance, split_of
from attention_audit.corpus.settings import RemoteFile, SstCorpus
from attention_audit.corpus.sources import read_corpus, read_texts
from attention_audit.corpus.vocabulary import build_vocabulary

MIRROR = os.environ.get("ATTENTION_AUDIT_MIRROR")
FILE = "trainDevTestTrees_PTB.zip"
CORPUS = SstCorpus(kind="sst", archive=RemoteFile(file=FILE))

pytestmark = pytest.mark.skipif(
    not MIRROR or not (Path(MIRROR) / "sst" / FILE).is_file(),
    reason=f"ATTENTION_AUDIT_MIRROR names no folder with sst/{FILE}",
)


@pytest.fixture(scope="module")
def raw() -> Path:
    return Path(MIRROR or "") / "sst"


@pytest.fixture(scope="module")
def corpus(raw: Path) -> list[Instance]:
    return read_corpus("sst", CORPUS, raw)


@pytest.mark.parametrize(
    ("split", "negative", "positive"), [("train", 3034, 3321), ("dev", 397, 424), ("test", 863, 862)]
)
def test_sizes_of_table_1(corpus: list[Instance], split: str, negative: int, positive: int) -> None:
    assert Counter(instance.label for instance in split_of(corpus, split)) == {0: negative, 1: positive}


def test_mean_length_of_table_1(corpus: list[Instance]) -> None:
    lengths = [len(instance.tokens) for instance in split_of(corpus, "train")]
    assert sum(lengths) / len(lengths) == pytest.approx(18.7, abs=0.05)


def test_rows_of_the_authors_embedding(raw: Path) -> None:
    """Jain & Wallace's notebook prints 13826: they fit the vocabulary before the length filter."""
    texts = split_of(read_texts("sst", CORPUS, raw), "train")
    assert len(build_vocabulary(instance.tokens for instance in texts).words) == 13826
