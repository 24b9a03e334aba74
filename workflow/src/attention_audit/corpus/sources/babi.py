"""bAbI questions (Weston et al. 2015); the sentences that contain the answer are the evidence."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from attention_audit.corpus.rationales import of_words
from attention_audit.corpus.raw import as_published, split_lines
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.text import Text

FULL_STOP = "."
FACTS = "supporting facts"
"""Who marked the words: the data set itself, sentence by sentence."""


def words_of(text: str, end: str) -> list[str]:
    """The words of a sentence or a question. Raises ValueError where it does not end with the mark `end`."""
    text = text.strip()
    if not text.endswith(end):
        raise ValueError(f"no {end} at its end")
    return text.removesuffix(end).split()


def joined(story: Mapping[int, list[str]], supporting: list[int]) -> tuple[list[str], list[int]]:
    """The words of a story, with full stops between sentences, and the positions of the supporting sentences' words.

    Raises ValueError where a supporting sentence is not in the story.
    """
    if not story.keys() >= set(supporting):
        raise ValueError("supporting sentence not in the story")
    words: list[str] = []
    evidence: list[int] = []
    for number, sentence in story.items():
        words += [FULL_STOP] if words else []
        if number in supporting:
            evidence += range(len(words), len(words) + len(sentence))
        words += sentence
    return words, evidence


class BabiCorpus(RawSource):
    """Stories (the text) with questions (the query); the answer is one word."""

    paired = True

    kind: Literal["babi"] = Field(description="babi: one of the twenty tasks.")
    archive: RemoteFile = Field(description="tasks_1-20_v1-2.tar.gz.")
    task: Annotated[int, Field(ge=1, le=20)] = Field(description="Number of the task.")
    language: Literal["en", "en-10k"] = Field("en-10k", description="The small or the large set.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """One text for each question: all earlier sentences of its story; ids are <name>-<split>-<line>, from 1.

        Raises AuditError, naming file and line, where a line is not as published.
        """
        archive = raw["archive"]
        wanted = rf"tasks_1-20_v1-2/{self.language}/qa{self.task}_.*_(train|test)\.txt"
        lacking = f"{{}} file of task {self.task} in it; is it tasks_1-20_v1-2.tar.gz?"
        story: dict[int, list[str]] = {}
        for split, number, place, line in split_lines(archive, wanted, ("train", "test"), lacking):
            with as_published(place, "neither a sentence nor a question", archive):
                position, rest = line.split(" ", 1)
                if 1 in (number, int(position)):
                    story = {}
                sentence, *answered = rest.split("\t")
                if not answered:
                    story[int(position)] = words_of(sentence, FULL_STOP)
                    continue
                asked = words_of(sentence, "?")
                answer, supporting = answered
                words, evidence = joined(story, [int(fact) for fact in supporting.split()])
            id_, said = f"{name}-{split}-{number:06d}", of_words({FACTS: evidence})
            yield Text(id_, split, answer.strip(), words, place, query=asked, annotations=said)
