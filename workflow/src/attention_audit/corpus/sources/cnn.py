"""CNN questions (Hermann et al. 2015), in one file for each split, as Chen et al. 2016 publish them."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Literal

from pydantic import Field

from attention_audit.corpus.raw import by_split, lines, remedy
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError

ENTITY = "@entity"
BLOCK = 4
"""Lines of a block: question, answer, passage, and an empty one."""


def blocks(stream: IO[bytes], where: str, archive: Path) -> Iterator[tuple[int, str, str, str, str]]:
    """Number (from 1), place, question, answer and passage of every block.

    Raises AuditError, naming the line, at a block that is cut off or whose lines are in another order.
    """
    stripped = map(str.strip, lines(stream, where))
    for number, block in enumerate(iter(lambda: list(islice(stripped, BLOCK)), []), start=1):
        if any(block):
            place = f"{where}, line {BLOCK * (number - 1) + 1}"
            question, answer, passage, empty = (block + [""] * BLOCK)[:BLOCK]
            if len(block) < BLOCK - 1 or empty or not answer.startswith(ENTITY):
                raise AuditError(f"{place}: not a question, its answer, a passage, an empty line; {remedy(archive)}")
            yield number, place, question, answer, passage


class CnnCorpus(RawSource):
    """Passages of news (the text) with questions (the query); the answer is an entity of the passage."""

    paired = True

    kind: Literal["cnn"] = Field(description="cnn: questions on CNN's news in the format of Chen et al.")
    archive: RemoteFile = Field(description="cnn.tar.gz, with one .txt a split.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All questions, with unchanged words; candidates are the passage's entities in order of appearance.

        Ids are <name>-<split>-<number>, from 1. Raises AuditError, naming file and line, where a block is not as
        published.
        """
        archive = raw["archive"]
        lacking = "cnn/{}.txt in it; is it cnn.tar.gz?"
        for split, where, stream in by_split(archive, r"(\./)?cnn/(train|dev|test)\.txt", SPLITS, lacking):
            for number, place, question, answer, passage in blocks(stream, where, archive):
                words = passage.split()
                entities = list(dict.fromkeys(word for word in words if word.startswith(ENTITY)))
                id_ = f"{name}-{split}-{number:06d}"
                yield Text(id_, split, answer, words, place, query=question.split(), candidates=entities)
