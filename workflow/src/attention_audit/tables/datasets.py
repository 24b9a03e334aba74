"""Table 1 of Wiegreffe & Pinter 2019: the data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from attention_audit.corpus.instances import SPLITS
from attention_audit.tables.tidy import as_table, beside_paper

CLASSES = ("negative", "positive")
MARKS = 4  # the first rows of a vocabulary are no words


def split_facts(corpus: pd.DataFrame, classes: int) -> Iterator[tuple[str, str, float]]:
    """(split, metric, value): texts, texts in each class, mean tokens in a text."""
    names = CLASSES if classes == len(CLASSES) else [f"class_{label}" for label in range(classes)]
    for split in SPLITS:
        texts = corpus[corpus["split"] == split]
        yield split, "instances", len(texts)
        yield from ((split, name, (texts["label"] == label).sum()) for label, name in enumerate(names))
        if len(texts):
            yield split, "mean_length", texts["tokens"].map(len).mean()


def vocabulary_facts(vocabulary: pd.DataFrame, corpus: pd.DataFrame) -> Iterator[tuple[str, str, float]]:
    """("vocabulary", metric, value): words, and the shares of words and of training tokens that a vector covers.

    The shares are left out where no word has a pretrained vector.
    """
    words = vocabulary[vocabulary["index"] >= MARKS]
    covered = words[words["vector"].notna()]
    yield "vocabulary", "words", len(words)
    if len(covered):
        tokens = corpus.loc[corpus["split"] == "train", "tokens"].map(len).sum()
        yield "vocabulary", "words_with_vector", len(covered) / len(words)
        yield "vocabulary", "tokens_with_vector", covered["train_count"].sum() / tokens


def wp_table1_datasets(corpora: Mapping[str, pd.DataFrame], vocabularies: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Sizes, classes and lengths (tokens) of every split, and how far the word vectors cover it.

    From schema.CORPUS and schema.VOCABULARY frames by data set; the columns are those of schema.TABLE.
    """
    facts = [
        (dataset, *fact)
        for dataset, corpus in corpora.items()
        for fact in (
            *split_facts(corpus, max(len(CLASSES), corpus["label"].max() + 1)),
            *vocabulary_facts(vocabularies[dataset], corpus),
        )
    ]
    rows = pd.DataFrame(facts, columns=["dataset", "row", "metric", "mean"]).astype({"mean": float})
    rows = beside_paper(rows, "Table 1")
    random = [dataset for dataset, vocabulary in vocabularies.items() if vocabulary["vector"].isna().all()]
    rows.loc[rows["dataset"].isin(random) & (rows["metric"] == "words"), "note"] = "random vectors"
    return as_table(rows, [*SPLITS, "vocabulary"], list(dict.fromkeys(rows["metric"])))
