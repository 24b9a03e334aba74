"""The catalogue's data sets, made from the published archives, against what the papers' authors got."""

import os
import re
import zipfile
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from marked import marked
from pydantic import TypeAdapter

from attention_audit.artefacts.provenance import Provenance
from attention_audit.corpus.prepare import TEST, find_short_and_long, prepare_corpus
from attention_audit.corpus.rationales import find_word_spans
from attention_audit.corpus.source import Length
from attention_audit.corpus.sources import Corpus
from attention_audit.corpus.sources.annotated import MIN_MARKED_SENTIMENT, NEUTRAL, parse_tree
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.vocabulary import WordLists, build_vocabulary

CATALOGUE = yaml.safe_load((Path(__file__).parents[2] / "workflow" / "catalogue.yaml").read_text())["corpora"]
MIRROR = os.environ.get("ATTENTION_AUDIT_MIRROR")


def source_of(name, **changes):
    """A data set of the catalogue and its raw files; without these the test is skipped."""
    source = TypeAdapter(Corpus).validate_python(CATALOGUE[name])
    folder = Path(MIRROR or "nowhere") / (source.folder or name)
    raw = {field: folder / file.file for field, file in source.remote_files().items()}
    for path in raw.values():
        if not path.is_file():
            pytest.skip(f"ATTENTION_AUDIT_MIRROR names no folder with {path.parent.name}/{path.name}")
    return source.model_copy(update=changes), raw


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Makes a corpus; its census and its file."""

    def make(name, **changes):
        source, raw = source_of(name, **changes)
        path = tmp_path_factory.mktemp(name) / "corpus.parquet"
        census = prepare_corpus(name, source, raw, path, Provenance("test", {}, ""), 1, lambda line: None)
        return census.to_pandas(), path

    return make


def by_split(census, column):
    """A column of the census for each split, in the order of the classes."""
    return {split: census.loc[census["split"] == split, column].tolist() for split in SPLITS}


def rows_of_the_embedding(path, min_df):
    """Words of the training texts and the four marks."""
    return len(build_vocabulary(WordLists(path, ["train"]), min_df).words)


@pytest.fixture(scope="module")
def imdb(prepared):
    """IMDb before the length filter, as the authors' notebook leaves it."""
    return prepared("imdb", length=Length())


def test_imdb_is_divided_as_the_authors_divide_it(imdb):
    assert by_split(imdb[0], "kept") == {"train": [8673, 8539], "dev": [2191, 2113], "test": [2189, 2174]}
    assert imdb[0]["left_out"].sum() == 21816 - 4363


def test_imdb_has_as_many_words_as_the_authors_notebook_prints(imdb):
    assert rows_of_the_embedding(imdb[1], CATALOGUE["imdb"]["min_df"]) == 12487


def test_imdb_test_reviews_of_table_1(imdb):
    source, _ = source_of("imdb")
    table = pq.read_table(imdb[1], columns=["tokens", "label"], filters=[("split", "=", "test")])
    lengths = table["tokens"].combine_chunks().value_lengths().to_numpy()
    texts = pd.DataFrame(dict.fromkeys(("words", "sentence_count", "longest"), lengths))
    short, long = find_short_and_long(texts, np.full(len(lengths), TEST), source.length)
    assert np.bincount(table["label"].to_numpy()[~(short | long)]).tolist() == [2184, 2172]


def test_newsgroups_test_posts_of_the_authors_notebook(prepared):
    """Of 994 and 999 posts. Table 1 has another test split, drawn before empty posts were dropped."""
    census, _ = prepared("newsgroups")
    assert census.groupby("label_name")["read"].sum().to_dict() == {"rec.sport.baseball": 994, "rec.sport.hockey": 999}
    assert census.groupby("label_name")["empty"].sum().tolist() == [36, 24]
    assert by_split(census, "kept") == {"train": [568, 577], "dev": [140, 138], "test": [179, 178]}


@pytest.mark.parametrize(("task", "words"), [(1, 24), (2, 38)])
def test_babi_questions_and_words(prepared, task, words):
    census, path = prepared(f"babi-{task}")
    assert census.groupby("split")["kept"].sum().to_dict() == {"train": 8500, "dev": 1500, "test": 1000}
    assert rows_of_the_embedding(path, 1) == words


def test_babi_evidence_holds_the_answer():
    """One sentence answers a question of task 1, and says where the person is."""
    source, raw = source_of("babi-1")
    for text in source.read("babi-1", raw):
        words = [text.text[position] for position in marked(text) or []]
        assert {text.label, text.query[-1]} <= set(words)


def test_agnews_test_texts_of_table_1():
    source, raw = source_of("agnews")
    labels = Counter(text.label for text in source.read("agnews", raw | {"train": raw["test"]}) if text.split == "test")
    assert labels == {"World": 1900, "Business": 1900}


def test_snli_pairs_with_a_gold_label():
    source, raw = source_of("snli")
    splits = Counter(text.split for text in source.read("snli", raw))
    assert (splits["dev"], splits["test"]) == (9842, 9824)


def test_deceptive_attentions_texts_are_all_there_with_their_masks(prepared):
    sizes = {"sst-wiki": [6920, 872, 1821], "pronoun": [9017, 1127, 1127]}
    for name, expected in sizes.items():
        census, path = prepared(name)
        assert [sum(kept) for kept in by_split(census, "kept").values()] == expected
        texts = pq.read_table(path, columns=["split", "tokens", "blocked"]).to_pylist()
        if name == "pronoun":
            assert all(text["blocked"] for text in texts)
            continue
        # the review comes first, and something follows it
        assert all(text["blocked"] == list(range(len(text["blocked"]))) for text in texts)
        assert all(0 < len(text["blocked"]) < len(text["tokens"]) for text in texts)
        assert sum(len(text["tokens"]) for text in texts if text["split"] == "test") == 77437


def test_the_published_maps_of_yelp():
    """1,545 reviews, each map as long as its text; in part 6, one text has one map and another has two."""
    source, raw = source_of("yelp-hat")
    annotators = {}
    labels = Counter()
    for text in source.read("yelp-hat", raw):
        assert text.annotations.miscounted == 0
        labels[text.label] += 1
        annotators.setdefault(text.id.split("-")[2], Counter())[len(text.annotations.marks)] += 1
        assert {*chain(*text.annotations.marks.values())} <= {*find_word_spans(str(text.text))}
    assert labels == {"positive": 783, "negative": 762}
    assert annotators == {
        "mixed": {4: 351, 3: 144, 2: 130},
        "words50": {3: 300},
        "words100": {3: 437, 2: 1, 1: 1},
        "words200": {3: 181},
    }


def test_sst_sentences_of_table_1(prepared):
    """Before the filter there are the official numbers of sentences, and none stands in two splits."""
    census, path = prepared("sst")
    assert [sum(read) for read in by_split(census, "read").values()] == [6920, 872, 1821]
    assert census["duplicates"].sum() == 0
    lengths = pq.read_table(path, columns=["tokens"], filters=[("split", "=", "train")])["tokens"].combine_chunks()
    assert lengths.value_lengths().to_numpy().mean() == pytest.approx(18.7, abs=0.05)


def test_sst_sentences_with_a_word_that_has_a_sentiment_of_its_own():
    """Of 1,821 test sentences, 1,710 have such a word; in all, some phrase has a sentiment, if only the whole."""
    own = marked = 0
    with zipfile.ZipFile(source_of("sst")[1]["archive"]) as archive:
        for line in archive.read("trees/test.txt").decode().splitlines():
            tree = parse_tree(line)
            if tree.sentiment != NEUTRAL:
                own += any(int(label) != NEUTRAL for label in re.findall(r"\(([0-4]) [^()]+\)", line))
                marked += any(score >= MIN_MARKED_SENTIMENT for score in tree.scores)
    assert (own, marked) == (1710, 1821)


def test_sst_rows_of_the_authors_embedding(prepared):
    """Jain & Wallace's notebook prints 13826: they fit the vocabulary before the length filter."""
    _, path = prepared("sst", length=Length())
    assert rows_of_the_embedding(path, 1) == 13826
