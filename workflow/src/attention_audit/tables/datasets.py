"""The data sets: table 1 of Wiegreffe & Pinter 2019 and of Serrano & Smith 2019."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.corpus.text import MIN_TEXTS_A_CLASS, SPLITS

from .tidy import Frames, add_published, join_notes, order_rows
from .wording import ClassNames, list_names, read_class_names

TWO_CLASSES = ("negative", "positive")
MAX_CLASSES_NAMED = 10
"""The classes are named where they are at most this many."""
VOCABULARY_MARKS = 4  # the first rows of a vocabulary are marks, not words
SPLITS_OF_PARTS = {"raw": ["", *SPLITS], **{split: [split] for split in SPLITS}}
"""Rows of table 1: the raw files, before anything was dropped, and the splits."""
COPIES = ("duplicates", "repeated")
"""Columns of the census that count kept texts with the words of another one: of another split, and of the same."""
SPLIT_METRICS = (
    "instances", *TWO_CLASSES, "classes", "smallest_class", "largest_class", *COPIES, "mean_length", "words",
    "words_with_vector", "tokens_with_vector",
)  # fmt: skip
TEXT_METRICS = (
    "mean_length", "sd_length", "mean_sentences", "sd_sentences", "train_and_dev", "test", *COPIES, "classes"
)  # fmt: skip

FACT = ["dataset", "part", "metric", "mean", "note"]
"""The columns of a property of the data."""
Records = Mapping[str, Sequence[Mapping[str, Any]]]
"""The records of fetched files by data set, as artefacts.files reads them."""


def count_split(texts: pd.DataFrame, row: str, labels: list[int]) -> dict[str, float]:
    """Count, by metric: texts; texts in each of two classes, or the number, smallest and largest size of more; texts
    that stand twice; mean tokens in a text.
    """
    counted = texts.groupby("label")["read" if row == "raw" else "kept"].sum()
    sizes, counts = counted.reindex(labels, fill_value=0), {"instances": counted.sum()}
    if len(sizes) == len(TWO_CLASSES):
        counts |= dict(zip(TWO_CLASSES, sizes, strict=True))
    else:
        counts |= {"classes": (sizes > 0).sum(), "smallest_class": sizes.min(), "largest_class": sizes.max()}
    if row != "raw" and counts["instances"]:
        counts |= {name: texts[name].sum() for name in COPIES}
        counts["mean_length"] = texts["tokens"].sum() / counts["instances"]
    return counts


def count_vocabulary(vocabulary: pd.DataFrame, census: pd.DataFrame) -> dict[str, float]:
    """Count words, by metric, and the shares of words and of training tokens that a vector covers.

    The shares are left out where no word has a pretrained vector.
    """
    words = vocabulary[vocabulary["index"] >= VOCABULARY_MARKS]
    covered, counts = words[words["vector"].notna()], {"words": float(len(words))}
    if len(covered):
        tokens = census.loc[census["split"] == "train", ["tokens", "query_tokens"]].to_numpy().sum()
        counts["words_with_vector"] = len(covered) / len(words)
        counts["tokens_with_vector"] = covered["train_count"].sum() / tokens
    return counts


def name_rebuilt(records: Records, dataset: str) -> str:
    """Name the files of a data set that differ from the published ones; "" where none does."""
    files = sorted(record["file"] for record in records.get(dataset, []) if record["canonical"] is False)
    return f"{', '.join(files)}: not the published bytes" if files else ""


def describe_counts(census: pd.DataFrame, names: ClassNames, rebuilt: str) -> dict[str, str]:
    """Say, by metric of the raw files: which files are rebuilt, how many texts have no label, the names of the classes
    where they are at most MAX_CLASSES_NAMED, and whether there are hardly more texts than classes.
    """
    classes, texts = census.loc[census["kept"] > 0, "label"].nunique(), census["kept"].sum()
    unlabelled = census["unlabelled"].sum()
    listing = f"classes: {list_names(names)}" if 0 < len(names) <= MAX_CLASSES_NAMED else ""
    question = f"{classes} classes in {texts} texts that were kept: are these labels?"
    return {
        "instances": join_notes(
            rebuilt, f"{unlabelled} texts have no label, or one that is left out" if unlabelled else ""
        ),
        "classes": join_notes(listing, question if classes * MIN_TEXTS_A_CLASS > texts else ""),
        TWO_CLASSES[0]: listing,
    }


def wp_table1_datasets(
    census: Frames,
    vocabulary: Frames,
    records: Records,
    splitting: Mapping[str, str],
) -> pd.DataFrame:
    """Count sizes, classes and lengths (tokens) of the raw files and of every split, and how many words have a vector.

    `census`, `vocabulary`, `records` and `splitting` are by data set; the last says what finds words where no spaces
    part them. The columns are those of `TABLE`. Notes name the fetched files that differ from the published
    ones, count texts that have no label, name the classes, and ask where there are hardly more texts than classes.
    """
    rows = []
    for dataset, names in read_class_names(census).items():
        counts, words = census[dataset], vocabulary[dataset]
        labels = sorted(set(counts["label"]) - {-1})
        sizes = {
            row: count_split(counts[counts["split"].isin(splits)], row, labels)
            for row, splits in SPLITS_OF_PARTS.items()
        }
        sizes["vocabulary"] = count_vocabulary(words, counts)
        vectors = "random vectors" if words["vector"].isna().all() else ""
        notes = {
            "raw": describe_counts(counts, names, name_rebuilt(records, dataset)),
            "vocabulary": {"words": join_notes(vectors, splitting.get(dataset, ""))},
        }
        rows += [
            (dataset, row, metric, float(value), notes.get(row, {}).get(metric, ""))
            for row, values in sizes.items()
            for metric, value in values.items()
        ]
    facts = add_published(pd.DataFrame(rows, columns=FACT), "Table 1", "WP2019")
    return order_rows(facts, SPLIT_METRICS, part=[*SPLITS_OF_PARTS, "vocabulary"])


def count_sizes(census: pd.DataFrame) -> dict[str, float]:
    """Count, by metric: tokens and sentences of a text over all splits, texts, texts that stand twice, classes.

    Sentences are left out where boundaries were not kept.
    """
    sizes: dict[str, float] = {}
    sums = census.sum(numeric_only=True)
    count, test = sums["kept"], census["split"] == "test"
    for name, unit in (("length", "tokens"), ("sentences", "sentences")):
        if unit == "tokens" or sums[unit] > count:
            mean = sums[unit] / count
            squares = max(0.0, (sums[f"{unit}_squared"] - count * mean**2) / (count - 1))
            sizes |= {f"mean_{name}": mean, f"sd_{name}": math.sqrt(squares)}
    return sizes | {
        "train_and_dev": census.loc[~test, "kept"].sum(),
        "test": census.loc[test, "kept"].sum(),
        **{name: sums[name] for name in COPIES},
        "classes": census.loc[census["kept"] > 0, "label"].nunique(),
    }


def ss_table1_datasets(census: Frames, records: Records) -> pd.DataFrame:
    """Count words and sentences of a text (mean, sd over all splits), texts, texts that stand twice, and classes.

    `census` and `records` are by data set; the columns are those of `TABLE`. Serrano & Smith 2019, table 1.
    """
    rows = [
        (dataset, "all", metric, float(value), name_rebuilt(records, dataset) if metric == "test" else "")
        for dataset, counts in census.items()
        for metric, value in count_sizes(counts).items()
    ]
    return order_rows(add_published(pd.DataFrame(rows, columns=FACT), "Table 1", "SS2019"), TEXT_METRICS)
