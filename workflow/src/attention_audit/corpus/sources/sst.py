"""The Stanford Sentiment Treebank (Socher et al. 2013), as Jain & Wallace 2019 prepare it: see docs/data.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.raw import lines, members, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError

CLASSES = ("negative", "positive")
SENTIMENTS = {"0", "1", "2", "3", "4"}
NEUTRAL = 2
BRACKETS = {"-LRB-": "(", "-RRB-": ")"}


def parse_tree(line: str) -> tuple[int, list[str]]:
    """Root sentiment (0 to 4) and words of a tree such as `(3 (2 It) (4 works))`.

    Raises ValueError where the line is not one whole tree.
    """
    stack: list[list[str]] = [[]]
    label = ""
    for token in re.findall(r"[()]|[^()\s]+", line):
        if len(stack) == 1 and (stack[0] or token != "("):
            raise ValueError("text outside the tree")
        if token == "(":
            stack.append([])
        elif token == ")":
            label, *words = stack.pop() or [""]
            if label not in SENTIMENTS or not words:
                raise ValueError("node without sentiment or words")
            stack[-1].extend(words)
        else:
            stack[-1].append(token)
    if len(stack) > 1 or not label:
        raise ValueError("tree not closed")
    return int(label), stack[0]


def clean(words: list[str]) -> str:
    """Words as one text without brackets; every run of characters that are no letters or digits becomes a space."""
    return re.sub(r"\W+", " ", " ".join(word for word in words if word not in BRACKETS)).strip()


def written(words: list[str]) -> list[str]:
    """Words as they were before the treebank wrote brackets and slashes in its own way."""
    return [BRACKETS.get(word, word.replace("\\/", "/")) for word in words]


class SstCorpus(RawSource):
    """The Stanford Sentiment Treebank, two classes, whole sentences."""

    kind: Literal["sst"] = Field(description="sst: trees in Penn Treebank format, as Stanford publishes them.")
    archive: RemoteFile = Field(description="The archive with train.txt, dev.txt and test.txt.")
    clean: bool = Field(
        True,
        description="Whether every run of characters that are no letters or digits becomes a space, as Jain & Wallace "
        "do. false: the words of the trees, punctuation included, in which Transformers were trained to read.",
    )

    @property
    def class_order(self) -> list[str]:
        """Negative, positive."""
        return list(CLASSES)

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All sentences with a sentiment: negative for roots 0 and 1, positive for 3 and 4; neutral ones are left out.

        Ids are <name>-<split>-<line of the tree in its file>, from 00001. Raises AuditError naming file and line.
        """
        archive = raw["archive"]
        missing = set(SPLITS)
        for member, stream in members(archive, r"trees/(train|dev|test)\.txt"):
            split = Path(member).stem
            missing.discard(split)
            for number, line in enumerate(lines(stream, f"{archive}: {member}"), start=1):
                if not line.strip():
                    continue
                place = f"{archive}: {member}, line {number}"
                try:
                    sentiment, words = parse_tree(line)
                except ValueError as error:
                    raise AuditError(f"{place}: malformed tree ({error}); {remedy(archive)}") from error
                if sentiment != NEUTRAL:
                    label = CLASSES[sentiment > NEUTRAL]
                    text = clean(words) if self.clean else written(words)
                    yield Text(f"{name}-{split}-{number:05d}", split, label, text, place)
        if missing:
            raise AuditError(f"{archive}: no trees/{min(missing)}.txt in it; is it trainDevTestTrees_PTB.zip?")
