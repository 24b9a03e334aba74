"""From a corpus to what is marked in its texts, and how frequent their words are."""

from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from attention_audit.artefacts.parquet import read_batches
from attention_audit.columns.corpus import CORPUS
from attention_audit.corpus.rationales import Rationale


def read_rationales(corpus: Path, split: str = "test") -> dict[str, Rationale]:
    """What is marked in the texts of a split, by id; only texts in which somebody marked words, or none.

    Raises AuditError where the file is damaged.
    """
    found: dict[str, Rationale] = {}
    for table in read_batches(corpus, CORPUS, ["id", "split", "annotators", "marks", "scores"]):
        known = table.filter(pc.and_(pc.equal(table["split"], split), pc.is_valid(table["annotators"])))
        for row in known.to_pylist():
            marks = dict(zip(row["annotators"], row["marks"], strict=True))
            found[row["id"]] = Rationale(marks, row["scores"])
    return found


def word_counts(corpus: Path) -> dict[str, npt.NDArray[np.int64]]:
    """How often the training split has each word of the marked texts of the test split, by id; nothing where there is
    no training split.

    Raises AuditError where the file is damaged.
    """
    counts: Counter[str] = Counter()
    for table in read_batches(corpus, CORPUS, ["split", "tokens"]):
        tokens = table.filter(pc.equal(table["split"], "train"))["tokens"].combine_chunks().flatten()
        for row in pc.value_counts(tokens).to_pylist():
            counts[row["values"]] += row["counts"]
    if not counts:
        return {}
    found: dict[str, npt.NDArray[np.int64]] = {}
    for table in read_batches(corpus, CORPUS, ["id", "split", "annotators", "tokens"]):
        known = table.filter(pc.and_(pc.equal(table["split"], "test"), pc.is_valid(table["annotators"])))
        for id_, words in zip(known["id"].to_pylist(), known["tokens"].to_pylist(), strict=True):
            found[id_] = np.array([counts[word] for word in words], np.int64)
    return found
