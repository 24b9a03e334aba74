"""SNLI (Bowman et al. 2015): does a premise entail a hypothesis, contradict it, or neither? And e-SNLI (Camburu et al.
2018): SNLI with the words that annotators highlighted as they explained a label.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from attention_audit.corpus.rationales import Annotations, Span
from attention_audit.corpus.raw import as_published, split_lines
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.tabular import published_rows
from attention_audit.corpus.text import SPLITS, Text
from attention_audit.errors import AuditError

CLASSES = ("contradiction", "entailment", "neutral")
UNDECIDED = "-"
"""The gold label of a pair on which fewer than three of five annotators agree."""


class SnliCorpus(RawSource):
    """Premises (the text) with hypotheses (the query), three classes."""

    paired = True
    ordered = CLASSES

    kind: Literal["snli"] = Field(description="snli: pairs of the SNLI archive.")
    archive: RemoteFile = Field(description="snli_1.0.zip, with one .jsonl a split.")

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All pairs that have a gold label; ids are <name>-<split>-<line>, where lines count undecided pairs too. The
        pairs of a premise are a group.

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
                id_ = f"{name}-{split}-{number:06d}"
                yield Text(id_, split, label, premise, place, query=hypothesis, group=premise)


SENTENCES = {"premise": "Sentence1", "hypothesis": "Sentence2"}
MARK = "*"
"""Stands on both sides of a highlighted word."""
MOST = 3
"""Annotators of a pair at most: one of a training pair, three of the others."""


def highlighted(sentence: str, marked: str) -> list[Span] | None:
    """The stretches of a sentence that stand between marks in its marked copy; None where the copy is of another one.

    White space does not count, of which copies have more or less.
    """
    places = [at for at, character in enumerate(sentence) if character != MARK and not character.isspace()]
    spans: list[Span] = []
    begun: int | None = None
    read = 0
    for character in "".join(marked.split()):
        if character != MARK:
            if read == len(places) or sentence[places[read]] != character:
                return None
            read += 1
        elif begun is None:
            begun = read
        else:
            if begun < read:
                spans.append((places[begun], places[read - 1] + 1))
            begun = None
    return spans if read == len(places) and begun is None else None


class EsnliCorpus(RawSource):
    """Premises and hypotheses, three classes, with the words that annotators highlighted."""

    paired = True
    annotated = True
    ordered = CLASSES

    kind: Literal["esnli"] = Field(description="esnli: pairs with highlighted words, as published in csv files.")
    train: RemoteFile = Field(description="esnli_train_1.csv.")
    train_rest: RemoteFile = Field(description="esnli_train_2.csv.")
    dev: RemoteFile = Field(description="esnli_dev.csv.")
    test: RemoteFile = Field(description="esnli_test.csv.")
    text: Literal["premise", "hypothesis"] = Field(
        "premise",
        description="Which of the two is the text, over which attention runs and whose marks are read; the other is "
        "the query. Of neutral pairs, only the hypothesis was highlighted.",
    )

    def read(self, name: str, raw: Mapping[str, Path]) -> Iterator[Text]:
        """All pairs; ids are <name>-<split>-<row>, where rows of both training files are counted on. The pairs of a
        premise are a group, whichever of the two is the text.

        Raises AuditError, naming file and line, where a row is not as published.
        """
        text, query = SENTENCES[self.text], next(own for key, own in SENTENCES.items() if key != self.text)
        wanted = {"label": "gold_label", "text": text, "query": query, "marks": f"{text}_marked_1"}
        premise = SENTENCES["premise"]
        numbers = dict.fromkeys(("train", "dev", "test"), 0)
        for field in self.remote_files():
            split = field.partition("_")[0]
            for place, row in published_rows(raw[field], wanted):
                numbers[split] += 1
                label = row["gold_label"]
                if label not in CLASSES:
                    raise AuditError(f"{place}: gold_label is {label!r:.50}, and must be one of {', '.join(CLASSES)}")
                id_, copies = (
                    f"{name}-{split}-{numbers[split]:06d}",
                    [row.get(f"{text}_marked_{n + 1}") for n in range(MOST)],
                )
                said = _annotations(row[text], copies)
                yield Text(id_, split, label, row[text], place, query=row[query], annotations=said, group=row[premise])


def _annotations(sentence: str, copies: list[str | None]) -> Annotations | None:
    """What the marked copies of a sentence say; None where there are none."""
    given = {number: copy for number, copy in enumerate(copies, start=1) if copy and copy.strip()}
    spans = {number: highlighted(sentence, copy) for number, copy in given.items()}
    marks = {f"annotator {number}": found for number, found in spans.items() if found is not None}
    return Annotations(marks, miscounted=len(spans) - len(marks)) if given else None
