"""SNLI (Bowman et al. 2015): does a premise entail a hypothesis, contradict it, or neither?"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import lines, members, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError

CLASSES = ("contradiction", "entailment", "neutral")
UNDECIDED = "-"
"""The gold label of a pair on which fewer than three of five annotators agree."""


def parse(line: str) -> tuple[str, str, str]:
    """Gold label, premise and hypothesis of a line.

    Raises ValueError, KeyError, TypeError or RecursionError where the line does not have them.
    """
    pair = json.loads(line)
    label, premise, hypothesis = (pair[key] for key in ("gold_label", "sentence1", "sentence2"))
    if not all(isinstance(value, str) for value in (label, premise, hypothesis)):
        raise TypeError("not a text")
    return label, premise, hypothesis


class InferencePairs(RawSource):
    """Pairs of sentences with the three classes of SNLI."""

    @property
    def pair(self) -> bool:
        """Always true."""
        return True

    @property
    def class_order(self) -> list[str]:
        """Contradiction, entailment, neutral."""
        return list(CLASSES)


class SnliCorpus(InferencePairs):
    """Premises (the text) with hypotheses (the query), three classes."""

    kind: Literal["snli"] = Field(description="snli: pairs of the SNLI archive.")
    archive: RemoteFile = Field(description="snli_1.0.zip, with one .jsonl a split.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All pairs that have a gold label; ids are <name>-<split>-<line>, where lines count undecided pairs too.

        Raises AuditError, naming file and line, where a line is not as published.
        """
        archive = raw["archive"]
        missing = set(SPLITS)
        for member, stream in members(archive, r"snli_1\.0/snli_1\.0_(train|dev|test)\.jsonl"):
            split = member.rsplit("_", 1)[1].removesuffix(".jsonl")
            missing.discard(split)
            for number, line in enumerate(lines(stream, f"{archive}: {member}"), start=1):
                place = f"{archive}: {member}, line {number}"
                try:
                    label, premise, hypothesis = parse(line)
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise AuditError(
                        f"{place}: no gold_label, sentence1 and sentence2 in it; {remedy(archive)}"
                    ) from error
                if label != UNDECIDED:
                    yield Text(f"{name}-{split}-{number:06d}", split, label, premise, place, query=hypothesis)
        if missing:
            raise AuditError(f"{archive}: no split {min(missing)} in it; is it snli_1.0.zip?")
