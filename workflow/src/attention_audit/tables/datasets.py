"""The data sets: table 1 of Wiegreffe & Pinter 2019 and of Serrano & Smith 2019."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.corpus.text import SPLITS
from attention_audit.tables.tidy import as_table, beside_paper
from attention_audit.tables.wording import ClassNames, class_names, listed

CLASSES = ("negative", "positive")
NAMED = 10
"""The classes are named where they are at most this many."""
MARKS = 4  # the first rows of a vocabulary are marks, not words
PARTS = {"raw": ["", *SPLITS], **{split: [split] for split in SPLITS}}
"""Rows of table 1: the raw files, before anything was dropped, and the splits."""
COPIES = ("duplicates", "repeated")
"""Columns of the census that count kept texts with the words of another one: of another split, and of the same."""
METRICS = ("instances", *CLASSES, "classes", "smallest_class", "largest_class", *COPIES, "mean_length")
FEWEST = 4
"""Texts of a class on average, below which the labels are hardly classes."""
SIZES = ("mean_length", "sd_length", "mean_sentences", "sd_sentences", "train_and_dev", "test", *COPIES, "classes")

Records = Sequence[Mapping[str, Any]]
"""The records of a data set's fetched files, as artefacts.record reads them."""


def as_rows(facts: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    """Facts (data set, row, metric, value) as rows of a table."""
    return pd.DataFrame(facts, columns=["dataset", "row", "metric", "mean"]).astype({"mean": float})


def class_facts(sizes: pd.Series) -> Iterator[tuple[str, float]]:
    """(metric, value): of two classes, the texts of each; of more, their number, and the smallest and largest size."""
    if len(sizes) == len(CLASSES):
        yield from zip(CLASSES, sizes, strict=True)
    else:
        yield "classes", (sizes > 0).sum()
        yield from (("smallest_class", sizes.min()), ("largest_class", sizes.max()))


def split_facts(census: pd.DataFrame) -> Iterator[tuple[str, str, float]]:
    """(row, metric, value): texts, texts in each class, texts that stand twice, mean tokens in a text."""
    labels = sorted(set(census["label"]) - {-1})
    for row, splits in PARTS.items():
        texts = census[census["split"].isin(splits)]
        counted = texts.groupby("label")["read" if row == "raw" else "kept"].sum()
        yield row, "instances", counted.sum()
        yield from ((row, *fact) for fact in class_facts(counted.reindex(labels, fill_value=0)))
        if row != "raw" and counted.sum():
            yield from ((row, name, texts[name].sum()) for name in COPIES)
            yield row, "mean_length", texts["tokens"].sum() / counted.sum()


def vocabulary_facts(vocabulary: pd.DataFrame, census: pd.DataFrame) -> Iterator[tuple[str, str, float]]:
    """("vocabulary", metric, value): words, and the shares of words and of training tokens that a vector covers.

    The shares are left out where no word has a pretrained vector.
    """
    words = vocabulary[vocabulary["index"] >= MARKS]
    covered = words[words["vector"].notna()]
    yield "vocabulary", "words", len(words)
    if len(covered):
        tokens = census.loc[census["split"] == "train", "tokens"].sum()
        yield "vocabulary", "words_with_vector", len(covered) / len(words)
        yield "vocabulary", "tokens_with_vector", covered["train_count"].sum() / tokens


def remarks(census: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """(row, metric, note): how many texts have no label, and whether there are hardly more texts than classes."""
    if unlabelled := census["unlabelled"].sum():
        yield "raw", "instances", f"{unlabelled} texts have no label and were left out"
    classes, texts = census.loc[census["kept"] > 0, "label"].nunique(), census["kept"].sum()
    if classes * FEWEST > texts:
        yield "raw", "classes", f"{classes} classes in {texts} texts that were kept: are these labels?"


def called(names: ClassNames) -> str:
    """A note that names the classes of a data set; "" where they are more than NAMED."""
    return f"classes: {listed(names)}" if len(names) <= NAMED else ""


def rebuilt(records: Records) -> str:
    """A note that names the files that differ from the published ones; "" where none does."""
    files = sorted(str(record["file"]) for record in records if record["canonical"] is False)
    return f"{', '.join(files)}: not the published bytes" if files else ""


def wp_table1_datasets(
    census: Mapping[str, pd.DataFrame],
    vocabulary: Mapping[str, pd.DataFrame],
    records: Mapping[str, Records],
    splitting: Mapping[str, str],
) -> pd.DataFrame:
    """Sizes, classes and lengths (tokens) of the raw files and of every split, and how many words have a vector.

    `census`, `vocabulary`, `records` and `splitting` are by data set; the last says what finds words where no spaces
    part them. The columns are those of `TABLE`. Notes name the fetched files that differ from the published
    ones, count texts that have no label, name the classes, and ask where there are hardly more texts than classes.
    """
    facts = [
        (dataset, *fact)
        for dataset, counts in census.items()
        for fact in (*split_facts(counts), *vocabulary_facts(vocabulary[dataset], counts))
    ]
    rows = beside_paper(as_rows(facts), "Table 1")
    names = class_names(census)
    for dataset, words in vocabulary.items():
        here = rows["dataset"] == dataset
        said = {("raw", metric): [called(names[dataset])] for metric in ("classes", CLASSES[0])}
        said["raw", "instances"] = [rebuilt(records.get(dataset, []))]
        vectors = "random vectors" if words["vector"].isna().all() else ""
        said["vocabulary", "words"] = [vectors, splitting.get(dataset, "")]
        for row, metric, note in remarks(census[dataset]):
            said.setdefault((row, metric), []).append(note)
        for (row, metric), notes in said.items():
            cell = here & (rows["row"] == row) & (rows["metric"] == metric)
            rows.loc[cell, "note"] = "; ".join(filter(None, notes))
    order = [*METRICS, "words", "words_with_vector", "tokens_with_vector"]
    return as_table(rows, [*PARTS, "vocabulary"], [name for name in order if name in set(rows["metric"])])


def spread(total: float, squares: float, count: int) -> tuple[float, float]:
    """Mean and standard deviation (n - 1) from sums."""
    mean = total / count
    return mean, math.sqrt(max(0.0, (squares - count * mean**2) / (count - 1)))


def size_facts(census: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """(metric, value): tokens and sentences of a text over all splits, texts, texts that stand twice, classes.

    Sentences are left out where boundaries were not kept.
    """
    sums = census.sum(numeric_only=True)
    yield from zip(SIZES[:2], spread(sums["tokens"], sums["tokens_squared"], sums["kept"]), strict=True)
    if sums["sentences"] > sums["kept"]:
        yield from zip(SIZES[2:4], spread(sums["sentences"], sums["sentences_squared"], sums["kept"]), strict=True)
    test = census["split"] == "test"
    yield "train_and_dev", census.loc[~test, "kept"].sum()
    yield "test", census.loc[test, "kept"].sum()
    yield from ((name, sums[name]) for name in COPIES)
    yield "classes", census.loc[census["kept"] > 0, "label"].nunique()


def ss_table1_datasets(census: Mapping[str, pd.DataFrame], records: Mapping[str, Records]) -> pd.DataFrame:
    """Words and sentences of a text (mean, sd over all splits), texts, texts that stand twice, and classes.

    `census` and `records` are by data set; the columns are those of `TABLE`. Serrano & Smith 2019, table 1.
    """
    facts = [(dataset, "all", *fact) for dataset, counts in census.items() for fact in size_facts(counts)]
    rows = beside_paper(as_rows(facts), "Table 1", "SS2019")
    for dataset, known in records.items():
        rows.loc[(rows["dataset"] == dataset) & (rows["metric"] == "test"), "note"] = rebuilt(known)
    return as_table(rows, ["all"], [name for name in SIZES if name in set(rows["metric"])])
