"""Pairs of texts, in the files that their authors publish.

Questions on a text: bAbI's (Weston et al. 2015), whose sentences that contain the answer are the evidence, and CNN's
(Hermann et al. 2015), in one file for each split, as Chen et al. (2016) publish them. SNLI (Bowman et al. 2015): does a
premise entail a hypothesis, contradict it, or neither? And e-SNLI (Camburu et al. 2018): SNLI with the words that
annotators highlighted as they explained a label.
"""

import json
from itertools import accumulate, zip_longest
from typing import Annotated, Literal

from pydantic import Field

from attention_audit.errors import AuditError

from ..rationales import Annotations, Span, mark_words
from ..raw import find_remedy, read_split_files, read_split_lines, require_format
from ..source import RawFiles, RawSource, RemoteFile
from ..tabular import read_delimited
from ..text import SPLITS, Text, Texts

FULL_STOP = "."
FACTS_ANNOTATOR = "supporting facts"
"""Who marked the words: the data set itself, sentence by sentence."""


def split_sentence(text: str, end: str) -> list[str]:
    """Split a sentence or a question into words. Raises ValueError where it does not end with the mark `end`."""
    text = text.strip()
    if not text.endswith(end):
        raise ValueError(f"no {end} at its end")
    return text.removesuffix(end).split()


class BabiCorpus(RawSource):
    """Stories (the text) with questions (the query); the answer is one word."""

    paired = True
    annotated = True

    kind: Literal["babi"]
    """babi: one of the twenty tasks."""
    archive: RemoteFile
    """tasks_1-20_v1-2.tar.gz."""
    task: Annotated[int, Field(ge=1, le=20)]
    """Number of the task."""
    language: Literal["en", "en-10k"] = "en-10k"
    """The small or the large set."""

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read one text for each question: all earlier sentences of its story; ids are <name>-<split>-<line>, from 1.
        The questions on a story are a group, which has the name that an id of the story's first line would have.

        Raises AuditError, naming file and line, where a line is not as published.
        """
        archive = raw["archive"]
        wanted = rf"tasks_1-20_v1-2/{self.language}/qa{self.task}_.*_(train|test)\.txt"
        hint = f"{{}} file of task {self.task} in it; is it tasks_1-20_v1-2.tar.gz?"
        story: dict[int, list[str]] = {}
        group = ""
        for split, number, location, line in read_split_lines(archive, wanted, ("train", "test"), hint):
            id_ = f"{name}-{split}-{number:06d}"
            with require_format(location, "neither a sentence nor a question", archive):
                position, rest = line.split(" ", 1)
                if 1 in (number, int(position)):
                    story, group = {}, id_
                sentence, *answered = rest.split("\t")
                if not answered:
                    story[int(position)] = split_sentence(sentence, FULL_STOP)
                    continue
                question = split_sentence(sentence, "?")
                answer, supporting = answered
                facts = {int(fact) for fact in supporting.split()}
                if not story.keys() >= facts:
                    raise ValueError("supporting sentence not in the story")
            words: list[str] = []
            evidence: list[int] = []
            for at, sentence_words in story.items():
                words += [FULL_STOP] if words else []
                if at in facts:
                    evidence += range(len(words), len(words) + len(sentence_words))
                words += sentence_words
            facts_marked = mark_words(FACTS_ANNOTATOR, evidence)
            label = answer.strip()
            yield Text(id_, split, label, words, location, query=question, annotations=facts_marked, group=group)


ENTITY = "@entity"
LINES_A_QUESTION = 4
"""Lines of a block: question, answer, passage, and an empty one."""


class CnnCorpus(RawSource):
    """Passages of news (the text) with questions (the query); the answer is an entity of the passage."""

    paired = True

    kind: Literal["cnn"]
    """cnn: questions on CNN's news in the format of Chen et al."""
    archive: RemoteFile
    """cnn.tar.gz, with one .txt a split."""

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all questions, with unchanged words; candidates are the passage's entities in order of appearance.

        Ids are <name>-<split>-<number>, from 1. Raises AuditError, naming file and line, where a block is not as
        published.
        """
        archive = raw["archive"]
        hint = "cnn/{}.txt in it; is it cnn.tar.gz?"
        for split, where, text in read_split_files(archive, r"(\./)?cnn/(train|dev|test)\.txt", SPLITS, hint):
            stripped = map(str.strip, text)
            for number, block in enumerate(zip_longest(*[stripped] * LINES_A_QUESTION), start=1):
                question, answer, passage, empty = block
                if not any(block):
                    continue
                location = f"{where}, line {LINES_A_QUESTION * (number - 1) + 1}"
                if passage is None or empty or not answer.startswith(ENTITY):
                    raise AuditError(
                        location, "not a question, its answer, a passage, an empty line", find_remedy(archive)
                    )
                words = passage.split()
                entities = [*dict.fromkeys(word for word in words if word.startswith(ENTITY))]
                id_ = f"{name}-{split}-{number:06d}"
                yield Text(id_, split, answer, words, location, query=question.split(), candidates=entities)


NLI_CLASSES = ("contradiction", "entailment", "neutral")


class SnliCorpus(RawSource):
    """Premises (the text) with hypotheses (the query), three classes."""

    paired = True
    ordered = NLI_CLASSES

    kind: Literal["snli"]
    """snli: pairs of the SNLI archive."""
    archive: RemoteFile
    """snli_1.0.zip, with one .jsonl a split."""

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all pairs that have a gold label; ids are <name>-<split>-<line>, where lines count undecided pairs too.
        The pairs of a premise are a group.

        Raises AuditError, naming file and line, where a line is not as published.
        """
        archive = raw["archive"]
        wanted, hint = r"snli_1\.0/snli_1\.0_(train|dev|test)\.jsonl", "split {} in it; is it snli_1.0.zip?"
        for split, number, location, line in read_split_lines(archive, wanted, SPLITS, hint):
            with require_format(location, "no gold_label, sentence1 and sentence2 in it", archive):
                pair = json.loads(line)
                label, premise, hypothesis = (pair[key] for key in ("gold_label", "sentence1", "sentence2"))
                if not all(isinstance(value, str) for value in (label, premise, hypothesis)):
                    raise TypeError("not a text")
            if label != "-":  # fewer than three of five annotators agree
                id_ = f"{name}-{split}-{number:06d}"
                yield Text(id_, split, label, premise, location, query=hypothesis, group=premise)


SENTENCE_COLUMNS = ("Sentence1", "Sentence2")
"""The columns of premises and of hypotheses."""
HIGHLIGHT = "*"
"""Stands on both sides of a highlighted word."""
MAX_ANNOTATORS = 3
"""Annotators of a pair at most: one of a training pair, three of the others."""


def find_highlighted(sentence: str, marked: str) -> list[Span] | None:
    """Find the stretches of a sentence between marks in its marked copy; None where the copy is of another one.

    White space does not count, of which copies have more or less.
    """
    offsets = [at for at, character in enumerate(sentence) if character != HIGHLIGHT and not character.isspace()]
    # what lies outside of marks and within them, by turns
    parts = "".join(marked.split()).split(HIGHLIGHT)
    if len(parts) % 2 == 0 or "".join(parts) != "".join(sentence[at] for at in offsets):
        return None
    bounds = [0, *accumulate(map(len, parts))]
    within = zip(bounds[1::2], bounds[2::2], strict=False)
    return [(offsets[start], offsets[end - 1] + 1) for start, end in within if start < end]


class EsnliCorpus(RawSource):
    """Premises and hypotheses, three classes, with the words that annotators highlighted."""

    paired = True
    annotated = True
    ordered = NLI_CLASSES

    kind: Literal["esnli"]
    """esnli: pairs with highlighted words, as published in csv files."""
    train: RemoteFile
    """esnli_train_1.csv."""
    train_rest: RemoteFile
    """esnli_train_2.csv."""
    dev: RemoteFile
    """esnli_dev.csv."""
    test: RemoteFile
    """esnli_test.csv."""
    text: Literal["premise", "hypothesis"] = "premise"
    """Which of the two is the text, over which attention runs and whose marks are read; the other is the query. Of
    neutral pairs, only the hypothesis was highlighted.
    """

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read all pairs; ids are <name>-<split>-<row>, where rows of both training files are counted on. The pairs of
        a premise are a group, whichever of the two is the text.

        Raises AuditError, naming file and line, where a row is not as published.
        """
        premise, hypothesis = SENTENCE_COLUMNS
        text, query = SENTENCE_COLUMNS if self.text == "premise" else (hypothesis, premise)
        wanted = {"label": "gold_label", "text": text, "query": query, "marks": f"{text}_marked_1"}
        numbers = dict.fromkeys(SPLITS, 0)
        for field in self.remote_files():
            split = field.partition("_")[0]
            for location, row in read_delimited(raw[field], wanted):
                numbers[split] += 1
                label = row["gold_label"]
                if label not in NLI_CLASSES:
                    fault = f"gold_label is {label!r:.50}, and must be one of {', '.join(NLI_CLASSES)}"
                    raise AuditError(location, fault)
                id_ = f"{name}-{split}-{numbers[split]:06d}"
                copies = {f"annotator {n}": row.get(f"{text}_marked_{n}") or "" for n in range(1, MAX_ANNOTATORS + 1)}
                highlights = {who: find_highlighted(row[text], copy) for who, copy in copies.items() if copy.strip()}
                marks = {who: spans for who, spans in highlights.items() if spans is not None}
                annotations = Annotations(marks, miscounted=len(highlights) - len(marks)) if highlights else None
                yield Text(
                    id_,
                    split,
                    label,
                    row[text],
                    location,
                    query=row[query],
                    annotations=annotations,
                    group=row[premise],
                )
