"""The published archive against Wiegreffe & Pinter 2019, table 1."""

import os
import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.files import CORPUS
from attention_audit.corpus.prepare import prepare
from attention_audit.corpus.source import Length, RemoteFile
from attention_audit.corpus.sources.sst import MARKED, NEUTRAL, SstCorpus, parse_tree
from attention_audit.corpus.tokens import Tokens, words_of
from attention_audit.corpus.vocabulary import MARKS

MIRROR = os.environ.get("ATTENTION_AUDIT_MIRROR")
FILE = "trainDevTestTrees_PTB.zip"
RAW = {"archive": Path(MIRROR or "") / "sst" / FILE}
SOURCE = SstCorpus(kind="sst", archive=RemoteFile(file=FILE), length=Length(above=5, below="longest"))

pytestmark = pytest.mark.skipif(
    not MIRROR or not RAW["archive"].is_file(), reason=f"ATTENTION_AUDIT_MIRROR names no folder with sst/{FILE}"
)


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The census of the corpus, which lies beside it."""
    path = tmp_path_factory.mktemp("sst") / "corpus.parquet"
    made = prepare("sst", SOURCE, RAW, path, Provenance("test", {}, "0" * 64), workers=1, report=str)
    census = made.to_pandas()
    lengths = read_frame(path, CORPUS).groupby("split")["tokens"].apply(lambda tokens: tokens.map(len).mean())
    return census.assign(mean_length=census["split"].map(lengths)).set_index(["split", "label_name"])


@pytest.mark.parametrize(("split", "texts"), [("train", 6920), ("dev", 872), ("test", 1821)])
def test_sizes_before_the_filter_are_the_official_ones(census: pd.DataFrame, split: str, texts: int) -> None:
    assert census.loc[split, "read"].sum() == texts


def test_no_sentence_stands_in_two_splits(census: pd.DataFrame) -> None:
    assert census["duplicates"].sum() == 0


def test_mean_length_of_table_1(census: pd.DataFrame) -> None:
    assert census.loc["train", "mean_length"].iloc[0] == pytest.approx(18.7, abs=0.05)


def test_sentences_with_a_word_that_has_a_sentiment_of_its_own() -> None:
    """Of 1,821 test sentences, 1,710 have such a word; in all, some phrase has a sentiment, if only the whole."""
    own = marked = 0
    with zipfile.ZipFile(RAW["archive"]) as archive:
        for line in archive.read("trees/test.txt").decode().splitlines():
            tree = parse_tree(line)
            if tree.sentiment != NEUTRAL:
                own += any(int(label) != NEUTRAL for label in re.findall(r"\(([0-4]) [^()]+\)", line))
                marked += any(score >= MARKED for score in tree.scores)
    assert (own, marked) == (1710, 1821)


def test_rows_of_the_authors_embedding() -> None:
    """Jain & Wallace's notebook prints 13826: they fit the vocabulary before the length filter."""
    texts = [str(text.text) for text in SOURCE.read("sst", RAW) if text.split == "train"]
    words = {word for text in texts for sentence in words_of(text, Tokens()) for word in sentence}
    assert len(words) + len(MARKS) == 13826
