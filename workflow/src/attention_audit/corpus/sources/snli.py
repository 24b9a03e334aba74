"""SNLI (Bowman et al. 2015): does a premise entail a hypothesis, contradict it, or neither?"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import as_published, split_lines
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text

CLASSES = ("contradiction", "entailment", "neutral")
UNDECIDED = "-"
"""The gold label of a pair on which fewer than three of five annotators agree."""


class InferencePairs(RawSource):
    """Pairs of sentences with the three classes of SNLI."""

    paired = True
    ordered = CLASSES


class SnliCorpus(InferencePairs):
    """Premises (the text) with hypotheses (the query), three classes."""

    kind: Literal["snli"] = Field(description="snli: pairs of the SNLI archive.")
    archive: RemoteFile = Field(description="snli_1.0.zip, with one .jsonl a split.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All pairs that have a gold label; ids are <name>-<split>-<line>, where lines count undecided pairs too.

        Raises AuditError, naming file and line, where a line is not as published.
        """
        archive = raw["archive"]
        wanted, lacking = r"snli_1\.0/snli_1\.0_(train|dev|test)\.jsonl", "split {} in it; is it snli_1.0.zip?"
        for split, number, place, line in split_lines(archive, wanted, SPLITS, lacking):
            with as_published(place, "no gold_label, sentence1 and sentence2 in it", archive):
                pair = json.loads(line)
                label, premise, hypothesis = (pair[key] for key in ("gold_label", "sentence1", "sentence2"))
                if not all(isinstance(value, str) for value in (label, premise, hypothesis)):
                    raise TypeError("not a text")
            if label != UNDECIDED:
                yield Text(f"{name}-{split}-{number:06d}", split, label, premise, place, query=hypothesis)
