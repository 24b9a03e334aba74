"""The data sets: table 1 of Wiegreffe & Pinter 2019 and of Serrano & Smith 2019."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.corpus.text import SPLITS
from attention_audit.tables.classes import ClassNames, class_names, listed
from attention_audit.tables.tidy import as_table, beside_paper

CLASSES = ("negative", "positive")
NAMED = 10
"""The classes are named where they are at most this many."""
MARKS = 4  # the first rows of a vocabulary are marks, not words
PARTS = {"raw": ["", *SPLITS], **{split: [split] for split in SPLITS}}
"""Rows of table 1: the raw files, before anything was dropped, and the splits."""
METRICS = ("instances", *CLASSES, "classes", "smallest_class", "largest_class", "mean_length")
SIZES = ("mean_length", "sd_length", "mean_sentences", "sd_sentences", "train_and_dev", "test", "classes")

Records = Sequence[Mapping[str, Any]]
"""The records of a data set's fetched files, as artefacts.record reads them."""


def class_facts(sizes: pd.Series) -> Iterator[tuple[str, float]]:
    """(metric, value): of two classes, the texts of each; of more, their number, and the smallest and largest size."""
    if len(sizes) == len(CLASSES):
        yield from zip(CLASSES, sizes, strict=True)
    else:
        yield "classes", (sizes > 0).sum()
        yield from (("smallest_class", sizes.min()), ("largest_class", sizes.max()))


def split_facts(census: pd.DataFrame) -> Iterator[tuple[str, str, float]]:
    """(row, metric, value): texts, texts in each class, mean tokens in a text."""
    labels = sorted(set(census["label"]) - {-1})
    for row, splits in PARTS.items():
        texts = census[census["split"].isin(splits)]
        counted = texts.groupby("label")["read" if row == "raw" else "kept"].sum()
        yield row, "instances", counted.sum()
        yield from ((row, *fact) for fact in class_facts(counted.reindex(labels, fill_value=0)))
        if row != "raw" and counted.sum():
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


def duplicated(census: pd.DataFrame) -> dict[str, str]:
    """A note on each split of which some texts have the words of a text of another split, by split."""
    counts = census.groupby("split")["duplicates"].sum()
    return {split: f"{counts[split]} of the texts stand in another split too" for split in SPLITS if counts.get(split)}


def called(names: ClassNames) -> str:
    """A note that names the classes of a data set; "" where they are more than NAMED."""
    return f"classes: {listed(names)}" if len(names) <= NAMED else ""


def rebuilt(records: Records) -> str:
    """A note that names the files that differ from the published ones; "" where none does."""
    files = sorted(str(record["file"]) for record in records if record["canonical"] is False)
    return f"{', '.join(files)}: not the published bytes" if files else ""


def wp_table1_datasets(
    census: Mapping[str, pd.DataFrame], vocabulary: Mapping[str, pd.DataFrame], records: Mapping[str, Records]
) -> pd.DataFrame:
    """Sizes, classes and lengths (tokens) of the raw files and of every split, and how many words have a vector.

    `census`, `vocabulary` and `records` are by data set; the columns are those of columns.table. Notes name the fetched
    files that differ from the published ones, count texts that stand in two splits, and name the classes.
    """
    facts = [
        (dataset, *fact)
        for dataset, counts in census.items()
        for fact in (*split_facts(counts), *vocabulary_facts(vocabulary[dataset], counts))
    ]
    rows = pd.DataFrame(facts, columns=["dataset", "row", "metric", "mean"]).astype({"mean": float})
    rows = beside_paper(rows, "Table 1")
    names = class_names(census)
    for dataset, words in vocabulary.items():
        here = rows["dataset"] == dataset
        if words["vector"].isna().all():
            rows.loc[here & (rows["metric"] == "words"), "note"] = "random vectors"
        for split, note in duplicated(census[dataset]).items():
            rows.loc[here & (rows["row"] == split) & (rows["metric"] == "instances"), "note"] = note
        rows.loc[here & (rows["row"] == "raw") & (rows["metric"] == "instances"), "note"] = rebuilt(
            records.get(dataset, [])
        )
        counts = rows["metric"].isin(["classes", CLASSES[0]])
        rows.loc[here & (rows["row"] == "raw") & counts, "note"] = called(names[dataset])
    order = [*METRICS, "words", "words_with_vector", "tokens_with_vector"]
    return as_table(rows, [*PARTS, "vocabulary"], [name for name in order if name in set(rows["metric"])])


def spread(total: float, squares: float, count: int) -> tuple[float, float]:
    """Mean and standard deviation (n - 1) from sums."""
    mean = total / count
    return mean, math.sqrt(max(0.0, (squares - count * mean**2) / (count - 1)))


def size_facts(census: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """(metric, value): tokens and sentences of a text over all splits, texts, classes.

    Sentences are left out where boundaries were not kept.
    """
    sums = census.sum(numeric_only=True)
    yield from zip(SIZES[:2], spread(sums["tokens"], sums["tokens_squared"], sums["kept"]), strict=True)
    if sums["sentences"] > sums["kept"]:
        yield from zip(SIZES[2:4], spread(sums["sentences"], sums["sentences_squared"], sums["kept"]), strict=True)
    test = census["split"] == "test"
    yield "train_and_dev", census.loc[~test, "kept"].sum()
    yield "test", census.loc[test, "kept"].sum()
    yield "classes", census.loc[census["kept"] > 0, "label"].nunique()


def ss_table1_datasets(census: Mapping[str, pd.DataFrame], records: Mapping[str, Records]) -> pd.DataFrame:
    """Words and sentences of a text (mean, sd over all splits), number of texts and classes.

    `census` and `records` are by data set; the columns are those of columns.table. Serrano & Smith 2019, table 1.
    """
    facts = [(dataset, "all", *fact) for dataset, counts in census.items() for fact in size_facts(counts)]
    rows = pd.DataFrame(facts, columns=["dataset", "row", "metric", "mean"]).astype({"mean": float})
    rows = beside_paper(rows, "Table 1", "SS2019")
    for dataset, known in records.items():
        rows.loc[(rows["dataset"] == dataset) & (rows["metric"] == "test"), "note"] = rebuilt(known)
    return as_table(rows, ["all"], [name for name in SIZES if name in set(rows["metric"])])
