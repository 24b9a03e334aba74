"""The Stanford Sentiment Treebank (Socher et al. 2013), as Jain & Wallace 2019 prepare it: see docs/data.md."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from attention_audit.artefacts.files import rebuild_hint
from attention_audit.corpus.instances import SPLITS, Instance
from attention_audit.corpus.tokens import tokenize
from attention_audit.errors import AuditError

SENTIMENTS = {"0", "1", "2", "3", "4"}
NEUTRAL = 2
BRACKETS = {"-LRB-", "-RRB-"}
LARGEST = 2**26
"""Bytes of a member that are read at most; the real ones have 2 MB."""


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
    """Words as one text: brackets dropped, every run of characters other than letters and digits made a space."""
    return re.sub(r"\W+", " ", " ".join(word for word in words if word not in BRACKETS)).strip()


def read_member(archive: Path, member: str) -> bytes:
    """One file of the archive, in memory. Raises AuditError where it is missing, damaged or too large."""
    try:
        with zipfile.ZipFile(archive) as handle, handle.open(member) as stream:
            content = stream.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise AuditError(f"{archive}: not there; {rebuild_hint(archive)}") from error
    except KeyError as error:
        raise AuditError(f"{archive}: no {member} in it; is it trainDevTestTrees_PTB.zip?") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError) as error:
        raise AuditError(f"{archive}: truncated or corrupt archive; {rebuild_hint(archive)}") from error
    if len(content) > LARGEST:
        raise AuditError(f"{archive}: {member} has more than {LARGEST} bytes; is it trainDevTestTrees_PTB.zip?")
    return content


def read_sst(name: str, archive: Path) -> list[Instance]:
    """All sentences with a sentiment: label 0 for roots 0 and 1, label 1 for roots 3 and 4; neutral ones are left out.

    Ids are <name>-<split>-<line of the tree in its file>, from 00001. Raises AuditError naming file and line.
    """
    instances = []
    for split in SPLITS:
        member = f"trees/{split}.txt"
        for number, line in enumerate(read_member(archive, member).split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                sentiment, words = parse_tree(line.decode())
            except ValueError as error:
                raise AuditError(
                    f"{archive}: {member}, line {number}: malformed tree; {rebuild_hint(archive)}"
                ) from error
            if sentiment != NEUTRAL:
                tokens = tokenize(clean(words))
                instances.append(Instance(f"{name}-{split}-{number:05d}", split, int(sentiment > NEUTRAL), tokens))
    return instances
