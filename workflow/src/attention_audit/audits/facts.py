"""What is known of the texts that audits are asked of: words, and which of them somebody marked, or are known to decide
the label.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from attention_audit.arrays import Integers
from attention_audit.corpus.rationales import Rationale

ReadRows = Callable[[Sequence[str], pc.Expression], pa.Table]
"""Gives some columns of those rows of a corpus for which an expression holds."""


def find_sentences(positions: Sequence[int], starts: Sequence[int]) -> list[int]:
    """Find the sentences that hold any of these tokens, each once; `starts` are those of all sentences."""
    return sorted(set((np.searchsorted(starts, positions, side="right") - 1).tolist()))


class TextFacts:
    """What is known of the test texts of a corpus, each by the text's id; it is read when it is first asked for.

    read_rows: reads the corpus. label: the one that is asked of, "" where a class is predicted: where labels stand
    in the place of annotators, its own marks alone count.
    """

    def __init__(self, read_rows: ReadRows, label: str = "") -> None:
        self.read_rows, self.label = read_rows, label

    def list_texts(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """List the id of each test text of which the last of these columns is known, and the columns.

        Raises AuditError where the corpus is damaged.
        """
        with_fact = (pc.field("split") == "test") & pc.field(columns[-1]).is_valid()
        texts = self.read_rows(["id", *columns, "split"], with_fact)
        return zip(*(column.to_pylist() for column in texts.drop_columns("split")), strict=True)

    @cached_property
    def tokens(self) -> dict[str, list[str]]:
        """Return the words of the texts."""
        return dict(self.list_texts("tokens"))

    @cached_property
    def blocked(self) -> dict[str, list[int]]:
        """Return the positions of the impermissible words."""
        return dict(self.list_texts("blocked"))

    @cached_property
    def own_marks(self) -> dict[str, list[int]]:
        """Return the positions of the words that are marked for the label that is asked of, where some are."""
        texts = self.list_texts("annotators", "marks")
        return {id_: marks[names.index(self.label)] for id_, names, marks in texts if self.label in names}

    @cached_property
    def evidence(self) -> dict[str, list[int]]:
        """Return the positions of the words that are known to decide the label."""
        return self.own_marks or dict(self.list_texts("evidence"))

    @cached_property
    def evident_sentences(self) -> dict[str, list[int]]:
        """Return the numbers of the sentences that hold such words."""
        texts = self.list_texts("sentences", "evidence")
        return {id_: find_sentences(positions, starts or [0]) for id_, starts, positions in texts}

    @cached_property
    def rationales(self) -> dict[str, Rationale]:
        """Return what is marked; only of texts in which somebody marked words, or none."""
        if self.own_marks:
            return {id_: Rationale({self.label: positions}) for id_, positions in self.own_marks.items()}
        return {
            id_: Rationale(dict(zip(annotators, marks, strict=True)), scores)
            for id_, scores, annotators, marks in self.list_texts("scores", "annotators", "marks")
        }

    @cached_property
    def frequencies(self) -> dict[str, Integers]:
        """Count how often the training split has each word of the marked texts; nothing where there is no training
        split.
        """
        training = self.read_rows(["split", "tokens"], pc.field("split") == "train")
        counted = pc.value_counts(pc.list_flatten(training["tokens"])).to_pylist()
        counts = Counter({row["values"]: row["counts"] for row in counted})
        marked = self.list_texts("tokens", "annotators") if counts else ()
        return {id_: np.array([counts[word] for word in tokens], np.int64) for id_, tokens, _ in marked}
